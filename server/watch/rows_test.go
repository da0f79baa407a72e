package watch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

// says is what the row of the namespace a says.
func (c *client) says() (is struct{ Reason, Message, State string }) {
	_ = json.Unmarshal([]byte(c.rows["/a"]), &is)
	return is
}

// A retry becomes due without anybody writing anything.
func TestTimePasses(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a")
		c := w.watches(w.start(), status())
		w.fail(w.begin("a"), 300*time.Millisecond)
		c.until(w.t, func() bool { return c.says().Reason == "backoff" })
		id := c.id
		c.until(w.t, func() bool { return c.says().Reason == "queued" })
		if c.id != id {
			w.t.Errorf("the id has gone from %d to %d", id, c.id)
		}
	})
}

// Who comes back with an id is told that time has passed, too.
func TestTimePassesWhileAway(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a", "b")
		here, there := w.start(), w.start()
		w.watches(here, status())
		w.fail(w.begin("a"), 500*time.Millisecond)
		c := w.watches(there, status())
		if c.says().Reason != "backoff" {
			w.t.Skip("the machine is too slow for this")
		}
		c.Close()
		w.watches(here, status()).until(w.t, func() bool { return time.Now().After(retryAt(w)) })
		w.must(c.move(w.t.Context(), here))
		c.until(w.t, func() bool { return c.says().Reason == "queued" })
	})
}

func retryAt(w *world) time.Time {
	v, err := w.Subscription(w.t.Context(), "a", compute)
	w.must(err)
	return v.Attempt.RetryAt
}

// Nothing is told of what no row shows.
func TestSilence(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a")
		p := w.start()
		w.must(w.Announce(w.t.Context(), catalog.Reconciler{ID: "r1"}, w.lent()))
		all := map[watch.Resource]*client{}
		for _, of := range []watch.Resource{watch.Namespaces, watch.Registrations, watch.Reconcilers, watch.Subscriptions} {
			all[of] = w.watches(p, watch.Topic{Of: of})
		}
		rows := w.watches(p, status())
		for range 3 {
			w.must(errOf(w.TouchNamespace(w.t.Context(), "a", nil)))
			w.must(errOf(w.UpdateRegistration(w.t.Context(), compute, catalog.RegistrationChange{}, nil)))
			w.must(errOf(w.CountBoot(w.t.Context())))
			w.must(w.Announce(w.t.Context(), catalog.Reconciler{ID: "r1"}, w.lent()))
			reg, err := w.Registration(w.t.Context(), compute)
			w.must(err)
			w.must(w.MarkGood(w.t.Context(), reg))
		}
		w.must(errOf(w.CreateNamespace(w.t.Context(), "last")))
		all[watch.Namespaces].comes(w.t, "added last/")
		for _, c := range append([]*client{rows}, all[watch.Registrations], all[watch.Reconcilers], all[watch.Subscriptions]) {
			if _, err := c.read(); err != nil || len(c.seen) > 0 {
				w.t.Errorf("%+v: %q came (%v)", c.topic, c.seen, err)
			}
		}
	})
}

// Rows follow the lengths of queues at a pace, and the coming and going of reconcilers at once.
func TestQueues(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a")
		c := w.watches(w.start(), status())
		is := func(text string) func() bool {
			return func() bool { return strings.Contains(c.says().Message, text) }
		}
		c.until(w.t, is("no reconciler is running"))
		queues := func(waiting int) {
			p := catalog.Reconciler{ID: "r1", Queues: map[string]catalog.QueueLength{compute: {Waiting: waiting, Running: 1}}}
			w.must(w.Announce(w.t.Context(), p, w.lent()))
		}
		queues(7)
		c.until(w.t, is("7 jobs of this API wait"))
		queues(8)
		c.until(w.t, is("8 jobs of this API wait"))
		w.must(w.session.Close(w.t.Context()))
		c.until(w.t, is("no reconciler is running"))
	})
}

// Who comes back once rows have followed a queue is told of that, though it has seen the revision that told of the queue.
func TestQueuesWhileAway(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a")
		queues := func(waiting int) {
			p := catalog.Reconciler{ID: "r1", Queues: map[string]catalog.QueueLength{compute: {Waiting: waiting, Running: 1}}}
			w.must(w.Announce(w.t.Context(), p, w.lent()))
		}
		late := startWith(w.t.Context(), w.t, w.store, watch.Options{Pace: time.Hour})
		queues(7)
		w.watches(late, status())
		queues(0)
		c := w.watches(late, status())
		if !strings.Contains(c.says().Message, "7 jobs") {
			w.t.Fatalf("the queue is told of before its time: %v", c.rows)
		}
		w.goes(c, w.start())
		c.until(w.t, func() bool { return c.says().Reason == "init" })
	})
}

// What depends on another scope follows that, too.
func TestAnotherScope(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		far := catalog.NewRepository(w.store, catalog.Scope{Platform: "prod", Region: "us-east-1"})
		const base = "base.example.com"
		w.must(errOf(far.CreateRegistration(w.t.Context(), base, catalog.RegistrationChange{})))
		deps := []catalog.Dependency{{Ref: catalog.Ref{Platform: "prod", Region: "us-east-1", Name: base}}}
		w.must(errOf(w.CreateRegistration(w.t.Context(), compute, catalog.RegistrationChange{DependsOn: &deps})))
		w.subscribed("a")
		c := w.watches(w.start(), status())
		if c.says().Reason != "waiting_dependency" {
			w.t.Fatalf("%+v", c.rows)
		}
		w.must(far.Announce(w.t.Context(), catalog.Reconciler{ID: "far"}, w.lent()))
		c.until(w.t, func() bool { return c.says().Reason == "init" })
	})
}

// A reader that is not ready is told once, what is so in the end.
func TestNothingIsToldTwice(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a", "b")
		p := w.start()
		c, ready := w.watches(p, status()), w.watches(p, status())
		claim := w.begin("a")
		w.must(claim.Note(w.t.Context(), catalog.Step{Index: 1, Total: 2}, w.lent()))
		w.fail(claim, 0)
		w.must(w.Unsubscribe(w.t.Context(), "b", compute, nil))
		w.must(errOf(w.Subscribe(w.t.Context(), "b", compute)))
		w.must(errOf(w.CreateNamespace(w.t.Context(), "c")))
		w.must(errOf(w.Subscribe(w.t.Context(), "c", compute)))
		w.must(errOf(w.CreateNamespace(w.t.Context(), "d")))
		w.must(errOf(w.Subscribe(w.t.Context(), "d", compute)))
		ready.until(w.t, func() bool { return ready.rows["/d"] != "" })
		w.must(w.Unsubscribe(w.t.Context(), "d", compute, nil))
		ready.until(w.t, func() bool { return ready.rows["/d"] == "" })
		if _, err := c.read(); err != nil || fmt.Sprint(c.seen) != "[modified /a modified /b added /c]" {
			w.t.Errorf("%q (%v)", c.seen, err)
		}
	})
}

// The stream of what is no more ends, once all has been told.
func TestOver(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.subscribed("a")
		p := w.start()
		rows, of := w.watches(p, status()), w.watches(p, watch.Topic{Of: watch.NamespaceSubscriptions, Namespace: "a"})
		w.must(w.Unsubscribe(w.t.Context(), "a", compute, nil))
		w.must(w.DeleteRegistration(w.t.Context(), compute, nil))
		w.must(w.DeleteNamespace(w.t.Context(), "a", nil))
		for _, c := range []*client{rows, of} {
			for {
				more, err := c.read()
				if errors.Is(err, watch.ErrOver) {
					break
				}
				w.must(err)
				<-more
			}
			if len(c.rows) > 0 {
				w.t.Errorf("%+v has %v", c.topic, c.rows)
			}
			if _, err := p.open(w.t.Context(), c.topic); !errors.Is(err, watch.ErrOver) {
				w.t.Errorf("open again: %v", err)
			}
		}
		w.subscribed()
		w.watches(p, status()).Close()
	})
}

// A stream goes on when its process hears from the store again, whatever has happened meanwhile.
func TestTheStoreGoesAndComesBack(t *testing.T) {
	t.Parallel()
	srv := cluster.Server(t)
	options := etcd.Options{
		Endpoints: srv.Endpoints(), Prefix: srv.Prefix(t), RequestTimeout: time.Minute,
		WatchProgress: 50 * time.Millisecond, WatchSilence: 500 * time.Millisecond,
	}
	w := newWorld(t, dial(t, options))
	w.subscribed("a", "b")
	proxy := etcdtest.NewProxy(t, srv)
	options.Endpoints = proxy.Endpoints()
	c := w.watches(start(t.Context(), t, dial(t, options)), status())
	proxy.Pause()
	w.must(errOf(w.Resync(t.Context(), "b", compute, nil)))
	w.must(w.Unsubscribe(t.Context(), "a", compute, nil))
	if _, err := c.read(); err != nil || len(c.seen) > 0 {
		t.Errorf("%q came (%v)", c.seen, err)
	}
	proxy.Resume()
	c.comes(t, "deleted /a", "modified /b")
}

// A store that is restored from a backup goes back in time, and its streams do.
func TestTheStoreIsRestored(t *testing.T) {
	t.Parallel()
	srv := etcdtest.Start(t)
	w := newWorld(t, dial(t, etcd.Options{Endpoints: srv.Endpoints(), RequestTimeout: time.Minute, WatchProgress: 50 * time.Millisecond}))
	w.subscribed("a", "b")
	p := w.start()
	c, away := w.watches(p, watch.Topic{Of: watch.Namespaces}), w.watches(p, watch.Topic{Of: watch.Namespaces})
	srv.Wipe(t, "another")
	again := newWorld(t, dial(t, etcd.Options{Endpoints: srv.Endpoints(), RequestTimeout: time.Minute}))
	again.must(errOf(again.CreateNamespace(t.Context(), "b")))
	c.until(t, func() bool { return len(c.rows) == 1 })
	again.must(errOf(again.CreateNamespace(t.Context(), "c")))
	c.until(t, func() bool { return len(c.rows) == 2 })
	w.goes(away, p)
	away.until(t, func() bool { return away.head != "" })
	if !strings.Contains(fmt.Sprint(away.seen), "reset") {
		t.Errorf("an id from before goes on: %q", away.seen)
	}
}

func dial(tb testing.TB, o etcd.Options) store.Store {
	tb.Helper()
	s, err := etcd.Open(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}
