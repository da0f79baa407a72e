package rbac_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"kayra/server/rbac"
	"kayra/store"
	"kayra/store/catalog"
)

// scripted is a store whose answers a test decides.
type scripted struct {
	store.Store

	batches chan store.Batch // what the watch delivers
	broken  chan error       // what the watch ends with

	mu       sync.Mutex
	revision int64 // 0: it does not answer
	entries  []store.Entry
}

func newScripted(revision int64) *scripted {
	return &scripted{batches: make(chan store.Batch, 100), broken: make(chan error), revision: revision}
}

func (s *scripted) set(revision int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revision = revision
}

func (s *scripted) List(_ context.Context, prefix string, _ store.ListOptions) (store.Listing, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.revision == 0 {
		return store.Listing{}, store.ErrUnavailable
	}
	l := store.Listing{Revision: s.revision}
	if prefix == scope().Prefix() {
		l.Entries = s.entries
	}
	return l, nil
}

func (s *scripted) Watch(ctx context.Context, _ string, _ int64, fn func(store.Batch) error) error {
	for {
		select {
		case b := <-s.batches:
			if err := fn(b); err != nil {
				return err
			}
		case err := <-s.broken:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// run follows the store until the end of the test.
func run(t *testing.T, s store.Store, log *slog.Logger) *rbac.Policy {
	t.Helper()
	p := rbac.New(rbac.Options{Scope: scope(), MaxAge: 10 * time.Second, Logger: log})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, s) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return p
}

// pass lets time pass, and all that is due happen.
func pass(t *testing.T, d time.Duration) {
	t.Helper()
	<-time.After(d)
	synctest.Wait()
}

func stale(t *testing.T, p *rbac.Policy, want bool) {
	t.Helper()
	_, err := p.Permit(ann(), machines("get", ""))
	var why *rbac.StaleError
	if errors.As(err, &why) != want || (p.Stale() != nil) != want {
		t.Helper()
		t.Errorf("%s old: got %v, want stale %t", p.Age(), err, want)
	}
}

func TestFresh(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(7)
		p := run(t, s, nil)
		if err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		stale(t, p, false)
		for range 60 {
			pass(t, time.Second) // the store's revision stays, and the copy has it
		}
		stale(t, p, false)
		if age := p.Age(); age > time.Second {
			t.Errorf("the copy is %s old", age)
		}
	})
}

func TestNothingYet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(0)
		p := run(t, s, nil)
		pass(t, time.Second)
		stale(t, p, true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := p.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Wait: %v", err)
		}
		if p.Age() < time.Minute {
			t.Errorf("a copy that is not there is %s old", p.Age())
		}
		if err := p.Stale(); err == nil || !strings.Contains(err.Error(), "still being read") {
			t.Errorf("it says %v", err)
		}
		s.set(5)
		if err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		stale(t, p, false)
	})
}

// A watch that says nothing may be broken: what has been written meanwhile is not in the copy.
func TestSilentWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(7)
		p := run(t, s, nil)
		pass(t, 20*time.Second)
		s.set(8) // something was written, and the watch does not say so
		pass(t, 9*time.Second)
		stale(t, p, false)
		pass(t, 2*time.Second)
		stale(t, p, true)
		if err := p.Stale(); err == nil || !strings.Contains(err.Error(), "11s old, and 10s is the most") {
			t.Errorf("it says %v", err)
		}
		pass(t, time.Hour)
		stale(t, p, true)
		// A sign of life up to an old revision proves nothing: that is what a watch begins with, too.
		s.batches <- store.Batch{Revision: 7}
		pass(t, time.Second)
		stale(t, p, true)
		s.batches <- store.Batch{Revision: 8}
		pass(t, time.Second)
		stale(t, p, false)
	})
}

// A process that was stopped finds what was sent to it before, which looks like news.
func TestStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(7)
		p := run(t, s, nil)
		pass(t, 5*time.Second)
		s.set(0) // nothing gets through, which is what a stop looks like from inside
		pass(t, time.Minute)
		for range 3 {
			s.batches <- store.Batch{Revision: 7}
		}
		synctest.Wait()
		stale(t, p, true)
		s.set(9)
		pass(t, 2*time.Second)
		stale(t, p, true)
		s.batches <- store.Batch{Revision: 9}
		pass(t, time.Second)
		stale(t, p, false)
	})
}

// A process that was stopped for less than the bound has an old copy that looks young.
func TestStoppedForLessThanTheBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(7)
		p := run(t, s, nil)
		pass(t, 5*time.Second)
		p.Stopped(3 * time.Second)
		stale(t, p, true)
		pass(t, time.Second) // nothing was written meanwhile
		stale(t, p, false)
		s.set(8) // something was
		p.Stopped(3 * time.Second)
		pass(t, 3*time.Second)
		stale(t, p, true)
		s.batches <- store.Batch{Revision: 8}
		pass(t, time.Second)
		stale(t, p, false)
	})
}

// A watch that is always a little behind is good enough, as long as it comes to what the store had not long ago.
func TestLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(7)
		p := run(t, s, nil)
		for revision := int64(8); revision < 60; revision++ {
			pass(t, time.Second)
			s.set(revision)
			if behind := revision - 3; behind > 7 {
				s.batches <- store.Batch{Revision: behind}
			}
			synctest.Wait()
			stale(t, p, false)
		}
		if p.Age() > 8*time.Second {
			t.Errorf("%s old", p.Age())
		}
	})
}

// A store that is restored from a backup has a lower revision. What the copy has may never have been.
func TestRestored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(100)
		p := run(t, s, nil)
		pass(t, 5*time.Second)
		stale(t, p, false)
		s.set(50)
		pass(t, time.Second)
		stale(t, p, true)
		s.broken <- store.ErrFutureRevision
		pass(t, 2*time.Second)
		stale(t, p, false)
	})
}

// A store is restored while the copy is behind what it was, and stays behind what it is: what the copy waits for is then a
// revision of the store as it is.
func TestRestoredWhileBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(100)
		p := run(t, s, nil)
		pass(t, time.Second)
		s.set(900)
		pass(t, 2*time.Second) // 900 is awaited
		s.set(150)
		s.broken <- store.ErrFutureRevision
		pass(t, 200*time.Millisecond) // listed
		for revision := int64(153); revision < 180; revision++ {
			s.set(revision)
			pass(t, time.Second)
			s.batches <- store.Batch{Revision: revision - 2}
		}
		synctest.Wait()
		stale(t, p, false)
	})
}

func TestLogOfBreaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := newScripted(7)
		bad := event("roles/r", "[")
		good := event("rolebindings/b", catalog.RoleBinding{})
		s.entries = []store.Entry{bad.Entry, good.Entry}
		p := run(t, s, slog.New(slog.NewTextHandler(&log, nil)))
		pass(t, time.Second)
		s.broken <- store.ErrSilent
		pass(t, time.Second)
		s.broken <- store.ErrSilent
		pass(t, time.Second)
		s.batches <- store.Batch{Revision: 7}
		pass(t, time.Second)
		stale(t, p, false)
		for text, times := range map[string]int{
			"a record cannot be read": 1, "roles are not followed": 1, "roles are followed again": 1, "key=scopes/sandbox/eu-west-1/roles/r ": 1,
		} {
			if n := strings.Count(log.String(), text); n != times {
				t.Errorf("%q is in the log %d times, want %d: %s", text, n, times, log.String())
			}
		}
	})
}
