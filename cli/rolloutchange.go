package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
	"kayra/rollout"
	"kayra/server/api"
)

func rolloutStartCommand(e *env) *cobra.Command {
	c := &change{}
	cmd := &cobra.Command{
		Use:   "start API --canary NS,…",
		Short: "Give an API a fresh sync id, for some namespaces alone",
		Long: "Give an API a fresh sync id, for the namespaces of --canary alone. All others\n" +
			"that are active are held where they are until it is released or aborted; one\n" +
			"that is not active yet is not held, and has its first sync at the fresh one. A\n" +
			"rollout that is pending is replaced.\n\n" +
			"With --wait the exit code is 0 once all canaries are there, and 8 as soon as one\n" +
			"has ended in error.",
		Example: `  kayra rollout start compute.example.com --canary sre
  kayra rollout start compute.example.com --canary sre,apps --dry-run
  kayra rollout start compute.example.com --canary sre --wait --timeout 5m -o json`,
		Args: oneAPI("rollout start", &c.api, false),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(c.canaries) == 0 {
				return usage("name them with --canary NS,…; `kayra sync API` syncs everyone", "which namespaces are the canary?")
			}
			return c.run(cmd, e, func(s *rollout.State) (rollout.Plan, error) { return s.Start(c.canaries) })
		},
	}
	addCanary(cmd, &c.canaries)
	addChange(cmd, c)
	addYes(cmd, &c.yes)
	return cmd
}

func rolloutReleaseCommand(e *env) *cobra.Command {
	c := &change{}
	cmd := &cobra.Command{
		Use:     "release API",
		Aliases: []string{"promote"},
		Short:   "Give the canaries' sync id to everyone",
		Long: "Give the sync id of the pending rollout to everyone. Without a pending rollout,\n" +
			"or when it has become another one since it was read, nothing is changed and the\n" +
			"exit code is 5: of two that release at once, one does. At a terminal it asks\n" +
			"first when it reaches more than one namespace.\n\n" +
			"With --wait the exit code is 0 once all that are active are there, and 8 as soon\n" +
			"as one has ended in error.",
		Example: `  kayra rollout release compute.example.com
  kayra rollout release compute.example.com --wait --timeout 30m --yes`,
		Args: oneAPI("rollout release", &c.api, false),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd, e, (*rollout.State).Release) },
	}
	addChange(cmd, c)
	addYes(cmd, &c.yes)
	return cmd
}

func rolloutAbortCommand(e *env) *cobra.Command {
	c := &change{}
	cmd := &cobra.Command{
		Use:   "abort API",
		Short: "Take the canaries back to the sync id that was released last",
		Long: "Take the canaries, and everybody else who has been tried at another sync id,\n" +
			"back to the one that was released last. Without a pending rollout, or when it\n" +
			"has become another one since it was read, nothing is changed and the exit code\n" +
			"is 5.\n\n" +
			"With --wait the exit code is 0 once all of them are back, and 8 as soon as one\n" +
			"has ended in error on the way.",
		Example: `  kayra rollout abort compute.example.com
  kayra rollout abort compute.example.com --wait`,
		Args: oneAPI("rollout abort", &c.api, false),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.run(cmd, e, (*rollout.State).Abort) },
	}
	addChange(cmd, c)
	return cmd
}

// run makes a plan of what there is, and carries it out.
func (c *change) run(cmd *cobra.Command, e *env, plan func(*rollout.State) (rollout.Plan, error)) error {
	if err := c.check(); err != nil {
		return err
	}
	ctx := cmd.Context()
	m, err := e.remote(cmd)
	if err != nil {
		return err
	}
	r, engine, name, err := m.engine(ctx, e, c.api)
	if err != nil {
		return ofRollout(err)
	}
	defer r.Close()
	state, err := engine.Load(ctx, name)
	if err != nil {
		return ofRollout(err)
	}
	p, err := plan(state)
	if c.expect != "" && p.API != "" { // what has become of the expected id says more than that nothing is pending
		if _, changed := p.Expect(c.expect); changed != nil {
			return ofRollout(changed)
		}
	}
	if err != nil {
		return ofRollout(err)
	}
	at := e.placeOf(cmd, m)
	if c.dryRun {
		return c.preview(e, engine, p, at)
	}
	return c.carryOut(ctx, e, engine, p, at)
}

func (c *change) carryOut(ctx context.Context, e *env, engine *rollout.Engine, p rollout.Plan, at rollout.Place) error {
	v := p.Preview()
	for _, note := range v.Notes {
		if c.quiet() {
			break
		}
		e.tell("note: %s", term.Escape(note))
	}
	if err := c.confirm(ctx, e, &v); err != nil {
		return err
	}
	reg, err := engine.Apply(ctx, p)
	if err != nil {
		return ofRollout(err)
	}
	if !c.format.given {
		if err := e.say("%s", term.Escape(done(&v, reg))); err != nil {
			return err
		}
	}
	if c.wait {
		w := &waiting{env: e, timeout: c.timeout, goal: goalOf(&v), quiet: c.quiet(), back: at.Line("rollout", "status", p.API, "--wait")}
		err = w.watch(ctx, engine, p.Goal(reg))
	}
	if err == nil && p.Action == rollout.Start && !c.quiet() {
		e.tell("next: %s", term.Escape(at.Line("rollout", "release", p.API, "--expect-sync-id", reg.SyncID)))
		e.tell("  or: %s", term.Escape(at.Line("rollout", "abort", p.API, "--expect-sync-id", reg.SyncID)))
	}
	if c.format.given && ctx.Err() == nil {
		if again := c.showStatus(ctx, e, engine, p.API); err == nil {
			err = again
		}
	}
	return err
}

// showStatus shows how the API's subscriptions stand.
func (c *change) showStatus(ctx context.Context, e *env, engine *rollout.Engine, name string) error {
	document, err := engine.Status(ctx, name)
	if err != nil {
		return ofRollout(err)
	}
	return e.show(c.output, "apiregistrations/status", document)
}

// confirm asks somebody at a terminal whether what reaches many is meant.
func (c *change) confirm(ctx context.Context, e *env, v *rollout.Preview) error {
	wide := (v.Action == rollout.Release || v.Action == rollout.All) && len(v.Moves) > 1
	machine := c.format.given && c.format.format != printer.Table && c.format.format != printer.Wide
	if !wide || c.yes || machine || !e.streams.Interactive {
		return nil
	}
	what := fmt.Sprintf("give %s a fresh sync id", v.API)
	if v.Action == rollout.Release {
		what = fmt.Sprintf("release %s of %s", v.After, v.API)
	}
	where := ""
	if e.place != nil {
		where = " at " + e.place.String()
	}
	yes, err := e.streams.Confirm(ctx, term.Escape(fmt.Sprintf("%s, which reaches %d namespaces%s?", what, len(v.Moves), where)))
	if err != nil {
		return fmt.Errorf("confirm %s: %w", v.Action, err)
	}
	if !yes {
		return &failure{code: codeFailed, message: "nothing was changed"}
	}
	return nil
}

// done is what a change has led to.
func done(v *rollout.Preview, reg api.Registration) string {
	what := fmt.Sprintf("apiregistration %q: ", reg.Name)
	switch v.Action {
	case rollout.Start:
		return what + "sync to " + reg.SyncID + ", for " + strings.Join(v.Canaries, ", ") + " alone until it is released or aborted"
	case rollout.Release:
		return what + "released " + reg.SyncID + " to everyone"
	case rollout.Abort:
		return what + "aborted, back to " + reg.SyncID
	case rollout.All:
	}
	return what + "sync to " + reg.SyncID
}

// goalOf says in a word what those who are waited for become.
func goalOf(v *rollout.Preview) string {
	if v.Action == rollout.Abort {
		return "back"
	}
	return "synced"
}

// previewed is a preview as a document.
type previewed struct {
	Action   rollout.Action `json:"action"`
	API      string         `json:"api"`
	SyncID   string         `json:"sync_id"`
	Becomes  string         `json:"becomes"` // "": minted by the server
	Released string         `json:"released_sync_id"`
	Moves    []string       `json:"moves"`
	Stays    []string       `json:"stays"`
	Inactive []string       `json:"inactive"`
	Notes    []string       `json:"notes"`
	Request  request        `json:"request"`
	Command  string         `json:"command"`
	Curl     string         `json:"curl"`
}

type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Body   any    `json:"body"`
}

// preview shows what a plan would do.
func (c *change) preview(e *env, engine *rollout.Engine, p rollout.Plan, at rollout.Place) error {
	v := p.Preview()
	if !c.format.given {
		if _, err := fmt.Fprint(e.streams.Out, previewText(&v, p.Command(at), engine.Curl(p, at))); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		return nil
	}
	document, err := encode(previewed{
		Action: v.Action, API: v.API, SyncID: v.Before, Becomes: v.After, Released: v.Released,
		Moves: filled(v.Moves), Stays: filled(v.Stays), Inactive: filled(v.Idle), Notes: filled(v.Notes),
		Request: request{http.MethodPut, engine.SyncPath(p.API), p.Sync()}, Command: p.Command(at), Curl: engine.Curl(p, at),
	})
	if err != nil {
		return err
	}
	return e.show(c.output, "preview", document)
}

// filled is the list, which is never null in a document.
func filled(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func previewText(v *rollout.Preview, command, curl string) string {
	page := &term.Page{}
	page.Cell("API           ", "%s", v.API)
	page.Cell("sync_id now   ", "%s", v.Before)
	becomes := v.After
	if becomes == "" {
		becomes = "a fresh one, minted by the server"
	}
	page.Cell("      then    ", "%s", becomes)
	page.Cell("moves         ", "%s", rollout.Names(v.Moves))
	page.Cell("stays         ", "%s", rollout.Names(v.Stays))
	if len(v.Idle) > 0 {
		page.Cell("not active    ", "%s", rollout.Names(v.Idle))
	}
	for _, note := range v.Notes {
		page.Cell("note          ", "%s", note)
	}
	page.Heading("The same by hand:")
	page.Verbatim("  ", command)
	page.Verbatim("  ", curl)
	page.WriteString("\nNothing was sent.\n")
	return page.String()
}
