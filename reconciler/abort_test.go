package reconciler_test

import (
	"net/http"
	"testing"

	"kayra/store/catalog"
)

// Those that moved or were tried are brought back; nobody else is called.
func TestAbortAfterAFailedCanary(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		w.app.behave(func(c call) int {
			if c.namespace == "sre" && len(w.app.of("sre")) > 1 { // its activation was the first
				return http.StatusBadGateway
			}
			return http.StatusOK
		})
		old, fresh := w.canary("sre", "core")
		w.wantAt("core", fresh, catalog.ReasonSynced)
		w.wantAt("sre", old, catalog.ReasonStepFailed)
		if got := w.sub("sre"); got.State != catalog.StateError || !got.Active {
			t.Errorf("the failed canary is %s, active: %t", got.State, got.Active)
		}
		w.app.behave(succeeds)
		w.app.forget()
		seen := w.watch(compute, "sre")
		reg := w.sync(catalog.SyncRequest{Abort: true})
		w.settle()
		if reg.SyncID != old || reg.Pending() {
			t.Errorf("the abort left sync id %s and canaries %v", reg.SyncID, reg.CanaryNamespaces)
		}
		for ns, want := range map[string]int{"apps": 0, "core": 1, "sre": 1} {
			w.wantAt(ns, old, catalog.ReasonSynced)
			w.wantCalled(ns, want)
		}
		seen.want(catalog.StateSuccess)
	})
}

// A canary that was not even tried is left alone by the abort.
func TestAbortOfAnUntriedCanary(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		w.register(compute, "apps", "sre")
		w.synced("apps", "sre")
		w.settle()
		old := w.sub("sre").CurrentSyncID
		w.app.forget()
		w.pause(true)
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
		w.settle()
		w.sync(catalog.SyncRequest{Abort: true})
		w.pause(false)
		w.settle()
		w.wantFetched(0)
		for _, ns := range []string{"apps", "sre"} {
			w.wantAt(ns, old, catalog.ReasonSynced)
			w.wantCalled(ns, 0)
		}
	})
}

func TestAbortDuringTheCanaryRun(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"succeeds": http.StatusOK, "fails": http.StatusInternalServerError} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			everyFleet(t, func(w *world) {
				t := w.t
				w.start()
				w.register(compute, "apps", "sre")
				w.synced("apps", "sre")
				w.settle()
				old := w.sub("sre").CurrentSyncID
				w.app.forget()
				calls := w.hold(of("sre"))
				fresh := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}).SyncID
				run := w.next(calls)
				w.sync(catalog.SyncRequest{Abort: true})
				run.answer(status)
				back := w.next(calls)
				if run.syncID != fresh || back.syncID != old {
					t.Errorf("calls for %s and %s, not for %s and back for %s", run.syncID, back.syncID, fresh, old)
				}
				back.answer(http.StatusOK)
				w.settle()
				w.wantAt("sre", old, catalog.ReasonSynced)
				w.wantCalled("sre", 2)
				w.wantCalled("apps", 0)
			})
		})
	}
}
