package reconciler_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"kayra/store/catalog"
)

func TestKilledOnLocal(t *testing.T) {
	t.Parallel()
	w := newTown(t, "local")
	killed := w.spawn()
	calls := w.hold(every)
	w.register(compute, "sre")
	w.next(calls)
	killed.kill()
	w.spawn()
	w.next(calls).answer(http.StatusOK)
	w.synced("sre")
	w.settle()
	w.wantCalls("sre", 2)
	w.wantOutcomes("sre", catalog.StateSuccess)
	w.wantNoLocks()
}

// A local file has one reconciler. Others that open it read and write at the same time.
func TestSecondReconcilerOnLocal(t *testing.T) {
	t.Parallel()
	w := newTown(t, "local")
	owner := w.spawn()
	calls := w.hold(every)
	w.register(compute, "sre")
	first := w.next(calls)

	second := w.launch()
	if code := w.exit(second); code != exitInUse {
		t.Errorf("a second reconciler ended with %d, not %d", code, exitInUse)
	}
	if log := second.logged(); !strings.Contains(log, "process "+strconv.Itoa(owner.cmd.Process.Pid)+" holds it") {
		t.Errorf("a second reconciler does not say who holds the file: %s", log)
	}

	s, _ := w.open(t)
	other := catalog.NewRepository(s, scope())
	if _, err := other.UpdateRegistration(t.Context(), compute, catalog.RegistrationChange{}, nil); err != nil {
		t.Errorf("a write beside the reconciler: %v", err)
	}
	w.subscribe(compute, "apps")
	w.next(calls).answer(http.StatusOK)
	w.synced("apps")
	first.answer(http.StatusOK)
	w.synced("sre")
	w.settle()
	w.wantCalls("sre", 1)
	w.wantCalls("apps", 1)
	w.wantNoLocks()
}

// What dies with a process again and again, because of another job, is not taken for what killed it.
func TestKilledWithAPoisonousTenant(t *testing.T) {
	t.Parallel()
	w := newTown(t, "local")
	names := []string{"apps", "core", "dev", "poison", "sre"}
	running := w.spawn()
	calls := w.hold(every)
	w.register(compute, names...)
	for range 2 {
		for range names {
			w.next(calls)
		}
		running.kill()
		running = w.spawn()
	}
	for range names {
		if h := w.next(calls); h.namespace != "poison" {
			h.answer(http.StatusOK)
			continue
		}
		running.kill()
		running = w.spawn()
	}
	w.synced("apps", "core", "dev", "sre")
	w.eventually("the poison is given up", func() bool { return w.sub("poison").Reason == catalog.ReasonInterrupted })
	w.settle()
	for _, ns := range names {
		w.wantCalls(ns, 3)
	}
	w.wantNoLocks()
}
