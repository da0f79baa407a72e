package reconciler_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"kayra/store"
	"kayra/store/catalog"
)

// leave is the end of a process by SIGTERM: with exit code 0, and nothing of it left in the store.
func (w *town) leave(c *child) {
	w.t.Helper()
	session := w.session(c)
	w.terminate(c)
	w.gone(c, session)
}

func (w *town) gone(c *child, session string) {
	w.t.Helper()
	if code := w.exit(c); code != 0 {
		w.t.Errorf("%s ended with %d", c.id, code)
	}
	l, err := w.store.List(w.t.Context(), scope().Prefix(), store.ListOptions{})
	must(w.t, err)
	for _, e := range l.Entries {
		if e.Session == session {
			w.t.Errorf("%s has left %s", c.id, e.Key)
		}
	}
}

// pair is two processes with a single slot each, of which the first one runs sre.
func pair(t *testing.T, drain time.Duration) (w *town, calls <-chan held, first held, running *child) {
	t.Helper()
	w = newTown(t, "etcd", func(p *plan) { p.Slots, p.DrainTimeout, p.LeaseTTL = 1, drain, time.Minute })
	w.spawn()
	w.spawn()
	calls = w.hold(every)
	w.register(compute, "sre")
	first = w.next(calls)
	return w, calls, first, w.holder("sre")
}

func TestTerminatedAndDrained(t *testing.T) {
	t.Parallel()
	w, calls, first, leaving := pair(t, patience)
	session := w.session(leaving)
	w.terminate(leaving)
	w.subscribe(compute, "apps")
	second := w.next(calls)
	if by := w.holder("apps"); by == leaving {
		t.Errorf("%s began a run after SIGTERM", by.id)
	}
	w.subscribe(compute, "core") // for which there is no slot yet
	first.answer(http.StatusOK)
	w.gone(leaving, session)
	w.synced("sre")
	second.answer(http.StatusOK)
	w.next(calls).answer(http.StatusOK)
	w.synced("apps", "core")
	w.settle()
	for _, ns := range []string{"sre", "apps", "core"} {
		w.wantCalls(ns, 1)
		w.wantOutcomes(ns, catalog.StateSuccess)
	}
}

func TestTerminatedAndCutOff(t *testing.T) {
	t.Parallel()
	w, calls, _, leaving := pair(t, 50*time.Millisecond)
	w.leave(leaving)
	second := w.next(calls)
	if by := w.holder("sre"); by == leaving {
		t.Errorf("%s repeats the run that it was cut off from", by.id)
	}
	second.answer(http.StatusOK)
	w.synced("sre")
	w.settle()
	w.wantCalls("sre", 2)
	w.wantOutcomes("sre", catalog.StateSuccess)
	w.wantNoLocks()
}

func TestTerminatedBeforeTheRetry(t *testing.T) {
	t.Parallel()
	w, calls, first, leaving := pair(t, patience)
	session := w.session(leaving)
	w.terminate(leaving)
	first.answer(http.StatusInternalServerError)
	second := w.next(calls)
	w.gone(leaving, session)
	if second.key == first.key {
		t.Errorf("the retry has the key %q of the attempt that failed", first.key)
	}
	second.answer(http.StatusInternalServerError)
	w.eventually("the failure is recorded", func() bool { return w.sub("sre").State == catalog.StateError })
	w.settle()
	if n := len(w.app.of("sre")); n != 2 {
		t.Errorf("%d calls, not two", n)
	}
	w.wantOutcomes("sre", catalog.StateError)
	w.wantNoLocks()
}

func TestTerminatedWhileIdle(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"local", "etcd"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, backend)
			c := w.spawn()
			w.register(compute, "sre")
			w.synced("sre")
			w.leave(c)
			if _, err := w.store.Get(t.Context(), lockOf("sre")); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the lock of sre: %v", err)
			}
		})
	}
}
