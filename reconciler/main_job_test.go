package reconciler_test

import (
	"net/http"
	"slices"
	"testing"

	"kayra/store/catalog"
)

func TestMainJob(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.register(compute, "apps", "core", "sre")
		w.start()
		w.synced("apps", "core", "sre")
		w.settle()
		for _, ns := range []string{"apps", "core", "sre"} {
			if got := len(w.app.of(ns)); got != 1 {
				t.Errorf("%s had %d calls to activate it, not 1", ns, got)
			}
		}
		first := w.sub("sre").CurrentSyncID

		canary := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
		w.synced("sre")
		w.settle()
		if got := w.sub("apps"); got.CurrentSyncID != first || got.Reason != catalog.ReasonCanaryHold {
			t.Errorf("apps is at %s (%s) during the canary of sre, not held at %s", got.CurrentSyncID, got.Reason, first)
		}

		released := w.sync(catalog.SyncRequest{})
		if released.SyncID != canary.SyncID {
			t.Errorf("the release gave %s, not the canary's %s", released.SyncID, canary.SyncID)
		}
		w.synced("apps", "core", "sre")
		w.settle()
		for ns, want := range map[string]int{"apps": 2, "core": 2, "sre": 2} {
			if got := len(w.app.of(ns)); got != want {
				t.Errorf("%s had %d calls, not %d", ns, got, want)
			}
		}
		if got := w.app.fetched(); got != 2 {
			t.Errorf("%d fetches for two sync ids", got)
		}
	})
}

func TestFailureIsBounded(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.app.behave(func(call) int { return http.StatusInternalServerError })
		w.register(compute, "sre")
		w.start()
		w.eventually("the failure is recorded", func() bool { return w.sub("sre").State == catalog.StateError })
		w.settle()
		calls := w.app.of("sre")
		want := 2 * (1 + w.fleet.processes - 1) // a start is a trigger, and they start one after the other
		if len(calls) > want || len(calls) < 2 {
			t.Errorf("%d calls for %d starts, not 2 each", len(calls), w.fleet.processes)
		}
		w.app.forget()
		_, err := w.TouchSubscription(t.Context(), "sre", compute, nil)
		must(t, err)
		w.eventually("the trigger is used", func() bool { return len(w.app.of("sre")) == 2 })
		w.settle()
		calls = w.app.of("sre")
		if len(calls) != 2 || calls[0].key == calls[1].key || slices.Contains([]string{calls[0].key, calls[1].key}, "") {
			t.Errorf("calls after a no-op PUT: %+v; want two with keys of their own", calls)
		}
	})
}

// A first attempt that fails leaves no trace but its retry.
func TestRetrySucceeds(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		w.register(compute)
		w.settle()
		seen := w.watch(compute, "sre")
		calls := w.hold(every)
		w.subscribe(compute, "sre")
		w.next(calls).answer(http.StatusInternalServerError)
		retry := w.next(calls)
		if got := w.sub("sre"); got.State != catalog.StateInit || got.Reason != catalog.ReasonRunning || got.Attempt.N != 2 {
			t.Errorf("during the retry it is %s, %s: %+v", got.State, got.Reason, got.Attempt)
		}
		retry.answer(http.StatusOK)
		w.settle()
		w.wantCalled("sre", 2)
		w.wantAt("sre", retry.syncID, catalog.ReasonSynced)
		seen.want(catalog.StateSuccess)
	})
}
