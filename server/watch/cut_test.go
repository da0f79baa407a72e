package watch_test

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/server/watch"
	"kayra/store/catalog"
)

// cut is the client as it is when its connection breaks.
func (c *client) cut() *client {
	is := *c
	is.Reader, is.rows, is.gone, is.seen = nil, maps.Clone(c.rows), maps.Clone(c.gone), slices.Clone(c.seen)
	return &is
}

// agrees tells whether the client has what the list has.
func (c *client) agrees(ctx context.Context, r *catalog.Repository) bool {
	want, head, err := listed(ctx, r, c.topic)
	return err == nil && c.head == head && maps.Equal(want, c.rows)
}

// follows reads on until the client has what the list has, and is the client as it was after each event on the way.
func (c *client) follows(tb testing.TB, r *catalog.Repository) (cuts []*client) {
	tb.Helper()
	deadline := time.After(patience)
	for {
		part, more, err := c.Next()
		if err != nil {
			tb.Fatal(err)
		}
		for block := range strings.SplitSeq(strings.TrimSuffix(string(part), "\n\n"), "\n\n") {
			if block == "" {
				continue
			}
			if err := c.take(block); err != nil {
				tb.Fatalf("%v: %s", err, block)
			}
			cuts = append(cuts, c.cut())
		}
		switch {
		case len(part) > 0:
			continue
		case c.agrees(tb.Context(), r):
			return cuts
		}
		select {
		case <-more:
		case <-deadline:
			tb.Fatalf("%+v does not come to what the list has, after %q", c.topic, c.seen)
		}
	}
}

// changes are a series of them, in any order; each may be refused, as the order has it.
func (w *world) changes() map[string]func() error {
	ctx := w.t.Context()
	synced := func(request catalog.SyncRequest) func() error {
		return func() error { return errOf(w.SyncRegistration(ctx, compute, request, nil)) }
	}
	return map[string]func() error{
		"sync": synced(catalog.SyncRequest{}), "sync again": synced(catalog.SyncRequest{}), "abort": synced(catalog.SyncRequest{Abort: true}),
		"canary":      synced(catalog.SyncRequest{CanaryNamespaces: []string{"a", "c"}}),
		"resync":      func() error { return errOf(w.Resync(ctx, "b", compute, nil)) },
		"unsubscribe": func() error { return w.Unsubscribe(ctx, "d", compute, nil) },
		"subscribe":   func() error { return errOf(w.Subscribe(ctx, "d", compute)) },
		"namespace":   func() error { return errOf(w.CreateNamespace(ctx, "e")) },
		"no more":     func() error { return w.DeleteNamespace(ctx, "e", nil) },
		"succeed":     func() error { w.succeed("a", "b"); return nil },
		"fail":        func() error { w.fail(w.begin("c"), 0); return nil },
		"pause": func() error {
			paused := true
			return errOf(w.UpdateRegistration(ctx, compute, catalog.RegistrationChange{Paused: &paused}, nil))
		},
	}
}

// Whatever event was the last that came, its id is one to go on from: a client that is cut off after any event of a stream,
// and again after any event of the stream that it goes on with, has in the end what the list has.
func TestEveryIDIsOneToGoOnFrom(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		ctx := w.t.Context()
		w.subscribed("a", "b", "c", "d")
		w.succeed("a", "b", "c")
		here, there := w.start(), w.start()
		all := map[watch.Topic]*client{}
		for _, topic := range []watch.Topic{
			status(), {Of: watch.Subscriptions, Synced: watch.OnlySynced}, {Of: watch.NamespaceSubscriptions, Namespace: "b"}, {Of: watch.Namespaces},
		} {
			c, err := here.open(ctx, topic)
			w.must(err)
			all[topic] = c
			w.goesOn(c.follows(w.t, w.Repository), here, there)
		}
		changes := w.changes()
		series := slices.Collect(maps.Keys(changes))
		rand.Shuffle(len(series), func(i, k int) { series[i], series[k] = series[k], series[i] })
		w.t.Logf("%q", series)
		for _, name := range series {
			var refusal *catalog.Error
			if err := changes[name](); err != nil && !errors.As(err, &refusal) {
				w.t.Fatalf("%s: %v", name, err)
			}
			for _, c := range all {
				w.goesOn(c.follows(w.t, w.Repository), here, there)
			}
		}
		away := all[status()].cut()
		away.id += 1000 // it is of no use: all begins anew
		w.goesOn([]*client{away}, here, there)
	})
}

// goesOn has clients that were cut off go on at some process, and those that are cut off again then.
func (w *world) goesOn(cuts []*client, processes ...*process) {
	w.t.Helper()
	one := func() *process { return processes[rand.IntN(len(processes))] }
	for _, c := range cuts {
		again := c.cut()
		w.must(again.move(w.t.Context(), one()))
		for _, twice := range again.follows(w.t, w.Repository) {
			w.must(twice.move(w.t.Context(), one()))
			twice.follows(w.t, w.Repository)
			twice.Close()
		}
		again.Close()
	}
}
