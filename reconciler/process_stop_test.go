//go:build !windows

package reconciler_test

import (
	"errors"
	"net/http"
	"strconv"
	"syscall"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

// A process that was stopped for longer than its lease finds its lock with another one, which is still at work. The answer
// that came in meanwhile is worth nothing.
func TestStoppedForLongerThanTheLease(t *testing.T) {
	t.Parallel()
	w := newTown(t, "etcd")
	w.spawn()
	w.spawn()
	calls := w.hold(every)
	w.register(compute, "sre")
	first := w.next(calls)
	stale := w.holder("sre")
	lost := w.session(stale)
	w.signal(stale, syscall.SIGSTOP)
	second := w.next(calls)
	other := w.holder("sre")
	if other == stale {
		t.Fatalf("%s runs while it is stopped", stale.id)
	}

	taken := w.mark()
	first.answer(http.StatusOK)
	w.signal(stale, syscall.SIGCONT)
	w.eventually("the stale process has a new session", func() bool {
		now := w.session(stale)
		return now != "" && now != lost
	})
	w.eventually("the stale process has ended its run", func() bool { return w.answers(stale, "/idle/"+strconv.FormatInt(taken, 10)) })
	for _, e := range w.since(taken) {
		if id := scope().ParseKey(e.Key); id.Kind != catalog.KindReconciler || id.Name != stale.id {
			t.Errorf("%s was written after another process had taken over: %+v", e.Key, e)
		}
	}
	if got := w.holder("sre"); got != other {
		t.Errorf("%s has the lock that %s had taken over", got.id, other.id)
	}
	second.answer(http.StatusOK)
	w.synced("sre")
	w.settle()
	w.wantCalls("sre", 2)
	w.wantOutcomes("sre", catalog.StateSuccess)

	w.terminate(other)
	if code := w.exit(other); code != 0 {
		t.Errorf("%s ended with %d", other.id, code)
	}
	w.app.forget()
	w.sync(catalog.SyncRequest{})
	w.next(calls).answer(http.StatusOK)
	w.synced("sre")
	w.settle()
	w.wantCalls("sre", 1)
	w.wantNoLocks()
}

// With nobody there to take over, the lock is gone all the same, and with it the right to write.
func TestStoppedAloneForLongerThanTheLease(t *testing.T) {
	t.Parallel()
	w := newTown(t, "etcd")
	alone := w.spawn()
	calls := w.hold(every)
	w.register(compute, "sre")
	first := w.next(calls)
	w.signal(alone, syscall.SIGSTOP)
	w.eventually("the lock is gone", func() bool {
		_, err := w.store.Get(t.Context(), lockOf("sre"))
		return errors.Is(err, store.ErrNotFound)
	})
	first.answer(http.StatusOK)
	w.signal(alone, syscall.SIGCONT)
	w.next(calls).answer(http.StatusOK)
	w.synced("sre")
	w.settle()
	w.wantCalls("sre", 2)
	w.wantOutcomes("sre", catalog.StateSuccess)
	w.wantNoLocks()
}
