package reconciler_test

import (
	"testing"

	"kayra/store/catalog"
)

// canary makes a world of three synced subscribers, and gives one of them a new id. What is held is at the old one.
func (w *world) canary(namespaces ...string) (old, fresh string) {
	w.t.Helper()
	w.register(compute, "apps", "core", "sre")
	w.synced("apps", "core", "sre")
	w.settle()
	old = w.sub("sre").CurrentSyncID
	fresh = w.sync(catalog.SyncRequest{CanaryNamespaces: namespaces}).SyncID
	w.settle()
	return old, fresh
}

func (w *world) wantAt(ns, syncID string, reason catalog.Reason) {
	w.t.Helper()
	if got := w.sub(ns); got.CurrentSyncID != syncID || got.Reason != reason {
		w.t.Errorf("%s is at %q (%s: %s), not at %q (%s)", ns, got.CurrentSyncID, got.Reason, got.Message, syncID, reason)
	}
}

// wantCalled checks how often a namespace was called since the calls were forgotten last.
func (w *world) wantCalled(ns string, want int) {
	w.t.Helper()
	if got := w.app.of(ns); len(got) != want {
		w.t.Errorf("%s had %d calls, not %d: %+v", ns, len(got), want, got)
	}
}

// No path leads round the hold, and what has been asked for meanwhile is done once, by the release.
func TestHoldIsKeptAtEverySideDoor(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		old, fresh := w.canary("sre")
		w.wantAt("sre", fresh, catalog.ReasonSynced)
		w.app.forget()
		for _, ns := range []string{"apps", "sre"} {
			_, err := w.TouchSubscription(t.Context(), ns, compute, nil)
			must(t, err)
		}
		_, err := w.UpdateRegistration(t.Context(), compute, catalog.RegistrationChange{Owner: new("sre-b")}, nil)
		must(t, err)
		forced, err := w.Resync(t.Context(), "core", compute, nil)
		must(t, err)
		if forced.InSync || forced.Reason != catalog.ReasonCanaryHold || forced.CurrentSyncID != "" {
			t.Errorf("core after a forced re-sync that is held: %+v", forced)
		}
		w.restart()
		w.settle()
		w.wantAt("apps", old, catalog.ReasonCanaryHold)
		w.wantAt("core", "", catalog.ReasonCanaryHold)
		for _, ns := range []string{"apps", "core", "sre"} {
			w.wantCalled(ns, 0)
		}

		w.subscribe(compute, "late")
		w.synced("late")
		w.settle()
		w.wantAt("late", fresh, catalog.ReasonSynced)
		w.wantAt("apps", old, catalog.ReasonCanaryHold)

		w.sync(catalog.SyncRequest{Release: true, ExpectedSyncID: fresh})
		w.synced("apps", "core", "sre", "late")
		w.settle()
		for ns, want := range map[string]int{"apps": 1, "core": 1, "sre": 0, "late": 1} {
			w.wantCalled(ns, want)
			w.wantAt(ns, fresh, catalog.ReasonSynced)
		}
	})
}

// restart ends a reconciler and starts another, which is a second one where the store takes several.
func (w *world) restart() {
	w.t.Helper()
	if w.fleet.backend == "local" {
		w.started[len(w.started)-1].stop()
	}
	w.startOne()
}

func TestHeldFailureIsTriedByTheRelease(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		_, fresh := w.canary("sre")
		w.app.forget()
		w.app.behave(fails("apps"))
		seen := w.watch(compute, "apps")
		_, err := w.Resync(t.Context(), "apps", compute, nil)
		must(t, err)
		w.settle()
		seen.want()
		w.sync(catalog.SyncRequest{})
		w.settle()
		w.wantCalled("apps", 2)
		seen.want(catalog.StateError)
		w.wantAt("core", fresh, catalog.ReasonSynced)
		w.wantAt("apps", "", catalog.ReasonStepFailed)
	})
}

func TestStackedCanaries(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		old, first := w.canary("sre")
		second := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"core"}})
		w.settle()
		if second.SyncID == first || second.ReleasedSyncID != old {
			t.Errorf("the second canary is at %s and would be aborted to %s", second.SyncID, second.ReleasedSyncID)
		}
		w.wantAt("core", second.SyncID, catalog.ReasonSynced)
		w.wantAt("sre", first, catalog.ReasonCanaryHold)
		w.wantAt("apps", old, catalog.ReasonCanaryHold)
		w.app.forget()
		w.sync(catalog.SyncRequest{})
		w.settle()
		for ns, want := range map[string]int{"apps": 1, "core": 0, "sre": 1} {
			w.wantAt(ns, second.SyncID, catalog.ReasonSynced)
			w.wantCalled(ns, want)
		}
	})
}

func TestStackedCanariesAreAborted(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		old, _ := w.canary("sre")
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"core"}})
		w.settle()
		w.app.forget()
		w.sync(catalog.SyncRequest{Abort: true})
		w.settle()
		for ns, want := range map[string]int{"apps": 0, "core": 1, "sre": 1} {
			w.wantAt(ns, old, catalog.ReasonSynced)
			w.wantCalled(ns, want)
		}
	})
}

func TestNewIDDuringARollout(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		old, _ := w.canary("sre")
		w.app.forget()
		reg, err := w.UpdateRegistration(t.Context(), compute, catalog.RegistrationChange{SyncID: new("v2")}, nil)
		must(t, err)
		w.settle()
		if !reg.Pending() || reg.ReleasedSyncID != old {
			t.Errorf("after a PUT of another id: canaries %v, released %s", reg.CanaryNamespaces, reg.ReleasedSyncID)
		}
		w.wantAt("sre", "v2", catalog.ReasonSynced)
		w.wantAt("apps", old, catalog.ReasonCanaryHold)
		for ns, want := range map[string]int{"apps": 0, "core": 0, "sre": 1} {
			w.wantCalled(ns, want)
		}
		w.sync(catalog.SyncRequest{Release: true, ExpectedSyncID: "v2"})
		w.settle()
		w.wantAt("apps", "v2", catalog.ReasonSynced)
		w.wantCalled("sre", 1)
	})
}

func TestReleaseTwice(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		_, fresh := w.canary("sre")
		w.app.forget()
		release := catalog.SyncRequest{Release: true, ExpectedSyncID: fresh}
		errs := make(chan error)
		for range 2 {
			go func() {
				_, err := w.SyncRegistration(t.Context(), compute, release, nil)
				errs <- err
			}()
		}
		first, second := <-errs, <-errs
		if (first == nil) == (second == nil) || !isKind(first, catalog.ErrConflict) && !isKind(second, catalog.ErrConflict) {
			t.Errorf("two releases at once: %v and %v, want one to be refused", first, second)
		}
		_, err := w.SyncRegistration(t.Context(), compute, catalog.SyncRequest{Release: true, ExpectedSyncID: "another"}, nil)
		if !isKind(err, catalog.ErrConflict) {
			t.Errorf("a release of another id: %v", err)
		}
		w.settle()
		for ns, want := range map[string]int{"apps": 1, "core": 1, "sre": 0} {
			w.wantAt(ns, fresh, catalog.ReasonSynced)
			w.wantCalled(ns, want)
		}
	})
}

// A release is a trigger for a canary that has failed.
func TestFailedCanaryIsReleased(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		w.register(compute, "apps", "sre")
		w.synced("apps", "sre")
		w.app.behave(fails("sre"))
		fresh := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}).SyncID
		w.settle()
		w.app.forget()
		seen := w.watch(compute, "sre")
		w.sync(catalog.SyncRequest{})
		w.settle()
		w.wantCalled("sre", 2)
		w.wantCalled("apps", 1)
		w.wantAt("apps", fresh, catalog.ReasonSynced)
		w.wantAt("sre", seen.before.CurrentSyncID, catalog.ReasonStepFailed)
		seen.want(catalog.StateError)
	})
}
