package watch_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/server/watch"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

// part has a client lose its connection after so many events of what comes next.
func (c *client) part(tb testing.TB, events int) {
	tb.Helper()
	deadline := time.After(patience)
	for {
		part, more, err := c.Next()
		if err != nil {
			tb.Fatal(err)
		}
		if len(part) > 0 {
			for _, block := range strings.SplitAfterN(string(part), "\n\n", events+1)[:events] {
				if err := c.take(strings.TrimSuffix(block, "\n\n")); err != nil {
					tb.Fatal(err)
				}
			}
			return
		}
		select {
		case <-more:
		case <-deadline:
			tb.Fatal("nothing came")
		}
	}
}

// A client that comes back is told what it has not been told of, and nothing else, wherever it comes back to: to the same
// process, to another one, and to one that has only begun.
func TestResume(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a", "b", "c")
		here, there := w.start(), w.start()
		for name, back := range map[string]func() *process{
			"here": func() *process { return here }, "there": func() *process { return there }, "anew": w.start,
		} {
			w.succeed("a", "b", "c")
			c := w.watches(here, status())
			w.sync()
			c.part(w.t, 2) // of the three rows that one revision changes
			w.goes(c, back())
			c.seen = nil
			c.comes(w.t, "modified /a", "modified /b", "modified /c", "synced /")

			w.goes(c, back())
			c.comes(w.t, "synced /")

			w.must(errOf(w.Resync(w.t.Context(), "b", compute, nil)))
			w.must(errOf(w.CreateNamespace(w.t.Context(), "d")))
			w.must(errOf(w.Subscribe(w.t.Context(), "d", compute)))
			w.must(w.Unsubscribe(w.t.Context(), "a", compute, nil))
			w.goes(c, back())
			if c.comes(w.t, "added /d", "deleted /a", "modified /b", "synced /"); w.t.Failed() {
				w.t.Fatal(name)
			}
			w.must(errOf(w.Subscribe(w.t.Context(), "a", compute)))
			w.must(w.Unsubscribe(w.t.Context(), "d", compute, nil))
			w.must(w.DeleteNamespace(w.t.Context(), "d", nil))
			w.must(w.Unsubscribe(w.t.Context(), "b", compute, nil))
			w.must(errOf(w.Subscribe(w.t.Context(), "b", compute)))
			c.Close()
		}
	})
}

// What a filter does not let through any more is deleted, for a client that was away, too.
func TestResumeWithAFilter(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a", "b", "c")
		here := w.start()
		failed := watch.Topic{Of: watch.Subscriptions, State: catalog.StateError}
		w.fail(w.begin("a"), 0)
		w.fail(w.begin("b"), 0)
		for _, back := range []func() *process{func() *process { return here }, w.start} {
			c := w.watches(here, failed)
			w.succeed("a")
			w.fail(w.begin("c"), 0)
			w.goes(c, back())
			c.until(w.t, func() bool { return c.head != "" })
			for key, is := range map[string]bool{compute + "/a": false, compute + "/b": true, compute + "/c": true} {
				if _, has := c.rows[key]; has != is {
					w.t.Errorf("%s is there: %t, after %q", key, has, c.seen)
				}
			}
			w.fail(w.begin("a"), 0)
			w.succeed("c")
			c.Close()
		}
	})
}

// An id that the store has not come to is one of before it was restored.
func TestResumeFromTheFuture(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a")
		here := w.start()
		c := w.watches(here, status())
		first := c.id
		c.id += 1000
		w.goes(c, here)
		c.comes(w.t, "added /a", "reset /", "synced /")
		if revision, err := w.Revision(w.t.Context()); err != nil || c.id < first || c.id > revision {
			w.t.Errorf("id %d, after %d, and the store is at %d (%v)", c.id, first, revision, err)
		}
	})
}

// A process that lags behind the one that has given an id takes it nonetheless.
func TestResumeAtALaggard(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a", "b")
		here, late := w.start(), w.start()
		w.watches(late, status()) // has a feed from now on
		c := w.watches(here, status())
		late.hold.Lock()
		w.must(errOf(w.Resync(w.t.Context(), "b", compute, nil)))
		c.comes(w.t, "modified /b")
		w.goes(c, late)
		c.comes(w.t, "synced /")
		late.hold.Unlock()
		w.must(errOf(w.Resync(w.t.Context(), "a", compute, nil)))
		c.until(w.t, func() bool { return slices.Contains(c.seen, "modified /a") })
	})
}

// An id from before the history that the store keeps begins anew.
func TestResumeAfterCompaction(t *testing.T) {
	t.Parallel()
	srv := etcdtest.Start(t)
	s, err := etcd.Open(t.Context(), etcd.Options{Endpoints: srv.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := newWorld(t, s)
	w.subscribed("a", "b")
	c := w.watches(w.start(), status())
	w.must(w.Unsubscribe(t.Context(), "a", compute, nil))
	w.must(errOf(w.Resync(t.Context(), "b", compute, nil)))
	srv.Compact(t, 0)
	w.goes(c, w.start())
	c.comes(t, "added /b", "reset /", "synced /")
}

// While a process knows what has changed, it needs no history of the store.
func TestResumeFromMemory(t *testing.T) {
	t.Parallel()
	srv := etcdtest.Start(t)
	s, err := etcd.Open(t.Context(), etcd.Options{Endpoints: srv.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w := newWorld(t, s)
	w.subscribed("a", "b")
	here := w.start()
	c := w.watches(here, status())
	c.Close()
	w.must(w.Unsubscribe(t.Context(), "a", compute, nil))
	srv.Compact(t, 0)
	w.must(c.move(t.Context(), here))
	c.comes(t, "deleted /a", "synced /")
}
