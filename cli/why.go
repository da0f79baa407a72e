package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/why"
	"kayra/server/api"
	"kayra/server/client"
	"kayra/store/catalog"
)

// asking tells why a namespace is not synced to an API.
type asking struct {
	output

	api, namespace string
}

func whyCommand(e *env) *cobra.Command {
	a := &asking{}
	cmd := &cobra.Command{
		Use:   "why API -n NS",
		Short: "Tell why a namespace is not synced to an API, and what would help",
		Long: "Tell why a namespace is not synced to an API: the gates on the way, in the order\n" +
			"in which they are decided about, the first that is shut, what shows that it is,\n" +
			"and what would open it. API is a short or a long name.\n\n" +
			"It takes the right to get the subscription. A sysadmin is told more: what the\n" +
			"API registration says and, where a reconciler can be asked over HTTPS or on this\n" +
			"machine, what that one knows beyond the server. A context's token is sent there\n" +
			"only if `login --reconcilers` has allowed it.\n\n" +
			"The exit code is 0 if the namespace is synced, 8 if its last sync ended in\n" +
			"error, 4 if there is no such registration, namespace or subscription, and 1 if\n" +
			"it waits, is held, paused or queued, or if an attempt runs.",
		Example: `  kayra why compute.example.com -n sre
  kayra why compute -n sre -o json | jq -r '.open[].run // empty'
  until kayra why compute -n sre; do sleep 5; done`,
		Args: a.readArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := e.remote(cmd)
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), e, m)
		},
	}
	cmd.Flags().StringVarP(&a.namespace, "namespace", "n", "", "namespace that is not synced")
	addDocument(cmd, &a.output)
	addClient(cmd)
	return cmd
}

func (a *asking) readArgs(_ *cobra.Command, args []string) error {
	const form = "the form is API -n NS, such as compute.example.com -n sre"
	switch {
	case len(args) == 0 || args[0] == "":
		return usage(form, "which API?")
	case len(args) > 1:
		return usage(form, "why takes one API, and %q is one more", args[1])
	case a.namespace == "":
		return usage(form, "which namespace? None is given with -n")
	case !catalog.ValidLongName(args[0]) && !catalog.ValidLabel(args[0]):
		return usage(form, "%q is not the name of an API: neither a long one, such as compute.example.com, nor a short one", args[0])
	case !catalog.ValidLabel(a.namespace):
		return usage(form, "%q is not the name of a namespace: a DNS label", a.namespace)
	}
	a.api = args[0]
	return nil
}

func (a *asking) run(ctx context.Context, e *env, m *remote) error {
	facts, err := m.whyFacts(ctx, a.api, a.namespace)
	if err != nil {
		return err
	}
	answer := why.New(*facts)
	if err := a.show(e, answer); err != nil {
		return err
	}
	switch {
	case answer.Missing != why.Nothing:
		return &failure{code: codeNotFound, silent: true, message: answer.Because}
	case answer.Failed:
		return &failure{code: codeSyncFailed, silent: true, message: answer.Because}
	case !answer.Synced:
		return &failure{code: codeFailed, silent: true, message: answer.Because}
	}
	return nil
}

func (a *asking) show(e *env, answer *why.Answer) error {
	if !a.format.given {
		if _, err := fmt.Fprint(e.streams.Out, answer.Text()); err != nil {
			return fmt.Errorf("write output: %w", err)
		}
		return nil
	}
	document, err := encode(answer)
	if err != nil {
		return err
	}
	return e.show(a.output, "why", document)
}

// whyFacts asks the server for all that the caller may know.
func (m *remote) whyFacts(ctx context.Context, name, namespace string) (*why.Facts, error) {
	groups, err := m.groups(ctx)
	if err != nil {
		return nil, err
	}
	own, err := findGroup(groups, "catalog")
	if err != nil {
		return nil, err
	}
	f := &why.Facts{API: name, Namespace: namespace}
	known, err := findGroup(groups, name)
	switch {
	case err != nil && !strings.Contains(name, "."):
		return nil, err // a short name of nothing
	case err != nil:
		f.Missing, f.Meant = why.Registration, near(name, groups)
	case known.Builtin:
		return nil, &failure{code: codeNotFound, message: known.Name + " is Kayra's own, and nobody is synced to it", hint: "`kayra apis` lists those there are"}
	default:
		f.API = known.Name
	}
	c := &inquiry{remote: m, group: own.Name, facts: f}
	return f, c.make(ctx)
}

// near names the API that was probably meant, or none.
func near(name string, groups []api.Group) string {
	names := &cobra.Command{SuggestionsMinimumDistance: nearby}
	for _, g := range groups {
		if !g.Builtin {
			names.AddCommand(&cobra.Command{Use: g.Name, Run: func(*cobra.Command, []string) {}})
		}
	}
	if found := names.SuggestionsFor(name); len(found) > 0 {
		return found[0]
	}
	return ""
}

// inquiry collects facts.
type inquiry struct {
	*remote

	group string // Kayra's own
	facts *why.Facts
}

func (q *inquiry) make(ctx context.Context) error {
	f := q.facts
	reg := &api.Registration{}
	switch err := q.read(ctx, &target{resource: "apiregistrations", name: f.API}, reg); {
	case err == nil:
		f.Registration, f.Missing = reg, why.Nothing
	case errors.Is(err, catalog.ErrNotFound):
		f.Missing = why.Registration
	case !isForbidden(err):
		return err
	}
	if f.Missing != why.Nothing {
		return nil
	}
	sub := &api.Subscription{}
	err := q.read(ctx, &target{resource: "subscriptions", name: f.API, namespace: f.Namespace}, sub)
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		return q.missing(ctx)
	case err != nil:
		return err
	}
	f.Subscription = sub
	if f.Registration == nil || sub.Reason == catalog.ReasonSynced {
		return nil
	}
	var alive api.List[api.Reconciler]
	if err := q.read(ctx, &target{resource: "reconcilers"}, &alive); err != nil {
		return err
	}
	f.Reconcilers = append([]api.Reconciler{}, alive.Items...)
	f.Detail = q.detail(ctx, alive.Items)
	return nil
}

// missing finds out whether it is the namespace that is not there.
func (q *inquiry) missing(ctx context.Context) error {
	q.facts.Missing = why.Subscription
	err := q.read(ctx, &target{resource: "namespaces", name: q.facts.Namespace}, &api.Namespace{})
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		q.facts.Missing = why.Namespace
	case err != nil && !isForbidden(err):
		return err
	}
	return nil
}

func (q *inquiry) read(ctx context.Context, t *target, into any) error {
	answer, err := q.at.Do(ctx, http.MethodGet, t.path(q.group), nil)
	if err != nil {
		return err //nolint:wrapcheck // is shown as it is
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return fmt.Errorf("read %s: %w", t.resource, err)
	}
	return nil
}

func isForbidden(err error) bool {
	refused, ok := errors.AsType[*client.Error](err)
	return ok && refused.Status == forbidden
}
