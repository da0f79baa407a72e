package catalog_test

import (
	"context"
	"errors"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

// TestCrowd has so many write one record at once that most of them lose many times over.
func TestCrowd(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		first := w.register(compute)
		calls := make([]func() error, 300)
		for i := range calls {
			calls[i] = func() error {
				_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{}, nil)
				return err
			}
		}
		for _, err := range race(calls...) {
			w.must(err)
		}
		reg, err := w.Registration(w.ctx(), compute)
		w.must(err)
		if want := first.Generation + int64(len(calls)); reg.Generation != want {
			w.t.Errorf("got generation %d, want %d", reg.Generation, want)
		}
	})
}

// meddler is a store in which something else happens between what a write has read and its transaction.
type meddler struct {
	store.Store

	meddle func()
}

func (m *meddler) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	if meddle := m.meddle; len(txn.If) > 0 && meddle != nil {
		m.meddle = nil
		meddle()
	}
	return m.Store.Txn(ctx, txn)
}

// The entity tag of a subscription tells of its registration, too: it holds until the write is made, not only until it
// has been looked at.
func TestSubscriptionTagHolds(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		w.tenant("sre", compute)
		between := &meddler{Store: w.store}
		slow := catalog.NewRepository(between, home())
		for what, write := range map[string]func(catalog.Match) error{
			"update": func(m catalog.Match) error {
				_, err := slow.TouchSubscription(w.ctx(), "sre", compute, m)
				return err
			},
			"delete": func(m catalog.Match) error { return slow.Unsubscribe(w.ctx(), "sre", compute, m) },
		} {
			v, err := w.Subscription(w.ctx(), "sre", compute)
			w.must(err)
			between.meddle = func() {
				_, err := w.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{}, nil)
				w.must(err)
			}
			err = write(func(tag string) bool { return tag == v.Tag() })
			if !errors.Is(err, catalog.ErrPrecondition) {
				w.t.Errorf("%s: got error %v", what, err)
			}
		}
	})
}
