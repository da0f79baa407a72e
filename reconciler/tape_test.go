package reconciler_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"kayra/store"
)

// tape records every change of a store from a revision on. A watch that begins in the past would tell the same, but etcd
// takes a tenth of a second to begin one.
type tape struct {
	store store.Store

	mu       sync.Mutex
	events   []store.Event
	revision int64         // all up to this one has been recorded
	moved    chan struct{} // closed when that is another
}

// record begins a tape of what comes after the revision.
func record(t *testing.T, s store.Store, revision int64) *tape {
	t.Helper()
	r := &tape{store: s, revision: revision, moved: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.run(ctx)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return r
}

// run resumes the watch whenever it breaks.
func (r *tape) run(ctx context.Context) {
	const pause = 10 * time.Millisecond
	for ctx.Err() == nil {
		err := r.store.Watch(ctx, scope().Prefix(), r.at()+1, r.add)
		if errors.Is(err, store.ErrCompacted) {
			r.skip(ctx)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// skip passes over what the store has forgotten, which counts as a change of which nothing is known.
func (r *tape) skip(ctx context.Context) {
	if l, err := r.store.List(ctx, markKey, store.ListOptions{}); err == nil {
		forgotten := store.Event{Entry: store.Entry{ModRevision: l.Revision}}
		_ = r.add(store.Batch{Events: []store.Event{forgotten}, Revision: l.Revision})
	}
}

func (r *tape) at() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.revision
}

func (r *tape) add(b store.Batch) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, b.Events...)
	r.revision = b.Revision
	close(r.moved)
	r.moved = make(chan struct{})
	return nil
}

// between waits until the tape has reached the revision end, and lists what was changed after the revision from and
// before end.
func (r *tape) between(t *testing.T, from, end int64) []store.Event {
	t.Helper()
	deadline := time.After(patience)
	for {
		r.mu.Lock()
		moved, reached := r.moved, r.revision >= end
		all := r.events
		r.mu.Unlock()
		if reached {
			outside := func(e store.Event) bool { return e.ModRevision <= from || e.ModRevision >= end }
			return slices.DeleteFunc(slices.Clone(all), outside)
		}
		select {
		case <-moved:
		case <-deadline:
			t.Fatalf("the store's watch is not at revision %d within %s", end, patience)
		}
	}
}
