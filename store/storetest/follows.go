package storetest

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"testing"

	"kayra/store"
)

// mirror is a follower that tests can look at.
type mirror struct {
	mu      sync.Mutex
	known   map[string]string
	resets  int
	changed chan struct{} // closed once anything has happened
	live    bool          // what Live was told last
}

func follow(tb testing.TB, s store.Store, prefix string) *mirror {
	tb.Helper()
	m := &mirror{changed: make(chan struct{})}
	ctx, stop := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- store.Follow(ctx, s, prefix, m) }()
	tb.Cleanup(func() {
		stop()
		wantErr(tb, "follow", <-ended, context.Canceled)
	})
	return m
}

func (m *mirror) update(fn func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fn()
	close(m.changed)
	m.changed = make(chan struct{})
}

// Reset implements store.Follower.
func (m *mirror) Reset(entries []store.Entry, _ int64) {
	m.update(func() {
		m.resets++
		m.known = map[string]string{}
		for _, e := range entries {
			m.known[e.Key] = string(e.Value)
		}
	})
}

// Apply implements store.Follower.
func (m *mirror) Apply(b store.Batch) {
	m.update(func() {
		for _, e := range b.Events {
			if m.known[e.Key] = string(e.Value); e.Deleted {
				delete(m.known, e.Key)
			}
		}
	})
}

// Live implements store.Follower.
func (m *mirror) Live(err error) { m.update(func() { m.live = err == nil }) }

// wait waits until what is known is right.
func (m *mirror) wait(tb testing.TB, what string, right func() bool) {
	tb.Helper()
	for {
		m.mu.Lock()
		ok, changed := right(), m.changed
		m.mu.Unlock()
		if ok {
			return
		}
		receive(tb, what, changed)
	}
}

func (m *mirror) knows(want map[string]string) func() bool {
	return func() bool { return m.live && maps.Equal(m.known, want) }
}

func (m *mirror) wantLists(tb testing.TB, want int) {
	tb.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resets != want {
		tb.Errorf("%d lists, want %d", m.resets, want)
	}
}

// flaky is a store whose watches can be made to fail.
type flaky struct {
	store.Store
	mu   sync.Mutex
	down bool
	cut  map[int]context.CancelFunc
}

// Watch fails while the store is down.
func (f *flaky) Watch(ctx context.Context, prefix string, from int64, fn func(store.Batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	f.mu.Lock()
	if f.down {
		cancel()
	}
	f.cut[len(f.cut)] = cancel
	f.mu.Unlock()
	err := f.Store.Watch(ctx, prefix, from, fn)
	return fmt.Errorf("flaky: %w", err)
}

func (f *flaky) set(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.down = down
	for _, cancel := range f.cut {
		cancel()
	}
}

func testFollow(t *testing.T, p Place) {
	t.Helper()
	s := &flaky{Store: p.Open(t), cut: map[int]context.CancelFunc{}}
	put(t, s, "f/a", "1")
	m := follow(t, s, "f/")
	m.wait(t, "list", m.knows(map[string]string{"f/a": "1"}))
	put(t, s, "f/b", "2")
	put(t, s, "g", "3")
	m.wait(t, "watch", m.knows(map[string]string{"f/a": "1", "f/b": "2"}))

	s.set(true)
	m.wait(t, "break", func() bool { return !m.live })
	do(t, s, store.Delete("f/a"), store.Put("f/b", []byte("4")))
	s.set(false)
	m.wait(t, "resumed watch", m.knows(map[string]string{"f/b": "4"}))
	m.wantLists(t, 1)
}

func testFollowCompaction(t *testing.T, p Place) {
	t.Helper()
	s := &flaky{Store: p.Open(t), cut: map[int]context.CancelFunc{}}
	put(t, s, "f/a", "1")
	m := follow(t, s, "f/")
	m.wait(t, "list", m.knows(map[string]string{"f/a": "1"}))

	s.set(true)
	m.wait(t, "break", func() bool { return !m.live })
	do(t, s, store.Delete("f/a"), store.Put("f/b", []byte("2")))
	p.Compact(t)
	s.set(false)
	m.wait(t, "new list", m.knows(map[string]string{"f/b": "2"}))
	put(t, s, "f/c", "3")
	m.wait(t, "new watch", m.knows(map[string]string{"f/b": "2", "f/c": "3"}))
	m.wantLists(t, 2)
}
