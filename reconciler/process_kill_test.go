package reconciler_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"kayra/store/catalog"
)

func TestKilledDuringARun(t *testing.T) {
	t.Parallel()
	for _, processes := range []int{2, 3} {
		t.Run(strconv.Itoa(processes), func(t *testing.T) {
			t.Parallel()
			w := newTown(t, "etcd")
			for range processes {
				w.spawn()
			}
			calls := w.hold(every)
			w.register(compute, "sre")
			w.next(calls)
			w.holder("sre").kill()
			w.next(calls).answer(http.StatusOK)
			w.synced("sre")
			w.settle()
			w.wantCalls("sre", 2)
			w.wantOutcomes("sre", catalog.StateSuccess)
			w.wantNoLocks()
		})
	}
}

// The immediate retry is an attempt of its own, which is repeated as the first one is. The first one has had its end.
func TestKilledDuringTheRetry(t *testing.T) {
	t.Parallel()
	w := newTown(t, "etcd")
	w.spawn()
	w.spawn()
	calls := w.hold(every)
	w.register(compute, "sre")
	first := w.next(calls)
	first.answer(http.StatusInternalServerError)
	retry := w.next(calls)
	w.holder("sre").kill()
	repeated := w.next(calls)
	if first.key == retry.key || retry.key != repeated.key {
		t.Errorf("the keys are %q, of the retry %q, and of its repetition %q", first.key, retry.key, repeated.key)
	}
	repeated.answer(http.StatusInternalServerError)
	w.eventually("the failure is recorded", func() bool { return w.sub("sre").State == catalog.StateError })
	w.settle()
	if n := len(w.app.of("sre")); n != 3 {
		t.Errorf("%d calls, not 3", n)
	}
	w.wantOutcomes("sre", catalog.StateError)
	w.wantNoLocks()
}

func TestKilledDuringAFetch(t *testing.T) {
	t.Parallel()
	w := newTown(t, "etcd")
	w.spawn()
	w.spawn()
	fetching, over := make(chan struct{}), make(chan struct{})
	w.app.document(func(http.ResponseWriter, *http.Request) {
		close(fetching)
		<-over
	})
	w.register(compute, "apps", "core", "sre")
	<-fetching
	w.app.document(serveText(document))
	w.holderOf(scope().Prefix() + "locks/specs/" + compute).kill()
	w.allSynced()
	close(over)
	w.settle()
	if n := w.app.fetched(); n != 2 {
		t.Errorf("%d fetches, not 2", n)
	}
	for _, ns := range []string{"apps", "core", "sre"} {
		w.wantCalls(ns, 1)
	}
	w.wantNoLocks()
}

func TestKilledDuringAFanOut(t *testing.T) {
	t.Parallel()
	const subscribers, kills = 200, 2 // what is cut off three times ends as interrupted
	w := newTown(t, "etcd", func(p *plan) { p.Slots = 10 })
	names := w.crowd(subscribers)
	for range 3 {
		w.spawn()
	}
	w.allSynced()
	w.app.forget()

	moments := []int64{1 + rand.N[int64](subscribers/2), 1 + subscribers/2 + rand.N[int64](subscribers/2)}
	t.Logf("kills at the calls %v", moments)
	var count atomic.Int64
	reached := make(chan struct{}, kills)
	w.app.behave(func(call) int {
		if slices.Contains(moments, count.Add(1)) {
			reached <- struct{}{}
		}
		<-time.After(10 * time.Millisecond) // so long the step takes
		return http.StatusOK
	})
	w.sync(catalog.SyncRequest{})
	for i := range kills {
		<-reached
		w.children[i].kill()
		w.spawn()
	}
	w.allSynced()
	w.settle()
	w.wantNoLocks()
	for _, ns := range names {
		w.wantCallsUpTo(ns, 1+kills)
	}
}

// A tenant whose run ends the process each time must not take the others down with it.
func TestPoisonousTenant(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(w *town){
		"client's write": func(w *town) {
			_, err := w.TouchSubscription(w.t.Context(), "poison", compute, nil)
			must(w.t, err)
		},
		"new target": func(w *town) { w.sync(catalog.SyncRequest{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, "etcd")
			w.spawn()
			w.spawn()
			calls := w.hold(of("poison"))
			w.register(compute, "apps", "core", "poison")
			for range 3 {
				w.next(calls)
				w.holder("poison").kill()
				w.spawn() // which is a trigger by itself
			}
			w.eventually("the poison is given up", func() bool {
				sub := w.sub("poison")
				return sub.State == catalog.StateError && sub.Reason == catalog.ReasonInterrupted
			})
			w.synced("apps", "core")
			w.spawn()
			w.settle()
			w.wantCalls("poison", 3)
			w.wantOutcomes("poison", catalog.StateError)

			w.app.forget()
			begin(w)
			w.next(calls).answer(http.StatusOK)
			w.synced("apps", "core", "poison")
			w.settle()
			w.wantCalls("poison", 1)
			w.wantNoLocks()
		})
	}
}
