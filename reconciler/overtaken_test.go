package reconciler_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
)

// overtaken is a store that has something happen just before it carries out a transaction.
type overtaken struct {
	store.Store

	which  func(txn store.Txn) bool
	before func()
}

// Txn lets the other one be faster.
func (o *overtaken) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	if o.which(txn) {
		o.before()
	}
	return o.Store.Txn(ctx, txn)
}

// decides tells whether the transaction is the first that follows from a decision about the namespace: a claim, or an
// outcome without one.
func decides(ns string) func(txn store.Txn) bool {
	return func(txn store.Txn) bool {
		for _, c := range txn.If {
			if c.Kind == store.CondAbsent && c.Key == scope().Prefix()+"locks/subscriptions/"+compute+"/"+ns {
				return true
			}
		}
		return false
	}
}

func fetches(txn store.Txn) bool {
	return len(txn.If) > 0 && txn.If[0].Kind == store.CondAbsent && strings.Contains(txn.If[0].Key, "/locks/specs/")
}

// A client that writes between the decision and the claim wins: neither a hold nor a pause is overrun, and what is sent
// carries the newer target.
func TestClientIsFasterThanTheClaim(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"api", "nightly"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			onFleets(t, extremes(), func(w *world) {
				t := w.t
				first := w.interpose(decides("apps"))
				w.start()
				w.register(compute, "apps", "sre")
				w.setMode(mode)
				w.synced("apps", "sre")
				w.settle()
				old := w.sub("apps").CurrentSyncID
				w.app.forget()

				first.arm(func() { w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}) })
				w.sync(catalog.SyncRequest{})
				first.wait(t)
				w.settle()
				w.wantCalled("apps", 0)
				w.wantAt("apps", old, catalog.ReasonCanaryHold)

				first.arm(func() { w.pause(true) })
				w.sync(catalog.SyncRequest{Release: true})
				first.wait(t)
				w.settle()
				w.wantCalled("apps", 0)
				w.wantAt("apps", old, catalog.ReasonPaused)

				first.arm(func() { w.sync(catalog.SyncRequest{}) })
				w.pause(false)
				first.wait(t)
				w.settle()
				w.wantAt("apps", w.sub("apps").ExpectedSyncID, catalog.ReasonSynced)
				w.wantCalled("apps", map[string]int{"api": 1, "nightly": 0}[mode])
			})
		})
	}
}

func TestClientIsFasterThanTheFetch(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		first := w.interpose(fetches)
		w.start()
		w.register(compute, "sre")
		w.synced("sre")
		w.settle()
		w.app.forget()
		first.arm(func() { w.pause(true) })
		w.sync(catalog.SyncRequest{})
		first.wait(t)
		w.settle()
		w.wantFetched(0)
		w.pause(false)
		w.synced("sre")
		w.settle()
		w.wantFetched(1)
	})
}

// interposed is something that happens once, before the next transaction of a kind, whichever process carries it out.
type interposed struct {
	mu   sync.Mutex
	next func()
	done chan struct{}
}

// interpose has the reconcilers' transactions of a kind be preceded by what is armed.
func (w *world) interpose(which func(txn store.Txn) bool) *interposed {
	w.t.Helper()
	i := &interposed{}
	w.options = func(o *reconciler.Options) { o.Store = &overtaken{Store: o.Store, which: which, before: i.fire} }
	return i
}

func (i *interposed) arm(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.next, i.done = f, make(chan struct{})
}

// fire holds up all processes until what happens has happened.
func (i *interposed) fire() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.next != nil {
		i.next()
		i.next = nil
		close(i.done)
	}
}

func (i *interposed) wait(t *testing.T) {
	t.Helper()
	i.mu.Lock()
	done := i.done
	i.mu.Unlock()
	eventually(t, "it has happened", func() bool { return ended(done) })
}
