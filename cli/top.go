package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"kayra/store/catalog"
)

// top shows a deployment as it moves, or once.
type top struct {
	output

	api       string // a long or a short name; "": all of them
	namespace string
	once      bool
	readOnly  bool
	ascii     bool
}

func topCommand(e *env) *cobra.Command {
	t := &top{}
	cmd := &cobra.Command{
		Use:   "top [API] [-n NS]",
		Short: "Watch APIs and their tenants on a dashboard, and act on them",
		Long: "Watch APIs and their tenants on a dashboard: how each API is doing, how far its\n" +
			"tenants are, who works on it, and what waits; one API with its tenants; one\n" +
			"tenant with its run, its steps and its events; reconcilers and dependencies.\n" +
			"Keys sync, roll out, release, abort and pause, each after a question. ? lists\n" +
			"them.\n\n" +
			"API, or --api, and -n open a view at once. Without the right to see the\n" +
			"subscriptions of all namespaces, -n says whose are shown; what only sysadmins\n" +
			"may see is left out then. What reconcilers know is asked of them over HTTPS or\n" +
			"on this machine, with a context's token only if `login --reconcilers` has\n" +
			"allowed it.\n\n" +
			"--once prints what there is once, as a table, or with -o json or yaml as an\n" +
			"object: context, server, at; items, which are APIs, or with API its\n" +
			"subscriptions as `get` shows them; of an API (in items, or in api) name,\n" +
			"sync_id, released_sync_id, canary_namespaces, paused, health, health_reason,\n" +
			"subscribed, active, synced, failing, held, running, waiting,\n" +
			"paused_subscriptions, workers and workers_busy (null where not all reconcilers\n" +
			"tell), queue, denied and blocked (writes that were refused); reconcilers, each\n" +
			"with id, host, version, konductor, workers_busy, queue and problem; and\n" +
			"problems, each with source, trouble and problem.",
		Example: `  kayra top
  kayra top compute.example.com
  kayra top compute -n sre --read-only
  kayra top --context prod --theme light
  kayra top --once
  kayra top --once -o json | jq '.items[] | {name, health, synced}'`,
		Args: t.readArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd, e) },
	}
	cmd.Flags().StringVar(&t.api, "api", "", "API whose tenants are shown, by its long or its short name")
	cmd.Flags().StringVarP(&t.namespace, "namespace", "n", "", "namespace whose subscription is shown")
	cmd.Flags().BoolVar(&t.once, "once", false, "print what there is once, also where there is no terminal")
	cmd.Flags().BoolVar(&t.readOnly, "read-only", false, "show only: no key does anything to the deployment")
	cmd.Flags().BoolVar(&t.ascii, "ascii", false, "draw with ASCII alone, whatever the locale says")
	bind(cmd.Flags(), "theme", "client.theme", "auto, dark, light, mono or contrast (default auto)")
	addOutput(cmd, &t.output)
	addClient(cmd)
	return cmd
}

func (t *top) readArgs(_ *cobra.Command, args []string) error {
	const form = "the form is [API] [-n NS], such as compute.example.com -n sre"
	switch {
	case len(args) > 1:
		return usage(form, "top takes one API, and %q is one more", args[1])
	case len(args) == 1 && t.api != "" && t.api != args[0]:
		return usage(form, "which API: %q or %q?", args[0], t.api)
	case len(args) == 1:
		t.api = args[0]
	}
	switch {
	case t.api != "" && !catalog.ValidLongName(t.api) && !catalog.ValidLabel(t.api):
		return usage(form, "%q is not the name of an API: neither a long one, such as compute.example.com, nor a short one", t.api)
	case t.namespace != "" && !catalog.ValidLabel(t.namespace):
		return usage(form, "%q is not the name of a namespace: a DNS label", t.namespace)
	case t.given() && !t.once:
		return usage("with --once it prints what there is", "-o says how something is printed, and the dashboard prints nothing")
	}
	return nil
}

// given tells whether there is anything about printing.
func (t *top) given() bool { return t.format.given || t.noHeaders }

func (t *top) run(cmd *cobra.Command, e *env) error {
	if !t.once {
		if err := e.needTerminal(); err != nil {
			return err
		}
	}
	c, err := e.config(cmd)
	if err != nil {
		return err
	}
	m, err := e.remoteOf(cmd, c)
	if err != nil {
		return err
	}
	d := e.dashboard(m, e.placeOf(cmd, m), t.namespace)
	if t.once {
		return t.print(cmd.Context(), e, d)
	}
	defer m.at.Close()
	name, err := t.longName(cmd.Context(), m)
	if err != nil {
		return err
	}
	return t.show(cmd.Context(), e, c, d.connection(), name)
}

// longName is that of the API that is shown at once. A long one is taken as it is: the server need not be there.
func (t *top) longName(ctx context.Context, m *remote) (string, error) {
	if t.api == "" || strings.Contains(t.api, ".") {
		return t.api, nil
	}
	groups, err := m.groups(ctx)
	if err != nil {
		return "", err
	}
	known, err := findGroup(groups, t.api)
	if err != nil {
		return "", err
	}
	if known.Builtin {
		return "", &failure{code: codeNotFound, message: known.Name + " is Kayra's own, and nobody is synced to it", hint: "`kayra apis` lists those there are"}
	}
	return known.Name, nil
}
