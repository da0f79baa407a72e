package reconciler_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
)

// flaky is a store that does not answer many of the transactions about jobs, some before and some after it has carried
// them out.
type flaky struct {
	store.Store

	mu     sync.Mutex
	random *rand.Rand
	well   bool
	faults int
}

// Txn fails at random.
func (f *flaky) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	before, after := f.fails(txn)
	if before {
		return store.Result{}, fmt.Errorf("nothing was written: %w", store.ErrUnavailable)
	}
	res, err := f.Store.Txn(ctx, txn)
	if after && err == nil {
		return store.Result{}, fmt.Errorf("the answer is lost: %w", store.ErrUnavailable)
	}
	return res, err
}

func (f *flaky) fails(txn store.Txn) (before, after bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.well || !slices.ContainsFunc(txn.Then, isOfAJob) {
		return false, false
	}
	const every = 8 // one in so many fails before it is carried out, and another one after
	n := f.random.IntN(every)
	if n < 2 {
		f.faults++
	}
	return n == 0, n == 1
}

func isOfAJob(op store.Op) bool {
	switch scope().ParseKey(op.Key).Kind {
	case catalog.KindSubscription, catalog.KindSubscriptionLock, catalog.KindSpec, catalog.KindSpecLock, catalog.KindRegistration:
		return true
	default:
		return false
	}
}

func (f *flaky) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.well = true
}

// Whatever the store leaves unanswered, a trigger is worth two attempts at most: a lost answer is never a lost outcome. It
// may be worth fewer, since a claim whose answer is lost counts as begun, and three of those in a row are given up.
func TestStoreThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		var stores []*flaky
		w.options = func(o *reconciler.Options) {
			f := &flaky{Store: o.Store, random: rand.New(rand.NewPCG(uint64(w.fleet.processes), uint64(len(stores))))}
			stores, o.Store = append(stores, f), f
		}
		w.start()
		failing := []string{"failing-1", "failing-2", "failing-3", "failing-4"}
		healthy := []string{"healthy-1", "healthy-2", "healthy-3", "healthy-4", "healthy-5", "healthy-6"}
		w.app.behave(fails(failing...))
		w.register(compute)
		w.eventually("the document is there, or is given up", w.fetchEnded)
		w.subscribe(compute, slices.Concat(failing, healthy)...)
		w.rest()
		for _, ns := range slices.Concat(failing, healthy) {
			w.wantAtMost(ns, 2)
		}
		w.app.forget()
		w.sync(catalog.SyncRequest{})
		w.rest()
		for _, ns := range slices.Concat(failing, healthy) {
			w.wantAtMost(ns, 2)
		}

		for _, s := range stores {
			s.heal()
		}
		w.app.forget()
		w.sync(catalog.SyncRequest{})
		w.rest()
		w.settle()
		for _, ns := range failing {
			w.wantCalled(ns, 2)
		}
		for _, ns := range healthy {
			w.wantCalled(ns, 1)
			w.wantAt(ns, w.sub(ns).ExpectedSyncID, catalog.ReasonSynced)
		}
		if stores[0].faults == 0 {
			t.Error("the store has answered everything")
		}
	})
}

func (w *world) fetchEnded() bool {
	w.t.Helper()
	e, err := w.store.Get(w.t.Context(), scope().Prefix()+"specs/"+compute)
	if err != nil {
		return false
	}
	var spec catalog.Spec
	must(w.t, catalog.Decode(e, &spec))
	return spec.Attempt.Phase == catalog.PhaseSuccess || spec.Attempt.Phase == catalog.PhaseError
}

func (w *world) wantAtMost(ns string, most int) {
	w.t.Helper()
	if got := w.app.of(ns); len(got) > most {
		w.t.Errorf("%s had %d calls, not at most %d: %+v", ns, len(got), most, got)
	}
}

// rest waits until each subscription has an outcome at the target, and no lock is left.
func (w *world) rest() {
	w.t.Helper()
	w.eventually("all is over", func() bool {
		status, err := w.Status(w.t.Context(), compute, true)
		must(w.t, err)
		locks, err := w.store.List(w.t.Context(), scope().Prefix()+"locks/", store.ListOptions{})
		must(w.t, err)
		return len(locks.Entries) == 0 && !slices.ContainsFunc(status.Subscriptions, func(s catalog.SubscriptionView) bool {
			final := s.Attempt.Phase == catalog.PhaseSuccess || s.Attempt.Phase == catalog.PhaseError
			return !final || s.Attempt.SyncID != s.ExpectedSyncID
		})
	})
}
