package store_test

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"kayra/store"
	"kayra/store/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// follower tells a test what it is told.
type follower struct {
	known map[string]string
	said  chan string            // reset, apply, live, dead
	seen  chan map[string]string // what is known at every live
	errs  chan error             // of every dead
}

func newFollower() *follower {
	return &follower{
		known: map[string]string{}, said: make(chan string, 1000),
		seen: make(chan map[string]string, 1000), errs: make(chan error, 1000),
	}
}

func (f *follower) Reset(entries []store.Entry, _ int64) {
	f.known = map[string]string{}
	for _, e := range entries {
		f.known[e.Key] = string(e.Value)
	}
	f.said <- "reset"
}

func (f *follower) Apply(b store.Batch) {
	for _, e := range b.Events {
		if f.known[e.Key] = string(e.Value); e.Deleted {
			delete(f.known, e.Key)
		}
	}
	f.said <- "apply"
}

func (f *follower) Live(err error) {
	if err != nil {
		f.said <- "dead"
		f.errs <- err
		return
	}
	f.said <- "live"
	f.seen <- maps.Clone(f.known)
}

// wantSeen waits until the follower is live and knows this.
func (f *follower) wantSeen(want map[string]string) {
	for !maps.Equal(<-f.seen, want) {
		continue
	}
}

// switched is a store that can be exchanged for another one, as a restored backup exchanges it.
type switched struct {
	mu    sync.Mutex
	store store.Store
	stop  context.CancelFunc
}

func (s *switched) now() store.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store
}

func (s *switched) Get(ctx context.Context, key string) (store.Entry, error) {
	return s.now().Get(ctx, key)
}

func (s *switched) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	return s.now().List(ctx, prefix, opts)
}

func (s *switched) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	return s.now().Txn(ctx, txn)
}

func (s *switched) Watch(ctx context.Context, prefix string, from int64, fn func(store.Batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.stop = cancel
	s.mu.Unlock()
	return s.now().Watch(ctx, prefix, from, fn)
}

func (s *switched) replace(by store.Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store = by
	s.stop()
}

func open(t *testing.T) *local.Store {
	t.Helper()
	s, err := local.Open(t.Context(), local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(t *testing.T, s store.Store, key, value string) {
	t.Helper()
	if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(key, []byte(value))}}); err != nil {
		t.Fatal(err)
	}
}

// follow runs until the end of the test, which waits for it.
func follow(t *testing.T, s store.Store, prefix string) *follower {
	t.Helper()
	f := newFollower()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- store.Follow(ctx, s, prefix, f) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("follow ended with %v", err)
		}
	})
	return f
}

func TestFollowOrder(t *testing.T) {
	t.Parallel()
	s := open(t)
	put(t, s, "p/a", "1")
	f := follow(t, s, "p/")
	f.wantSeen(map[string]string{"p/a": "1"})
	put(t, s, "p/b", "2")
	f.wantSeen(map[string]string{"p/a": "1", "p/b": "2"})
	for i, want := range []string{"reset", "live"} {
		if got := <-f.said; got != want {
			t.Errorf("call %d is %s, want %s", i, got, want)
		}
	}
	for got := range f.said { // signs of life may come before
		if got == "apply" {
			break
		}
		if got != "live" {
			t.Errorf("got %s before the change is applied", got)
		}
	}
}

// TestFollowRestored replaces the store by one that has not come so far.
func TestFollowRestored(t *testing.T) {
	t.Parallel()
	first, second := open(t), open(t)
	for range 10 {
		put(t, first, "p/a", "old")
	}
	put(t, second, "p/a", "restored")
	s := &switched{store: first}
	f := follow(t, s, "p/")
	f.wantSeen(map[string]string{"p/a": "old"})
	s.replace(second)
	f.wantSeen(map[string]string{"p/a": "restored"})
	put(t, second, "p/b", "new")
	f.wantSeen(map[string]string{"p/a": "restored", "p/b": "new"})
}

func TestFollowUnavailable(t *testing.T) {
	t.Parallel()
	first, second := open(t), open(t)
	put(t, first, "p/a", "1")
	s := &switched{store: first}
	f := follow(t, s, "p/")
	f.wantSeen(map[string]string{"p/a": "1"})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-f.errs; !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got error %v", err)
	}
	put(t, second, "p/a", "1")
	put(t, second, "p/a", "2")
	s.replace(second)
	f.wantSeen(map[string]string{"p/a": "2"})
}

// TestFollowPauses counts how often a store that always fails is asked, on a clock that stands still between.
func TestFollowPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		f := newFollower()
		err := store.Follow(ctx, failing{}, "", f)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got error %v", err)
		}
		// 0, 50 ms, 150 ms, 350 ms, 750 ms, 1.55 s, 3.15 s, 5.15 s, 7.15 s, 9.15 s
		if n := len(f.errs); n != 10 {
			t.Errorf("asked %d times in 10 s, want 10", n)
		}
	})
}

// failing is a store that cannot be reached.
type failing struct{ store.Store }

func (failing) List(context.Context, string, store.ListOptions) (store.Listing, error) {
	return store.Listing{}, store.ErrUnavailable
}
