package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli/term"
	"kayra/rollout"
)

// standing shows how a rollout stands.
type standing struct {
	output

	api     string
	wait    bool
	timeout time.Duration
}

func rolloutStatusCommand(e *env) *cobra.Command {
	s := &standing{}
	cmd := &cobra.Command{
		Use:   "status API",
		Short: "Show how a rollout stands, and what can be done about it",
		Long: "Show how a rollout stands, and what can be done about it: the sync ids, the\n" +
			"canaries, who is held back, and the commands that release or abort it.\n\n" +
			"With --wait it waits first: while a rollout is pending, until its canaries are\n" +
			"there, otherwise until all that are active are. Without it, the exit code is 0\n" +
			"however it stands.",
		Example: `  kayra rollout status compute.example.com
  kayra rollout status compute.example.com --wait --timeout 5m
  kayra rollout status compute.example.com -o json | jq -r .sync_id`,
		Args: oneAPI("rollout status", &s.api, false),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd, e) },
	}
	addWait(cmd, &s.wait, &s.timeout)
	addOutput(cmd, &s.output)
	addClientAs(cmd, requestTimeout)
	return cmd
}

func (s *standing) run(cmd *cobra.Command, e *env) error {
	if err := checkWait(s.timeout); err != nil {
		return err
	}
	ctx := cmd.Context()
	m, err := e.remote(cmd)
	if err != nil {
		return err
	}
	bound, cancel := ctx, func() {}
	if s.wait { // a server that hangs takes no longer than what is waited for
		bound, cancel = context.WithTimeout(ctx, s.timeout)
	}
	defer cancel()
	r, engine, name, err := m.engine(bound, e, s.api)
	if err != nil {
		return unanswered(ctx, bound, s.timeout, err)
	}
	defer r.Close()
	state, err := engine.Load(bound, name)
	if err != nil {
		return unanswered(ctx, bound, s.timeout, err)
	}
	at := e.placeOf(cmd, m)
	if s.wait {
		goal := rollout.Everyone(name)
		if state.Pending() {
			goal = state.Canary()
		}
		w := &waiting{env: e, timeout: s.timeout, goal: "synced", quiet: s.quiet()}
		err = w.watch(ctx, engine, goal)
	}
	if ctx.Err() == nil {
		if again := s.show(ctx, e, engine, name, at); err == nil {
			err = again
		}
	}
	return err
}

func (s *standing) show(ctx context.Context, e *env, engine *rollout.Engine, name string, at rollout.Place) error {
	if s.format.given {
		return (&change{output: s.output}).showStatus(ctx, e, engine, name)
	}
	state, err := engine.Load(ctx, name)
	if err != nil {
		return ofRollout(err)
	}
	if _, err := fmt.Fprint(e.streams.Out, statusText(state, at)); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func statusText(s *rollout.State, at rollout.Place) string {
	page := &term.Page{}
	reg := &s.Registration
	line := func(label, format string, args ...any) { page.Cell(fmt.Sprintf("%-13s ", label), format, args...) }
	line("API", "%s", reg.Name)
	line("sync_id", "%s", reg.SyncID)
	line("released", "%s", reg.ReleasedSyncID)
	if reg.Paused {
		line("paused", "nothing is tried until paused is false")
	}
	c := s.Census()
	if !s.Pending() {
		line("rollout", "none is pending")
	} else {
		line("rollout", "pending, for %s", rollout.Names(reg.CanaryNamespaces))
		for _, t := range s.Canaries() {
			page.Cell("                ", "%s", t.Namespace+": "+because(&t))
		}
		line("held", "%s", rollout.Names(c.Held))
	}
	line("subscribers", "%d active: %d synced, %d in error; %d not active yet", c.Active, c.Synced, len(c.Failed), c.Idle)
	if len(c.Failed) > 0 {
		line("in error", "%s", rollout.Names(c.Failed))
	}
	if s.Pending() {
		page.Heading("To go on:")
		page.Verbatim("  ", at.Line("rollout", "release", reg.Name, "--expect-sync-id", reg.SyncID))
		page.Verbatim("  ", at.Line("rollout", "abort", reg.Name, "--expect-sync-id", reg.SyncID))
	}
	return strings.TrimLeft(page.String(), "\n")
}
