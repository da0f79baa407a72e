package reconciler_test

import (
	"net/http"
	"testing"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
)

// A run whose target moves on finishes with its own id. Its immediate retry is dropped, and the newer target gets a run.
func TestSyncDuringARun(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"succeeds": http.StatusOK, "fails": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyFleet(t, func(w *world) {
				t := w.t
				w.start()
				calls := w.hold(of("sre"))
				w.register(compute, "sre")
				first := w.next(calls)
				seen := w.watch(compute, "sre")
				target := w.sync(catalog.SyncRequest{}).SyncID
				first.answer(status)
				second := w.next(calls)
				if second.syncID != target || first.syncID == target {
					t.Errorf("calls for %s and %s, not for the first id and then for %s", first.syncID, second.syncID, target)
				}
				between := map[bool]string{true: first.syncID, false: ""}[status == http.StatusOK]
				if got := w.sub("sre"); got.CurrentSyncID != between || got.Reason != catalog.ReasonRunning {
					t.Errorf("during the second run it is at %q (%s), not at %q", got.CurrentSyncID, got.Reason, between)
				}
				second.answer(http.StatusOK)
				w.settle()
				w.wantAt("sre", target, catalog.ReasonSynced)
				w.wantCalled("sre", 2)
				seen.want(map[bool]catalog.State{true: catalog.StateSuccess, false: catalog.StateError}[status == http.StatusOK],
					catalog.StateSuccess)
			})
		})
	}
}

func TestBurstOfSyncsDuringRuns(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "apps", "sre")
		run := w.next(calls)
		w.synced("apps")
		var target string
		for range 20 {
			target = w.sync(catalog.SyncRequest{}).SyncID
		}
		w.synced("apps")
		w.app.forget() // what was called before the burst had ended
		run.answer(http.StatusOK)
		w.app.behave(succeeds)
		w.synced("apps", "sre")
		w.settle()
		w.wantAt("sre", target, catalog.ReasonSynced)
		w.wantCalled("sre", 1)
	})
}

// A burst against runs that nobody holds up costs at most two runs a subscriber after its end.
func TestBurstOfSyncs(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		names := w.crowd(10)
		w.allSynced()
		w.settle()
		var last string
		for range 19 {
			w.sync(catalog.SyncRequest{})
		}
		w.app.forget()
		last = w.sync(catalog.SyncRequest{}).SyncID
		w.allSynced()
		w.settle()
		for _, ns := range names {
			if n := len(w.app.of(ns)); n < 1 || n > 2 {
				t.Errorf("%s had %d runs after the burst, not one or two", ns, n)
			}
			w.wantAt(ns, last, catalog.ReasonSynced)
		}
	})
}

func TestForcedResyncDuringARun(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "sre")
		first := w.next(calls)
		seen := w.watch(compute, "sre")
		_, err := w.Resync(t.Context(), "sre", compute, nil)
		must(t, err)
		first.answer(http.StatusOK)
		second := w.next(calls)
		if got := w.sub("sre"); got.CurrentSyncID != "" || !got.Active || got.State != catalog.StateSuccess {
			t.Errorf("the run that was overtaken left %+v, not an active one without current_sync_id", got.Subscription)
		}
		if second.key == first.key {
			t.Errorf("the second run has the first one's idempotency key %q", first.key)
		}
		second.answer(http.StatusOK)
		w.settle()
		w.wantAt("sre", second.syncID, catalog.ReasonSynced)
		w.wantCalled("sre", 2)
		seen.want(catalog.StateSuccess, catalog.StateSuccess)
	})
}

// A re-sync that is forced while a trigger fails is a trigger of its own.
func TestForcedResyncDuringAFailingRun(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "sre")
		first := w.next(calls)
		_, err := w.Resync(t.Context(), "sre", compute, nil)
		must(t, err)
		first.answer(http.StatusInternalServerError)
		w.next(calls).answer(http.StatusInternalServerError)
		w.next(calls).answer(http.StatusOK)
		w.settle()
		w.wantAt("sre", first.syncID, catalog.ReasonSynced)
		w.wantCalled("sre", 3)
	})
}

func TestUnsubscribeDuringARun(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "sre")
		run := w.next(calls)
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		w.wantGone(run)
		w.settle()
		w.wantNoLocks()
		if _, err := w.Subscription(t.Context(), "sre", compute); !isKind(err, catalog.ErrNotFound) {
			t.Errorf("the run of a deleted subscription left %v", err)
		}
		w.app.behave(succeeds)
		w.app.forget()
		w.subscribe(compute, "sre")
		w.synced("sre")
		w.settle()
		w.wantCalled("sre", 1)
	})
}

// What a run of a deleted subscription would write is not written to one that was created in its place.
func TestSubscriptionIsReplacedDuringARun(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "sre")
		run := w.next(calls)
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		w.subscribe(compute, "sre")
		seen := w.watch(compute, "sre")
		run.answer(http.StatusOK)
		again := w.next(calls)
		if again.key == run.key {
			t.Errorf("the new subscription's run has the deleted one's idempotency key %q", run.key)
		}
		if got := w.sub("sre"); got.Active || got.State != catalog.StateInit || got.Attempt.Begun != 1 {
			t.Errorf("the new subscription is %+v before its first run has ended", got.Subscription)
		}
		again.answer(http.StatusOK)
		w.settle()
		w.wantCalled("sre", 2)
		seen.want(catalog.StateSuccess)
		w.wantNoLocks()
	})
}

// The same when the reconciler has not seen yet that the subscription is another.
func TestSubscriptionIsReplacedUnseen(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		t := w.t
		watch := &severed{}
		w.options = func(o *reconciler.Options) { watch.Store, o.Store = o.Store, watch }
		p := w.startOne()
		calls := w.hold(of("sre"))
		w.register(compute, "sre")
		run := w.next(calls)
		watch.sever(true)
		w.eventually("the reconciler is not ready", func() bool { return !p.ready() })
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		w.subscribe(compute, "sre")
		seen := w.watch(compute, "sre")
		run.answer(http.StatusOK)
		w.eventually("the lock is given up", func() bool { return !w.locked("sre") })
		seen.want()
		if versions := seen.versions(); len(versions) > 0 {
			t.Errorf("the run of the deleted subscription has written %+v", versions)
		}
		watch.sever(false)
		w.next(calls).answer(http.StatusOK)
		w.synced("sre")
		w.settle()
		w.wantCalled("sre", 2)
		seen.want(catalog.StateSuccess)
	})
}

func (w *world) locked(ns string) bool {
	w.t.Helper()
	_, err := w.store.Get(w.t.Context(), scope().Prefix()+"locks/subscriptions/"+compute+"/"+ns)
	if err != nil && !isKind(err, store.ErrNotFound) {
		w.t.Fatal(err)
	}
	return err == nil
}
