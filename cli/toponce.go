package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"kayra/cli/printer"
	"kayra/cli/term"
	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

// print prints what there is once.
func (t *top) print(ctx context.Context, e *env, d *dashboard) error {
	bound, cancel := context.WithTimeout(ctx, d.remote.timeout)
	defer cancel()
	updates, err := d.feed.Once(bound)
	switch {
	case ctx.Err() == nil && bound.Err() != nil:
		return &failure{
			code: codeTimeout, message: fmt.Sprintf("not all has been told within %s by %s", d.remote.timeout, d.remote.server),
			hint: "--timeout allows for more", err: err,
		}
	case err != nil:
		return err //nolint:wrapcheck // is explained
	}
	f := &fleet.Fleet{}
	f.Apply(updates...)
	doc := onceDocument{Context: d.remote.context, Server: d.remote.server, At: e.now().UTC().Truncate(time.Second), Problems: problemsOf(f)}
	if t.api == "" {
		doc.Items, doc.Reconcilers = onceAPIs(f), onceReconcilers(f)
		resource := "top"
		if t.format.format == printer.Name {
			resource = "apiregistrations" // as which it can be asked for
		}
		return t.showOnce(e, resource, doc)
	}
	a := findAPI(f, t.api)
	if a == nil {
		return noSuchAPI(f, t.api)
	}
	rows := fleet.NewRows(nil, func(s *fleet.Subscription) bool { return t.namespace == "" || s.Namespace == t.namespace }).Of(f, a.Name)
	items := make([]api.Subscription, len(rows))
	for i, s := range rows {
		items[i] = s.Subscription
	}
	if len(items) == 0 && t.namespace != "" {
		return &failure{code: codeNotFound, message: fmt.Sprintf("namespace %q does not subscribe to %s, or you may not see it", t.namespace, a.Name)}
	}
	one := newOnceAPI(a)
	doc.API, doc.Items = &one, items
	return t.showOnce(e, "subscriptions", doc)
}

// showOnce prints a document. What there is to say of it is part of it, or is told beside a table.
func (t *top) showOnce(e *env, resource string, doc onceDocument) error {
	document, err := encode(doc)
	if err != nil {
		return err
	}
	if err := e.show(t.output, resource, document); err != nil {
		return err
	}
	if t.format.format == printer.Table || t.format.format == printer.Wide {
		for _, p := range doc.Problems {
			e.tell("note: %s: %s", term.Escape(p.Source), term.Escape(p.Problem))
		}
	}
	return nil
}

// findAPI finds one by its long or its short name.
func findAPI(f *fleet.Fleet, name string) *fleet.API {
	if a := f.API(name); a != nil {
		return a
	}
	i := slices.IndexFunc(f.APIs(), func(a *fleet.API) bool { return a.ShortName == name })
	if i < 0 {
		return nil
	}
	return f.APIs()[i]
}

func noSuchAPI(f *fleet.Fleet, name string) error {
	var names []string
	for _, a := range f.APIs() {
		names = append(names, a.Name)
		if a.ShortName != "" {
			names = append(names, a.ShortName)
		}
	}
	return unknown(name, names, fmt.Sprintf("there is no API %q, or you may not see it", name), "`kayra top --once` lists those there are")
}

// onceDocument is what --once prints.
type onceDocument struct {
	Context     string           `json:"context"`
	Server      string           `json:"server"`
	At          time.Time        `json:"at"`
	API         *onceAPI         `json:"api,omitempty"` // whose subscriptions Items are
	Items       any              `json:"items"`
	Reconcilers []onceReconciler `json:"reconcilers,omitempty"`
	Problems    []onceProblem    `json:"problems"`
}

// onceAPI is an API as it stands.
type onceAPI struct {
	Name             string              `json:"name"`
	SyncID           string              `json:"sync_id"`
	ReleasedSyncID   string              `json:"released_sync_id"`
	CanaryNamespaces []string            `json:"canary_namespaces"`
	Paused           bool                `json:"paused"`
	Health           catalog.HealthState `json:"health"` // "": nobody has told
	HealthReason     string              `json:"health_reason"`

	Subscribed          int `json:"subscribed"`
	Active              int `json:"active"`
	Synced              int `json:"synced"`
	Failing             int `json:"failing"`
	Held                int `json:"held"`
	Running             int `json:"running"`
	Waiting             int `json:"waiting"`
	PausedSubscriptions int `json:"paused_subscriptions"`

	Workers     *int  `json:"workers"` // null: not all reconcilers tell
	WorkersBusy *int  `json:"workers_busy"`
	Queue       int   `json:"queue"`
	Denied      int64 `json:"denied"`
	Blocked     int64 `json:"blocked"`
}

func newOnceAPI(a *fleet.API) onceAPI {
	o := onceAPI{
		Name: a.Name, SyncID: a.SyncID, ReleasedSyncID: a.ReleasedSyncID, CanaryNamespaces: a.CanaryNamespaces, Paused: a.Paused,
		Health: a.State, HealthReason: a.Because, Queue: a.Queue,
		Subscribed: a.Counts.Subscribed, Active: a.Counts.Active, Synced: a.Counts.Synced, Failing: a.Counts.Failing, Held: a.Counts.Held,
		Running: a.Counts.Running, Waiting: a.Counts.Waiting, PausedSubscriptions: a.Counts.Paused,
	}
	if o.CanaryNamespaces == nil {
		o.CanaryNamespaces = []string{}
	}
	if a.Known() {
		o.Workers, o.WorkersBusy = &a.Workers, &a.Busy
	}
	if a.Writes != nil {
		o.Denied = a.Writes.Admission.ValidationDenied
		o.Blocked = a.Writes.DeletionProtection.Blocked + a.Writes.NamespaceProtection.Blocked
	}
	return o
}

func onceAPIs(f *fleet.Fleet) []onceAPI {
	all := make([]onceAPI, len(f.APIs()))
	for i, a := range f.APIs() {
		all[i] = newOnceAPI(a)
	}
	return all
}

// onceReconciler is a reconciler process as it stands.
type onceReconciler struct {
	ID        string `json:"id"`
	Host      string `json:"host"`
	Version   string `json:"version"`
	Konductor bool   `json:"konductor"`
	Busy      *int   `json:"workers_busy"` // null: it does not tell
	Queue     int    `json:"queue"`
	Problem   string `json:"problem"` // why it does not tell; "": it does
}

func onceReconcilers(f *fleet.Fleet) []onceReconciler {
	all := make([]onceReconciler, 0, len(f.Reconcilers()))
	for _, r := range f.Reconcilers() {
		o := onceReconciler{ID: r.ID, Host: r.Host, Version: r.Version, Konductor: r.Konductor, Problem: r.Problem}
		busy := 0
		switch {
		case r.Katalog != nil:
			o.Busy = &busy
			for i := range r.Katalog.CRDs {
				busy += int(r.Katalog.CRDs[i].WorkersProcessing)
				o.Queue += r.Katalog.CRDs[i].QueueDepth
			}
		default:
			for _, q := range r.Queues {
				o.Queue += q.Waiting
			}
		}
		all = append(all, o)
	}
	return all
}

// onceProblem is what could not be had, and why.
type onceProblem struct {
	Source  string `json:"source"`  // the name of a [fleet.Source], or "reconciler ID"
	Trouble string `json:"trouble"` // a [fleet.Trouble], or "untold" of a reconciler
	Problem string `json:"problem"`
}

func problemsOf(f *fleet.Fleet) []onceProblem {
	all := []onceProblem{}
	for _, s := range f.Sources() {
		if s.Trouble != fleet.Fine {
			all = append(all, onceProblem{s.Name, string(s.Trouble), s.Problem})
		}
	}
	for _, r := range f.Reconcilers() {
		if r.Problem != "" {
			all = append(all, onceProblem{"reconciler " + r.ID, "untold", r.Problem})
		}
	}
	return all
}
