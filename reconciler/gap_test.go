package reconciler_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/local"
)

// While the watch is down, everything happens that a watch would tell of. With and without its history, the reconciler
// misses none of it.
func TestGapInTheWatch(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"etcd", "local"} {
		for name, compacted := range map[string]bool{"compacted": true, "resumed": false} {
			t.Run(backend+"/"+name, func(t *testing.T) {
				t.Parallel()
				gap(t, backend, compacted)
			})
		}
	}
}

func gap(t *testing.T, backend string, compacted bool) {
	t.Helper()
	w, compact := historied(t, backend, compacted)
	watch := &severed{}
	w.options = func(o *reconciler.Options) { watch.Store, o.Store = o.Store, watch }
	p := w.startOne()
	w.register(compute, "apps", "core")
	w.synced("apps", "core")
	calls := w.hold(of("doomed"))
	w.subscribe(compute, "doomed")
	doomed := w.next(calls)
	w.app.forget()

	watch.sever(true)
	w.eventually("the reconciler is not ready", func() bool { return !p.ready() })
	must(t, w.Unsubscribe(t.Context(), "doomed", compute, nil))
	must(t, w.Unsubscribe(t.Context(), "core", compute, nil))
	w.subscribe(compute, "sre", "doomed")
	w.sync(catalog.SyncRequest{})
	_, err := w.CreateRegistration(t.Context(), "dev.example.com", catalog.RegistrationChange{})
	must(t, err)
	compact()
	watch.sever(false)

	again := w.next(calls)
	if again.key == doomed.key {
		t.Error("the run for a subscription that was made anew has the key of the one before")
	}
	again.answer(http.StatusOK)
	w.synced("apps", "sre", "doomed")
	w.eventually("the reconciler is ready", func() bool { return p.ready() })
	w.eventually("the new document is fetched", func() bool { return w.app.fetched() == 2 })
	w.settle()
	for ns, want := range map[string]int{"apps": 1, "sre": 1, "doomed": 1, "core": 0} {
		w.wantCalls(ns, want)
	}
	w.wantNoLocks()
	// A history that is very short may be overtaken once more.
	if n := watch.listed(); compacted != (n > 1) {
		t.Errorf("%d lists", n)
	}
}

// historied is a world whose store forgets its history when it is told to.
func historied(t *testing.T, backend string, compacted bool) (w *world, compact func()) {
	t.Helper()
	f := fleet{backend: backend}
	if backend == "etcd" {
		server := etcdtest.Start(t)
		w = newWorldOn(t, f, onEtcd(etcd.Options{Endpoints: server.Endpoints(), RequestTimeout: patience}))
		compact = func() { server.Compact(t, 0) }
	} else {
		opts := local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")}
		if compacted {
			opts.LogRevisions = 4
		}
		w = newWorldOn(t, f, onLocal(opts))
		compact = func() {
			for range 2 * opts.LogRevisions {
				w.mark()
			}
		}
	}
	if !compacted {
		compact = func() {}
	}
	return w, compact
}

// A result is worth waiting for: it is written when the store is there again, and nothing is sent twice.
func TestStoreRestartedDuringARun(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	w := newWorldOn(t, fleet{backend: "etcd"}, onEtcd(etcd.Options{Endpoints: server.Endpoints(), RequestTimeout: 300 * time.Millisecond}))
	p := w.startOne()
	calls := w.hold(every)
	w.register(compute, "sre")
	run := w.next(calls)
	server.Stop()
	w.eventually("the reconciler is not ready", func() bool { return !p.ready() })
	run.answer(http.StatusOK)
	w.eventually("the result is not taken", func() bool { return strings.Contains(w.log.String(), "the store did not take a result") })
	server.Restart(t)
	w.eventually("the reconciler is ready", func() bool { return p.ready() })
	w.move(w.open) // the connection it had may wait some more before it tries again
	w.synced("sre")
	w.subscribe(compute, "apps")
	w.next(calls).answer(http.StatusOK)
	w.synced("apps")
	w.settle()
	w.wantCalls("sre", 1)
	w.wantCalls("apps", 1)
	w.wantOutcomes("sre", catalog.StateSuccess)
	w.wantNoLocks()
}

// move has the test itself, not the reconcilers, use a store that it opens.
func (w *world) move(open opener) {
	w.t.Helper()
	w.store, _ = open(w.t)
	w.Repository = catalog.NewRepository(w.store, scope())
}

// remote is a world whose reconcilers reach etcd through a proxy, and which itself reaches it directly.
type remote struct {
	*world

	server *etcdtest.Server
	line   *etcdtest.Proxy
	direct opener
}

func newRemote(t *testing.T, server *etcdtest.Server, opts etcd.Options) *remote {
	t.Helper()
	opts.Endpoints, opts.Prefix = server.Endpoints(), server.Prefix(t)
	w := &remote{server: server, line: etcdtest.NewProxy(t, server), direct: onEtcd(opts)}
	w.world = newWorldOn(t, fleet{backend: "etcd"}, w.direct)
	opts.Endpoints = w.line.Endpoints()
	w.open = onEtcd(opts)
	return w
}

// impatient are options that notice soon when etcd is silent.
func impatient(lease time.Duration) etcd.Options {
	return etcd.Options{
		LeaseTTL: lease, RequestTimeout: 500 * time.Millisecond,
		WatchProgress: 50 * time.Millisecond, WatchSilence: 500 * time.Millisecond,
	}
}

// A connection over which nothing comes any more looks just like one over which nothing has to.
func TestSilentWatch(t *testing.T) {
	t.Parallel()
	w := newRemote(t, cluster.Server(t), impatient(time.Minute))
	p := w.startOne()
	calls := w.hold(every)
	w.register(compute, "sre")
	run := w.next(calls)
	w.line.Pause()
	w.eventually("the reconciler is not ready", func() bool { return !p.ready() })
	if !strings.Contains(w.log.String(), store.ErrSilent.Error()) {
		t.Error("the log does not tell that the watch is silent")
	}
	run.answer(http.StatusOK)
	w.eventually("the result is not taken", func() bool { return strings.Contains(w.log.String(), "the store did not take a result") })
	w.subscribe(compute, "apps")
	w.line.Resume()
	w.next(calls).answer(http.StatusOK)
	w.synced("sre", "apps")
	w.eventually("the reconciler is ready", func() bool { return p.ready() })
	w.settle()
	for _, ns := range []string{"sre", "apps"} {
		w.wantCalls(ns, 1)
		w.wantOutcomes(ns, catalog.StateSuccess)
	}
	w.wantNoLocks()
}

// A process that cannot reach the store for longer than its lease stops what it does, since another one begins it.
func TestCutOffFromTheStore(t *testing.T) {
	t.Parallel()
	w := newRemote(t, cluster.Server(t), impatient(time.Second))
	p := w.startOne()
	calls := w.hold(every)
	w.register(compute, "sre")
	first := w.next(calls)
	w.line.Pause()
	w.eventually("the call is cut off", func() bool { return ended(first.gone) })
	w.open = w.direct // not through the proxy
	w.startOne()
	second := w.next(calls)
	w.line.Resume()
	w.eventually("the reconciler is ready", func() bool { return p.ready() })
	second.answer(http.StatusOK)
	w.synced("sre")
	w.settle()
	w.wantCalls("sre", 2)
	w.wantOutcomes("sre", catalog.StateSuccess)
	w.wantNoLocks()
}

// A lock may go before its holder learns that its lease has ended. What it brings then is too late.
func TestLockGoesDuringARun(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		calls := w.hold(every)
		w.register(compute, "sre")
		first := w.next(calls)
		_, err := w.store.Txn(w.t.Context(), store.Txn{Then: []store.Op{store.Delete(lockOf("sre"))}})
		must(w.t, err)
		first.answer(http.StatusOK)
		w.next(calls).answer(http.StatusOK)
		w.synced("sre")
		w.settle()
		w.wantCalls("sre", 2)
		w.wantOutcomes("sre", catalog.StateSuccess)
		w.wantNoLocks()
	})
}

// Whether a write that went unanswered has happened cannot be known, and every one of the reconcilers' may be one.
func TestUnansweredWrites(t *testing.T) {
	t.Parallel()
	for _, f := range []fleet{{"local", 1}, {"etcd", 3}} {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, f)
			for range f.processes {
				w.startDeaf()
			}
			w.failOne()
		})
	}
}

// One that goes unanswered again and again is given up, together with the lock that it may have taken.
func TestWritesUnansweredAgainAndAgain(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"local", "etcd"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fleet{backend, 1})
			w.startDeaf().loseMore(4)
			w.failOne()
			if !strings.Contains(w.log.String(), "a lock that no run here knows of is given up") {
				t.Error("no lock was given up")
			}
		})
	}
}

// startDeaf starts a reconciler that does not hear its store's first answers.
func (w *world) startDeaf() *unanswered {
	deaf := &unanswered{lose: 1, lost: map[string]int{}}
	w.options = func(o *reconciler.Options) { deaf.Store, o.Store = o.Store, deaf }
	w.startOne()
	return deaf
}

// failOne has three tenants be synced and a fourth one fail, without a call or an outcome more than that takes.
func (w *world) failOne() {
	w.t.Helper()
	w.app.behave(fails("poor"))
	w.register(compute, "apps", "core", "sre", "poor")
	w.synced("apps", "core", "sre")
	w.eventually("the failure is recorded", func() bool { return w.sub("poor").State == catalog.StateError })
	w.settle()
	for _, ns := range []string{"apps", "core", "sre"} {
		w.wantCalls(ns, 1)
		w.wantOutcomes(ns, catalog.StateSuccess)
	}
	if n := len(w.app.of("poor")); n != 2 {
		w.t.Errorf("poor had %d calls, not 2", n)
	}
	w.wantOutcomes("poor", catalog.StateError)
	if n := w.app.fetched(); n != 1 {
		w.t.Errorf("%d fetches, not 1", n)
	}
	w.wantNoLocks()
}

// A store that was restored from a backup is behind what the reconciler has seen of it.
func TestRestoredStore(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]string{"same cluster": "", "another cluster": "restored"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			restored(newRemote(t, etcdtest.Start(t), etcd.Options{LeaseTTL: time.Second}), token)
		})
	}
}

func restored(w *remote, token string) {
	t := w.t
	p := w.startOne()
	w.register(compute, "apps", "core")
	w.synced("apps", "core")
	w.settle()
	before, backup := w.sub("apps").CurrentSyncID, w.backUp()

	w.sync(catalog.SyncRequest{})
	w.subscribe(compute, "sre")
	w.startOne().stop()
	w.synced("apps", "core", "sre")
	w.settle()
	w.app.forget()
	w.restore(backup, token)
	w.eventually("the reconciler is known to the restored store", func() bool {
		alive, err := w.Reconcilers(t.Context())
		must(t, err)
		return len(alive) == 1 && p.ready()
	})
	w.settle()
	if got := w.sub("apps"); got.CurrentSyncID != before || !got.InSync || len(w.app.of("apps")) > 0 {
		t.Errorf("apps is at %s after %d calls, not left at the restored %s", got.CurrentSyncID, len(w.app.of("apps")), before)
	}

	w.app.behave(fails("core"))
	w.sync(catalog.SyncRequest{})
	w.synced("apps")
	w.eventually("the failure of core is recorded", func() bool { return w.sub("core").State == catalog.StateError })
	w.settle()
	if n := len(w.app.of("core")); n != 2 {
		t.Errorf("core had %d calls, not 2", n)
	}
	w.startOne()
	w.eventually("a start is a trigger", func() bool { return len(w.app.of("core")) == 4 })
	w.settle()
	w.wantNoLocks()
}

// backUp reads all that is to stay in the server.
func (w *remote) backUp() (backup []clientv3.Op) {
	w.t.Helper()
	all, err := w.dial().Get(w.t.Context(), "/", clientv3.WithPrefix())
	must(w.t, err)
	for _, kv := range all.Kvs {
		if kv.Lease == 0 {
			backup = append(backup, clientv3.OpPut(string(kv.Key), string(kv.Value)))
		}
	}
	return backup
}

// restore replaces all that is in the server. Its revision is lower then than it was.
func (w *remote) restore(backup []clientv3.Op, token string) {
	w.t.Helper()
	w.line.Pause()
	w.server.Wipe(w.t, token)
	_, err := w.dial().Txn(w.t.Context()).Then(backup...).Commit()
	must(w.t, err)
	w.move(w.direct)
	w.line.Resume()
}

func (w *remote) dial() *clientv3.Client {
	w.t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: w.server.Endpoints(), Logger: zap.NewNop()})
	must(w.t, err)
	w.t.Cleanup(func() { _ = c.Close() })
	return c
}
