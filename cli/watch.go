package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"kayra/cli/printer"
	"kayra/cli/term"
	"kayra/server/client"
)

// view shows what is watched.
type view interface {
	// begin shows what there is at first. head is what is said of all of them together, or empty.
	begin(all []json.RawMessage, head []byte) error
	// change shows what has happened to one of them.
	change(event client.EventType, thing json.RawMessage) error
	// settle has another head.
	settle(head []byte) error
	// aside has a line for the person at the terminal written beside what is shown.
	aside(tell func())
}

// follow shows what is asked for as it changes, until ctx ends.
func (g *get) follow(ctx context.Context, e *env, r *route) error {
	path := r.path
	if g.name != "" && g.sub == "" {
		if _, err := r.call(ctx, http.MethodGet, "", nil); err != nil {
			return err
		}
		path = r.list
	}
	if query := g.sent(r); len(query) > 0 {
		path += "?" + query.Encode()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watching{get: g, env: e, of: r.resource, end: cancel, known: map[string]json.RawMessage{}}
	var drawn func() error
	w.view, drawn = g.view(ctx, e, r.resource, cancel)
	err := r.at.Follow(ctx, path, w, nil)
	cancel(nil)
	if shown := drawn(); shown != nil {
		return shown
	}
	if w.failed != nil {
		err = w.failed
	}
	return r.failed(err, http.MethodGet, path)
}

// view is how the format that was asked for shows what changes. drawn waits until it has ended, and gives why it has failed.
func (g *get) view(ctx context.Context, e *env, resource string, cancel context.CancelCauseFunc) (v view, drawn func() error) {
	p := e.printer(g.output)
	switch g.format.format {
	case printer.JSON, printer.YAML, printer.Name, printer.JSONPath, printer.GoTemplate:
		return &records{printer: p, resource: resource}, func() error { return nil }
	case printer.Table, printer.Wide, printer.CustomColumns:
	}
	if !e.streams.Redraws {
		return &appended{printer: p, resource: resource, series: printer.NewSeries(resource)}, func() error { return nil }
	}
	s := newScreen(e, g, resource)
	done := make(chan error, 1)
	go func() {
		err := s.run(ctx)
		cancel(err)
		done <- err
	}()
	return s, func() error { return <-done }
}

// watching is a [client.Follower] that has a view show what it hears of.
type watching struct {
	*get

	env    *env
	of     string // the resource, as the printer knows it
	view   view
	end    context.CancelCauseFunc
	failed error // why it was ended; nil: it was not

	known   map[string]json.RawMessage // what is shown, by identity
	order   []string                   // of what there was at first
	seen    map[string]bool            // since a reset; nil: there was none
	begun   bool                       // what there was at first has been shown
	offline bool
}

// stop ends following, with what could not be done.
func (w *watching) stop(err error) {
	if w.failed == nil && err != nil {
		w.failed = err
		w.end(err)
	}
}

// Reset implements [client.Follower]. What is told again and has not changed is not shown again.
func (w *watching) Reset() {
	w.seen = map[string]bool{}
	if !w.begun {
		clear(w.known)
		w.order = nil
	}
}

// Apply implements [client.Follower].
func (w *watching) Apply(e client.Event) error {
	id := client.Identity(e.Data)
	before, known := w.known[id]
	meant := e.Type != client.Deleted && w.means(e.Data)
	if w.seen != nil {
		w.seen[id] = true
	}
	switch {
	case meant && known && slices.Equal(before, e.Data), !meant && !known:
		return nil
	case !meant:
		delete(w.known, id)
		return w.show(client.Deleted, e.Data)
	case !known:
		w.order = append(w.order, id)
	}
	w.known[id] = e.Data
	if known {
		return w.show(client.Modified, e.Data)
	}
	return w.show(client.Added, e.Data)
}

func (w *watching) show(event client.EventType, thing json.RawMessage) error {
	if !w.begun {
		return nil
	}
	return w.view.change(event, thing)
}

// means tells whether a thing is to be shown.
func (w *watching) means(thing json.RawMessage) bool {
	if w.name != "" && w.sub == "" && textOf(thing, "name", "api", "id") != w.name {
		return false
	}
	return w.selector.Matches(thing)
}

// Synced implements [client.Follower].
func (w *watching) Synced(head []byte) {
	if !w.begun {
		w.begun = true
		var all []json.RawMessage
		for _, id := range w.order {
			if thing, ok := w.known[id]; ok && !w.watchOnly {
				all = append(all, thing)
			}
		}
		w.order = nil
		w.sort(w.of, all)
		w.stop(w.view.begin(all, head))
	}
	for id, thing := range w.known {
		if w.seen != nil && !w.seen[id] {
			delete(w.known, id)
			w.stop(w.view.change(client.Deleted, thing))
		}
	}
	w.seen = nil
	if len(head) > 0 {
		w.stop(w.view.settle(head))
	}
}

// Live implements [client.Follower]. An outage at the beginning is a failure; later ones are told of once each.
func (w *watching) Live(err error, _ time.Duration) {
	switch {
	case err == nil && w.offline:
		w.offline = false
		w.view.aside(func() { w.env.tell("connected again") })
	case err != nil && !w.begun:
		w.stop(err)
	case err != nil && !w.offline && !errors.Is(err, client.ErrEnded):
		w.offline = true
		w.view.aside(func() {
			w.env.tell("connection lost, and tried again until it is back: %s", term.Escape(err.Error()))
		})
	}
}
