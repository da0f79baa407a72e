package catalog_test

import (
	"context"
	"fmt"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

// counted counts the requests that reach a store, and the writes among them.
type counted struct {
	store.Store

	requests, writes int
}

func (c *counted) Get(ctx context.Context, key string) (store.Entry, error) {
	c.requests++
	return c.Store.Get(ctx, key)
}

func (c *counted) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	c.requests++
	return c.Store.List(ctx, prefix, opts)
}

func (c *counted) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	c.requests++
	for _, op := range txn.Then {
		if op.Kind != store.OpGet {
			c.writes++
		}
	}
	return c.Store.Txn(ctx, txn)
}

// A sync writes one record in one transaction, after one read, whatever the number of subscribers.
func TestASyncCostsTheSameForAll(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.must(errOf(w.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{})))
		c := &counted{Store: w.store}
		repo := catalog.NewRepository(c, home())
		for _, subscribers := range []int{0, 1, 150} {
			w.subscribers(subscribers)
			for _, expected := range []string{w.syncID(), ""} {
				c.requests, c.writes = 0, 0
				w.must(errOf(repo.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{ExpectedSyncID: expected}, nil)))
				if c.requests != 2 || c.writes != 1 {
					w.t.Errorf("%d subscribers: %d requests and %d writes, not 2 and 1", subscribers, c.requests, c.writes)
				}
			}
		}
		c.requests, c.writes = 0, 0
		w.must(errOf(repo.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{CanaryNamespaces: []string{"t0", "t1", "t2"}}, nil)))
		if c.requests != 3 || c.writes != 1 {
			w.t.Errorf("canary: %d requests and %d writes, not 3 and 1", c.requests, c.writes)
		}
	})
}

func (w *world) syncID() string {
	w.t.Helper()
	reg, err := w.Registration(w.ctx(), compute)
	w.must(err)
	return reg.SyncID
}

// subscribers sees to it that there are n.
func (w *world) subscribers(n int) {
	w.t.Helper()
	for i := range n {
		ns := fmt.Sprintf("t%d", i)
		if _, err := w.CreateNamespace(w.ctx(), ns); err == nil {
			w.must(errOf(w.Subscribe(w.ctx(), ns, compute)))
		}
	}
}

func errOf[T any](_ T, err error) error { return err }
