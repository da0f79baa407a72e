package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli/term"
	"kayra/rollout"
)

// wait waits for things to become what they are to be.
type wait struct {
	target
	output

	names   []string
	every   bool
	want    string // of --for
	timeout time.Duration
}

func waitCommand(e *env) *cobra.Command {
	w := &wait{}
	cmd := &cobra.Command{
		Use:   "wait GROUP [-n NS] RESOURCE (NAME… | --all) --for=CONDITION",
		Short: "Wait until things are synced, active, gone, or have a value",
		Long: "Wait until all that is named is as --for has it:\n\n" +
			"  synced     of subscriptions; of an API registration, that all of its\n" +
			"             subscriptions are at its sync id, whichever that is by then\n" +
			"  active     of namespaces, subscriptions and API registrations\n" +
			"  delete     it is gone, or was not there\n" +
			"  jsonpath='{.field}'=value\n" +
			"             the field has the value; without =value, it is there\n\n" +
			"What is so already is not waited for. While a rollout is pending, those that it\n" +
			"holds are waited for, too, until somebody releases or aborts it: that it is\n" +
			"pending is said. `rollout status --wait` waits for its canaries alone.\n\n" +
			"It ends at once with exit code 8 when a sync has ended in error at the sync id\n" +
			"that is waited for and is not tried again by itself; an error of an earlier sync\n" +
			"id is none. 4: it is not there, or is deleted meanwhile. 7: time is up.",
		Example: `  kayra wait catalog apiregistrations compute.example.com --for=synced
  kayra wait catalog -n sre subscriptions compute.example.com --for=active --timeout 1m
  kayra wait catalog -n sre subscriptions --all --for=synced -o json
  kayra wait catalog namespaces sre apps --for=active
  kayra wait catalog apiregistrations compute.example.com --for=jsonpath='{.paused}'=false`,
		Args: func(_ *cobra.Command, args []string) error { return w.readArgs(args) },
		RunE: func(cmd *cobra.Command, _ []string) error { return w.run(cmd, e) },
	}
	addTarget(cmd, &w.target)
	cmd.Flags().BoolVar(&w.every, "all", false, "all that there are now, of the namespace or of all namespaces")
	cmd.Flags().StringVar(&w.want, "for", "", "synced, active, delete or jsonpath='{.field}'=value")
	cmd.Flags().DurationVar(&w.timeout, "timeout", defaultWait, "how long to wait")
	addOutput(cmd, &w.output)
	addClientAs(cmd, requestTimeout)
	return cmd
}

func (w *wait) readArgs(args []string) error {
	const form = "the form is GROUP [-n NS] RESOURCE NAME…, or --all; `kayra apis` lists groups and resources"
	if len(args) < 2 { //nolint:mnd // the group and the resource
		return usage(form, "which group, and which resource?")
	}
	w.group, w.resource, w.names = args[0], args[1], slices.Compact(slices.Sorted(slices.Values(args[2:])))
	switch {
	case w.every && len(w.names) > 0:
		return usage("use either", "--all means all, and %q is one", w.names[0])
	case !w.every && len(w.names) == 0:
		return usage(form, "which of the %s?", w.resource)
	}
	for _, name := range w.names {
		w.name = name
		if err := w.check(); err != nil {
			return err
		}
		if name == "" || strings.Contains(name, "/") {
			return usage(form, "%q is not a name", name)
		}
	}
	w.lists = w.every
	if err := checkWait(w.timeout); err != nil {
		return err
	}
	_, err := parseCondition(w.want)
	return err
}

func (w *wait) run(cmd *cobra.Command, e *env) error {
	ctx := cmd.Context()
	m, err := e.remote(cmd)
	if err != nil {
		return err
	}
	bound, cancel := context.WithTimeout(ctx, w.timeout) // a server that hangs takes no longer than what is waited for
	defer cancel()
	at, err := m.resolve(bound, &w.target)
	if err != nil {
		return unanswered(ctx, bound, w.timeout, err)
	}
	c, err := parseCondition(w.want)
	if err != nil {
		return err
	}
	if w.want == "synced" && (at.app != "" || w.resource != "apiregistrations" && w.resource != "subscriptions") {
		return usage("wait for jsonpath='{.field}'=value instead", "%s are never synced: subscriptions and API registrations are", w.resource)
	}
	things, err := w.things(bound, at, c)
	if err != nil {
		return unanswered(ctx, bound, w.timeout, err)
	}
	if w.want == "synced" && w.resource == "apiregistrations" {
		err = w.registrations(ctx, e, m, things)
	} else {
		o := &objects{env: e, at: at, group: groupOf(at.path), timeout: w.timeout, quiet: w.quiet()}
		err = o.wait(ctx, c, things)
	}
	if ctx.Err() != nil {
		return err
	}
	return w.show(ctx, e, at, c, things, err)
}

// unanswered is what an error means that may come of the end of the time to wait.
func unanswered(ctx, bound context.Context, timeout time.Duration, err error) error {
	if ctx.Err() == nil && bound.Err() != nil {
		return &failure{code: codeTimeout, message: fmt.Sprintf("timed out after %s: %v", timeout, err), hint: "--timeout allows for more", err: err}
	}
	return ofRollout(err)
}

// groupOf is the API in a path.
func groupOf(path string) string { return strings.Split(path, "/")[2] }

// things are those that are waited for.
func (w *wait) things(ctx context.Context, at *route, c condition) ([]thing, error) {
	if !w.every {
		things := make([]thing, len(w.names))
		for i, name := range w.names {
			things[i] = thing{w.namespace, name}
		}
		return things, nil
	}
	list, err := (&get{}).list(ctx, at)
	if err != nil {
		return nil, err
	}
	var page struct {
		Items []struct{ Namespace, Name, API string }
	}
	if err := json.Unmarshal(list, &page); err != nil {
		return nil, fmt.Errorf("read list: %w", err)
	}
	if len(page.Items) == 0 && c.word != "deleted" {
		return nil, &failure{code: codeNotFound, message: fmt.Sprintf("there are no %s that could be waited for", w.resource)}
	}
	var things []thing
	for _, is := range page.Items {
		one := thing{w.namespace, is.Name}
		if at.everywhere {
			one.namespace = is.Namespace
		}
		if one.name == "" {
			one.name = is.API
		}
		things = append(things, one)
	}
	return things, nil
}

// registrations waits until everyone is at the target of each.
func (w *wait) registrations(ctx context.Context, e *env, m *remote, things []thing) error {
	waitCtx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	r, engine, _, err := m.engine(waitCtx, e, "")
	if err != nil {
		return err
	}
	defer r.Close()
	for _, t := range things { // what is not there, or cannot be asked for, is said at once
		if _, err := engine.Registration(waitCtx, t.name); err != nil {
			return unanswered(ctx, waitCtx, w.timeout, err)
		}
	}
	waits := &waiting{env: e, timeout: w.timeout, goal: "synced", quiet: w.quiet()}
	report := newReport(e, waits.goal, waits.quiet)
	stop := report.beats(waitCtx)
	progress, errs := make([]rollout.Progress, len(things)), make([]error, len(things))
	var all sync.WaitGroup
	for i, t := range things {
		all.Go(func() {
			progress[i], errs[i] = waits.follow(waitCtx, engine, rollout.Everyone(t.name), report)
			if errs[i] != nil || progress[i].Verdict != rollout.Reached {
				cancel()
			}
		})
	}
	all.Wait()
	stop()
	report.end()
	return waits.worst(ctx, things, progress, errs)
}

// worst is the failure of the first that has ended otherwise than it should, or nil. Those that were cut off by it come last.
func (w *waiting) worst(ctx context.Context, things []thing, progress []rollout.Progress, errs []error) error {
	var cut error
	for i, t := range things {
		err := w.verdict(ctx, rollout.Everyone(t.name), &progress[i], errs[i])
		switch {
		case err == nil:
		case isCancelled(errs[i]):
			cut = err
		default:
			return err
		}
	}
	return cut
}

// show shows what was waited for. A failure comes first, but what is there is shown, too, to those who have asked for it.
func (w *wait) show(ctx context.Context, e *env, at *route, c condition, things []thing, failed error) error {
	if !w.format.given {
		if failed != nil {
			return failed
		}
		return w.say(e, c, things)
	}
	var items []json.RawMessage
	for _, t := range things {
		one := *at
		one.path = (&objects{at: at, group: groupOf(at.path)}).pathOf(t)
		if object, err := one.call(ctx, http.MethodGet, "", nil); err == nil {
			items = append(items, object)
		}
	}
	document, err := encode(page{Items: items})
	if len(things) == 1 && !w.every && len(items) == 1 {
		document = items[0]
	}
	if c.word == "deleted" && failed == nil {
		document, err = encode(map[string]any{"resource": w.resource, "names": w.names, "namespace": w.namespace, "deleted": true})
	}
	if err == nil && (failed == nil || len(items) > 0) {
		err = e.show(w.output, at.resource, document)
	}
	if failed != nil {
		return failed
	}
	return err
}

func (w *wait) say(e *env, c condition, things []thing) error {
	for _, t := range things {
		line := fmt.Sprintf("%s %q %s", singular(w.resource), t.name, c.word)
		if t.namespace != "" {
			line = fmt.Sprintf("%s %q of %s %s", singular(w.resource), t.name, t.namespace, c.word)
		}
		if err := e.say("%s", term.Escape(line)); err != nil {
			return err
		}
	}
	return nil
}
