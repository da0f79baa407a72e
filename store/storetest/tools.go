package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"kayra/store"
)

// patience is how long a test waits for what has to happen.
const patience = 20 * time.Second

// tb is what tests and rapid's have in common.
type tb interface {
	Helper()
	Errorf(format string, args ...any)
}

// errDone is what a watch's function ends the watch with.
var errDone = errors.New("done")

// put writes a key and returns the revision.
func put(tb testing.TB, s store.Store, key, value string) int64 {
	tb.Helper()
	return do(tb, s, store.Put(key, []byte(value)))
}

// do carries out operations without a condition and returns the revision.
func do(tb testing.TB, s store.Store, ops ...store.Op) int64 {
	tb.Helper()
	res, err := s.Txn(tb.Context(), store.Txn{Then: ops})
	if err != nil {
		tb.Fatal(err)
	}
	return res.Revision
}

func get(tb testing.TB, s store.Store, key string) store.Entry {
	tb.Helper()
	e, err := s.Get(tb.Context(), key)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func list(tb testing.TB, s store.Store, prefix string, opts store.ListOptions) store.Listing {
	tb.Helper()
	l, err := s.List(tb.Context(), prefix, opts)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}

func keys(entries []store.Entry) []string {
	var keys []string
	for _, e := range entries {
		keys = append(keys, e.Key)
	}
	return keys
}

func wantKeys(tb testing.TB, what string, got, want []string) {
	tb.Helper()
	if !slices.Equal(got, want) {
		tb.Errorf("%s: got keys %q, want %q", what, got, want)
	}
}

func wantErr(t tb, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// receive waits for an element.
func receive[T any](tb testing.TB, what string, ch <-chan T) T {
	tb.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(patience):
		tb.Fatalf("%s: nothing came within %s", what, patience)
		panic("unreachable")
	}
}

// watching is a watch in the background.
type watching struct {
	batches chan store.Batch
	ended   chan error
	stop    context.CancelFunc
}

func watch(tb testing.TB, s store.Store, prefix string, from int64) *watching {
	tb.Helper()
	ctx, stop := context.WithCancel(tb.Context())
	w := &watching{batches: make(chan store.Batch, 1024), ended: make(chan error, 1), stop: stop}
	go func() {
		w.ended <- s.Watch(ctx, prefix, from, func(b store.Batch) error {
			select {
			case w.batches <- b:
			case <-ctx.Done():
			}
			return nil
		})
		close(w.ended)
	}()
	tb.Cleanup(func() {
		stop()
		for range w.ended {
			// until it is closed
		}
	})
	return w
}

// events waits for batches until they have brought as many events.
func (w *watching) events(tb testing.TB, n int) []store.Event {
	tb.Helper()
	var events []store.Event
	for len(events) < n {
		events = append(events, receive(tb, "watch", w.batches).Events...)
	}
	if len(events) > n {
		tb.Errorf("got %d events, want %d: %+v", len(events), n, events)
	}
	return events
}
