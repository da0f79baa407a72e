package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"kayra/cli/contexts"
	"kayra/cli/feed"
	"kayra/config"
	"kayra/rollout"
	"kayra/tui"
	"kayra/tui/fleet"
)

// dashboard is the connection that the dashboard has. It writes nothing to the terminal, which is the dashboard's.
type dashboard struct {
	env    *env
	remote *remote
	place  rollout.Place // of the commands that are shown
	feed   *feed.Feed

	mu     sync.Mutex
	engine *rollout.Engine // nil: not made yet
}

// dashboard makes one by way of a place. The namespace is the one whose subscriptions are shown where not all may be.
func (e *env) dashboard(m *remote, at rollout.Place, namespace string) *dashboard {
	d := &dashboard{env: e, remote: m, place: at}
	d.feed = feed.New(feed.Options{Server: m.at, Open: m.openReconciler, Explain: d.explain, Namespace: namespace, Now: e.now})
	return d
}

// connection is what there is to say of it without asking anybody.
func (d *dashboard) connection() tui.Connection {
	all, err := d.env.quietContexts()
	if err != nil { // there is nothing to switch to
		all = &contexts.Contexts{}
	}
	p := d.remote.place
	label := p.labelOf(all)
	return tui.Connection{
		Client: d, Context: p.context, Server: p.server, Contexts: slices.Sorted(slices.Values(all.Names())),
		Label: label, Production: contexts.Production(label), Place: d.place,
	}
}

// labelOf is what the context is marked with, or any other one of the same server.
func (p *place) labelOf(all *contexts.Contexts) string {
	if p.label != "" {
		return p.label
	}
	for _, x := range all.All {
		if x.Label != "" && contexts.Normal(x.Server) == contexts.Normal(p.server) {
			return x.Label
		}
	}
	return ""
}

// quietContexts are the contexts, of whose file nothing is said.
func (e *env) quietContexts() (*contexts.Contexts, error) {
	path, err := contexts.Place(e.lookup)
	if err != nil {
		return nil, err //nolint:wrapcheck // says it all
	}
	return contexts.File{Path: path, Warn: func(string) {}}.Read() //nolint:wrapcheck // says which file
}

// Follow implements [tui.Client].
func (d *dashboard) Follow(ctx context.Context, out chan<- []fleet.Update, now <-chan struct{}) error {
	return d.feed.Follow(ctx, out, now) //nolint:wrapcheck // says what it was
}

// Detail implements [tui.Client].
func (d *dashboard) Detail(ctx context.Context, api, namespace string) (fleet.Update, error) {
	detail := d.feed.Detail(ctx, api, namespace)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("ask about a subscription: %w", context.Cause(ctx))
	}
	return detail, nil
}

// Act implements [tui.Client].
func (d *dashboard) Act(ctx context.Context, a tui.Action) error {
	err := d.act(ctx, a)
	if err != nil && ctx.Err() == nil {
		return errors.New(d.explain(err))
	}
	return err
}

func (d *dashboard) act(ctx context.Context, a tui.Action) error {
	groups, err := d.remote.groups(ctx)
	if err != nil {
		return err
	}
	own, err := findGroup(groups, "catalog")
	if err != nil {
		return err
	}
	t, body := &target{resource: "apiregistrations", name: a.API}, "{}"
	switch a.Verb {
	case tui.Resync:
		t.resource, t.namespace, t.sub = "subscriptions", a.Namespace, "sync"
	case tui.Pause:
		body = `{"paused": true}`
	case tui.Resume:
		body = `{"paused": false}`
	default:
		return fmt.Errorf("%q is nothing that can be done", a.Verb)
	}
	_, err = d.remote.at.Do(ctx, http.MethodPut, t.path(own.Name), []byte(body))
	return err //nolint:wrapcheck // is explained
}

// Rollouts implements [tui.Client].
func (d *dashboard) Rollouts(ctx context.Context) (*rollout.Engine, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.engine == nil {
		_, engine, _, err := d.remote.engine(ctx, d.env, "")
		if err != nil {
			return nil, errors.New(d.explain(err))
		}
		d.engine = engine
	}
	return d.engine, nil
}

// Switch implements [tui.Client].
func (d *dashboard) Switch(_ context.Context, name string) (tui.Connection, error) {
	c, _, err := config.Load(d.env.configOptions()) // flags were about another place
	if err != nil {
		return tui.Connection{}, err //nolint:wrapcheck // says it all
	}
	w := &chooser{config: c, flag: name, read: d.env.quietContexts, warn: func(string, ...any) {}}
	p, err := w.place()
	if err != nil {
		return tui.Connection{}, errors.New(d.explain(err))
	}
	m, err := d.env.dial(p, c.Client.Timeout)
	if err != nil {
		return tui.Connection{}, errors.New(d.explain(err))
	}
	at := rollout.Place{Program: d.place.Program, Flags: []string{"--" + contextFlag, name}, Server: p.server}
	return d.env.dashboard(m, at, d.feed.Namespace).connection(), nil
}

// explain is an error as the person at the dashboard is to read it: what is wrong and, where it is about who asks, what helps.
func (d *dashboard) explain(err error) string {
	f := meaningOf(err, d.remote.place)
	text := f.message
	if f.hint != "" && (f.code == codeDenied || f.code == codeUsage || f.code == codeNotFound) {
		text += "; " + f.hint
	}
	return masked(text, d.remote.secret)
}
