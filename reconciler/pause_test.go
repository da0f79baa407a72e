package reconciler_test

import (
	"net/http"
	"testing"

	"kayra/store/catalog"
)

func (w *world) pause(paused bool) {
	w.t.Helper()
	_, err := w.UpdateRegistration(w.t.Context(), compute, catalog.RegistrationChange{Paused: &paused}, nil)
	must(w.t, err)
}

// While a registration is paused nothing begins, whatever the trigger. The end of the pause does it all, once.
func TestPauseHoldsEveryAttempt(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		w.register(compute, "apps", "core", "sre")
		w.synced("apps", "core", "sre")
		w.settle()
		old := w.sub("sre").CurrentSyncID
		w.app.forget()
		w.pause(true)
		target := w.sync(catalog.SyncRequest{}).SyncID
		_, err := w.Resync(t.Context(), "core", compute, nil)
		must(t, err)
		_, err = w.TouchSubscription(t.Context(), "apps", compute, nil)
		must(t, err)
		w.subscribe(compute, "late")
		w.restart()
		w.settle()
		w.wantFetched(0)
		for ns, at := range map[string]string{"apps": old, "core": "", "sre": old, "late": ""} {
			w.wantCalled(ns, 0)
			w.wantAt(ns, at, catalog.ReasonPaused)
		}
		w.pause(false)
		w.settle()
		w.wantFetched(1)
		for _, ns := range []string{"apps", "core", "sre", "late"} {
			w.wantCalled(ns, 1)
			w.wantAt(ns, target, catalog.ReasonSynced)
		}
	})
}

// A run that has begun ends as it does. Its immediate retry is an attempt like any other, and waits.
func TestPauseDuringARun(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		w.register(compute)
		w.settle()
		seen := w.watch(compute, "sre")
		calls := w.hold(of("sre"))
		w.subscribe(compute, "apps", "sre")
		run := w.next(calls)
		w.synced("apps")
		w.pause(true)
		run.answer(http.StatusInternalServerError)
		w.eventually("the failure is recorded", func() bool { return w.sub("sre").Attempt.Phase == catalog.PhaseFailed })
		_, err := w.TouchSubscription(t.Context(), "sre", compute, nil)
		must(t, err)
		w.restart()
		w.settle()
		w.wantCalled("sre", 1)
		w.wantAt("sre", "", catalog.ReasonPaused)
		seen.want()
		w.wantNoLocks()
		w.pause(false)
		w.next(calls).answer(http.StatusOK)
		w.synced("sre")
		w.settle()
		w.wantCalled("sre", 2)
		seen.want(catalog.StateSuccess)
	})
}

func TestPauseLetsARunEnd(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "sre")
		run := w.next(calls)
		w.pause(true)
		run.answer(http.StatusOK)
		w.synced("sre")
		w.settle()
		w.wantCalled("sre", 1)
		w.wantAt("sre", run.syncID, catalog.ReasonSynced)
	})
}

func TestPauseDuringTheFetch(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		fetching := make(chan chan struct{})
		w.app.document(func(rw http.ResponseWriter, _ *http.Request) {
			fail := make(chan struct{})
			fetching <- fail
			<-fail
			rw.WriteHeader(http.StatusInternalServerError)
		})
		w.register(compute, "sre")
		fail := <-fetching
		w.pause(true)
		close(fail)
		w.settle()
		w.wantFetched(1)
		w.wantAt("sre", "", catalog.ReasonPaused)
		if got := w.sub("sre").State; got != catalog.StateInit {
			t.Errorf("state %s: the trigger of the fetch was used up by one attempt", got)
		}
		w.app.document(serveText(document))
		w.pause(false)
		w.synced("sre")
		w.settle()
		w.wantFetched(2)
	})
}
