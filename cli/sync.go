package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/server/api"
	"kayra/store/catalog"
)

// syncing brings an API's subscribers, or one of them, to a sync id.
type syncing struct {
	change

	abort, release bool
	namespace      string
}

func syncCommand(e *env) *cobra.Command {
	s := &syncing{}
	cmd := &cobra.Command{
		Use:   "sync API",
		Short: "Give an API a fresh sync id, or one namespace another sync",
		Long: "Give an API a fresh sync id, so that everyone who subscribes is reconciled: with\n" +
			"--canary only these namespaces, until `rollout release` or `rollout abort`. With\n" +
			"-n one namespace alone is reconciled again, at the sync id that there is.\n\n" +
			"While a rollout is pending, a plain sync would release it: it is refused, with\n" +
			"exit code 5, unless --release says that this is meant. At a terminal a sync of\n" +
			"more than one namespace asks first.\n\n" +
			"With --wait the exit code is 0 once all are there (with --canary, the canaries:\n" +
			"those that are held are not waited for), and 8 as soon as one ended in error.",
		Example: `  kayra sync compute.example.com --yes
  kayra sync compute.example.com --canary sre,apps --wait
  kayra sync compute.example.com --release --wait --timeout 30m
  kayra sync compute.example.com --abort
  kayra sync compute.example.com -n sre --wait`,
		Args: oneAPI("sync", &s.api, false),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.check(); err != nil {
				return err
			}
			if s.namespace != "" {
				return s.one(cmd, e)
			}
			return s.run(cmd, e, s.plan)
		},
	}
	addCanary(cmd, &s.canaries)
	cmd.Flags().BoolVar(&s.release, "release", false, "release the pending rollout to everyone, as `rollout release` does")
	cmd.Flags().BoolVar(&s.abort, "abort", false, "abort the pending rollout, as `rollout abort` does")
	cmd.Flags().StringVarP(&s.namespace, "namespace", "n", "", "reconcile this namespace alone, again")
	addChange(cmd, &s.change)
	addYes(cmd, &s.yes)
	return cmd
}

func (s *syncing) check() error {
	given := 0
	for _, is := range []bool{len(s.canaries) > 0, s.release, s.abort, s.namespace != ""} {
		if is {
			given++
		}
	}
	switch {
	case given > 1:
		return usage("use one of them", "--canary, --release, --abort and -n are four different requests")
	case s.namespace != "" && !catalog.ValidLabel(s.namespace):
		return usage("", "%q is not the name of a namespace: a DNS label", s.namespace)
	case s.namespace != "" && s.expect != "":
		return usage("", "--expect-sync-id is of no use with -n: the sync id stays")
	case s.namespace != "" && s.dryRun:
		return usage("", "--dry-run is of no use with -n: that namespace alone is reconciled again")
	}
	return s.change.check()
}

func (s *syncing) plan(state *rollout.State) (rollout.Plan, error) {
	switch {
	case len(s.canaries) > 0:
		return state.Start(s.canaries) //nolint:wrapcheck // is shown as it is
	case s.release:
		return state.Release() //nolint:wrapcheck // is shown as it is
	case s.abort:
		return state.Abort() //nolint:wrapcheck // is shown as it is
	}
	p, err := state.All()
	if changed, ok := errors.AsType[*rollout.ChangedError](err); ok {
		name := state.Registration.Name
		return p, &failure{
			code: codeConflict, message: changed.Error() + ", and a plain sync would release it", err: err,
			hint: fmt.Sprintf("`kayra sync %s --release` releases it, --abort takes it back, --canary replaces it; `kayra rollout status %s` shows it", name, name),
		}
	}
	return p, err //nolint:wrapcheck // is shown as it is
}

// one has a namespace reconciled again.
func (s *syncing) one(cmd *cobra.Command, e *env) error {
	ctx := cmd.Context()
	m, err := e.remote(cmd)
	if err != nil {
		return err
	}
	r, _, name, err := m.engine(ctx, e, s.api)
	if err != nil {
		return ofRollout(err)
	}
	defer r.Close()
	t := &target{resource: "subscriptions", name: name, namespace: s.namespace}
	before, err := r.subscription(ctx, http.MethodGet, t, nil)
	if err != nil {
		return ofRollout(err)
	}
	t.sub = "sync"
	after, err := r.subscription(ctx, http.MethodPut, t, []byte("{}"))
	if err != nil {
		return ofRollout(err)
	}
	t.sub = ""
	if !s.format.given {
		if err := e.say("subscription %q: sync to %s", term.Escape(name), term.Escape(after.ExpectedSyncID)); err != nil {
			return err
		}
	}
	if s.wait {
		w := &objects{env: e, at: &route{at: m.at, resource: "subscriptions"}, group: r.group, timeout: s.timeout, quiet: s.quiet()}
		err = w.wait(ctx, syncedAgain(before), []thing{{name: name, namespace: s.namespace}})
	}
	if s.format.given && ctx.Err() == nil {
		answer, again := r.Do(ctx, http.MethodGet, t.path(r.group), nil)
		if again == nil {
			again = e.show(s.output, "subscriptions", answer)
		}
		if err == nil {
			err = ofRollout(again)
		}
	}
	return err
}

func (r *rolling) subscription(ctx context.Context, method string, t *target, body []byte) (api.Subscription, error) {
	var sub api.Subscription
	answer, err := r.Do(ctx, method, t.path(r.group), body)
	if err != nil {
		return sub, err
	}
	if err := json.Unmarshal(answer, &sub); err != nil {
		return sub, fmt.Errorf("read subscription: %w", err)
	}
	return sub, nil
}
