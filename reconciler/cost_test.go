package reconciler_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
)

// counted is a store that counts what one process asks of it.
type counted struct {
	store.Store

	mu    sync.Mutex
	reads int
	txns  map[string]int // by the subscription that is written; "" for all others but those that tell of a process
	lost  int            // transactions that another one was faster than
}

// Get counts itself.
func (c *counted) Get(ctx context.Context, key string) (store.Entry, error) {
	c.read()
	return c.Store.Get(ctx, key)
}

// List counts itself.
func (c *counted) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	c.read()
	return c.Store.List(ctx, prefix, opts)
}

func (c *counted) read() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
}

// Txn counts itself.
func (c *counted) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	res, err := c.Store.Txn(ctx, txn)
	c.mu.Lock()
	defer c.mu.Unlock()
	if !res.OK {
		c.lost++
		return res, err
	}
	if !tellsOfAProcess(txn) {
		c.txns[subscriptionOf(txn)]++
	}
	return res, err
}

// tellsOfAProcess tells a transaction that writes a reconciler's record and nothing else: where jobs have to wait, which depends on
// how fast the machine is, it says so there.
func tellsOfAProcess(txn store.Txn) bool {
	return len(txn.Then) > 0 && !slices.ContainsFunc(txn.Then, func(op store.Op) bool { return !strings.HasPrefix(op.Key, scope().Prefix()+"reconcilers/") })
}

// subscriptionOf is the namespace whose subscription the transaction writes.
func subscriptionOf(txn store.Txn) string {
	i := slices.IndexFunc(txn.Then, func(op store.Op) bool {
		return op.Kind == store.OpPut && strings.HasPrefix(op.Key, scope().Prefix()+"subscriptions/")
	})
	if i < 0 {
		return ""
	}
	return scope().ParseKey(txn.Then[i].Key).Namespace
}

func (c *counted) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads, c.txns, c.lost = 0, map[string]int{}, 0
}

// A job costs one round trip to the store, and one more if it has steps. What it needs to know it knows from the watch.
func TestCostOfAJob(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]int{"nightly": 1, "api": 2} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			everyFleet(t, func(w *world) {
				t := w.t
				var stores []*counted
				w.options = func(o *reconciler.Options) {
					c := &counted{Store: o.Store, txns: map[string]int{}}
					stores, o.Store = append(stores, c), c
				}
				w.start()
				names := w.crowd(20)
				w.setMode(mode)
				w.allSynced()
				w.settle()
				for _, s := range stores {
					s.reset()
				}
				w.sync(catalog.SyncRequest{})
				w.allSynced()
				w.settle()
				total := map[string]int{}
				for _, s := range stores {
					if s.reads > 0 {
						t.Errorf("%d reads", s.reads)
					}
					if s.lost > 0 && len(stores) == 1 {
						t.Errorf("%d transactions of the only process came too late", s.lost)
					}
					for ns, n := range s.txns {
						total[ns] += n
					}
				}
				for _, ns := range names {
					if total[ns] != want {
						t.Errorf("%d transactions for %s, not %d", total[ns], ns, want)
					}
				}
				const others = 3 // the fetch begins, it ends, and the id is good
				if total[""] != others {
					t.Errorf("%d transactions beside the subscriptions', not %d", total[""], others)
				}
			})
		})
	}
}
