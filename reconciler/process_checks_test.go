package reconciler_test

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"kayra/store"
	"kayra/store/catalog"
)

// held is a sync call that waits for its answer.
type held struct {
	call

	answer func(status int)
}

// hold makes the sync calls that which takes wait for their answer. The others are answered well at once.
func (w *world) hold(which func(c call) bool) <-chan held {
	w.t.Helper()
	calls, over := make(chan held), make(chan struct{})
	w.t.Cleanup(func() { close(over) })
	w.app.behave(func(c call) int {
		if !which(c) {
			return http.StatusOK
		}
		status := make(chan int, 1)
		select {
		case calls <- held{call: c, answer: func(s int) { status <- s }}:
		case <-c.gone:
		case <-over:
		}
		select {
		case s := <-status:
			return s
		case <-c.gone:
			return http.StatusServiceUnavailable
		case <-over:
			return http.StatusServiceUnavailable
		}
	})
	return calls
}

func every(call) bool { return true }

func of(namespace string) func(call) bool {
	return func(c call) bool { return c.namespace == namespace }
}

// next waits for the next call that is held.
func (w *world) next(calls <-chan held) held {
	w.t.Helper()
	select {
	case h := <-calls:
		return h
	case <-time.After(patience):
		w.t.Fatalf("no sync call within %s", patience)
		return held{}
	}
}

// wantCalls checks how often the namespace was called, each time with the same idempotency key.
func (w *world) wantCalls(ns string, want int) {
	w.t.Helper()
	if n := w.callsOfOneAttempt(ns); n != want {
		w.t.Errorf("%s had %d calls, not %d", ns, n, want)
	}
}

func (w *world) wantCallsUpTo(ns string, most int) {
	w.t.Helper()
	if n := w.callsOfOneAttempt(ns); n < 1 || n > most {
		w.t.Errorf("%s had %d calls, not 1 to %d", ns, n, most)
	}
}

// callsOfOneAttempt counts the calls, which must be repetitions of one attempt.
func (w *world) callsOfOneAttempt(ns string) int {
	w.t.Helper()
	calls := w.app.of(ns)
	for _, c := range calls {
		if c.key == "" || c.key != calls[0].key {
			w.t.Errorf("%s was called with the keys %q and %q: a repetition has the key of what it repeats", ns, calls[0].key, c.key)
		}
	}
	return len(calls)
}

// crowd registers the API with so many subscribers.
func (w *world) crowd(n int) []string {
	w.t.Helper()
	w.register(compute)
	names := make([]string, n)
	var subscribing errgroup.Group
	subscribing.SetLimit(16)
	for i := range names {
		names[i] = fmt.Sprintf("tenant-%d", i)
		subscribing.Go(func() error {
			_, err := w.CreateNamespace(w.t.Context(), names[i])
			if err == nil {
				_, err = w.Subscribe(w.t.Context(), names[i], compute)
			}
			return err
		})
	}
	must(w.t, subscribing.Wait())
	return names
}

func (w *world) allSynced() {
	w.t.Helper()
	w.eventually("all are synced", func() bool {
		status, err := w.Status(w.t.Context(), compute, true)
		must(w.t, err)
		return !slices.ContainsFunc(status.Subscriptions, func(s catalog.SubscriptionView) bool { return !s.InSync })
	})
}

// wantNoLocks checks that no job is locked.
func (w *world) wantNoLocks() {
	w.t.Helper()
	l, err := w.store.List(w.t.Context(), scope().Prefix()+"locks/", store.ListOptions{})
	must(w.t, err)
	for _, e := range l.Entries {
		w.t.Errorf("%s is held by session %s", e.Key, e.Session)
	}
}

// outcomes lists the outcomes that were ever recorded of a subscription.
func (w *world) outcomes(ns string) []catalog.State {
	w.t.Helper()
	const first = 1 // of a new store
	var states []catalog.State
	for _, e := range w.since(first) {
		id := scope().ParseKey(e.Key)
		if e.Deleted || id.Kind != catalog.KindSubscription || id.Namespace != ns {
			continue
		}
		var sub catalog.Subscription
		must(w.t, catalog.Decode(e.Entry, &sub))
		if sub.Attempt.Phase == catalog.PhaseSuccess || sub.Attempt.Phase == catalog.PhaseError {
			states = append(states, sub.State)
		}
	}
	return states
}

func (w *world) wantOutcomes(ns string, want ...catalog.State) {
	w.t.Helper()
	if got := w.outcomes(ns); !slices.Equal(got, want) {
		w.t.Errorf("the recorded outcomes of %s are %q, not %q", ns, got, want)
	}
}
