package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"kayra/store/catalog"
)

// lets are the lists of who may subscribe and who may not.
func lets(allowed, restricted []string) catalog.RegistrationChange {
	return catalog.RegistrationChange{AllowedNamespaces: &allowed, RestrictedNamespaces: &restricted}
}

func TestNamespaceLists(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		reg, err := w.CreateRegistration(w.ctx(), compute, lets([]string{"b", "a", "b"}, []string{"a", "a", "z"}))
		w.must(err)
		if !slices.Equal(reg.AllowedNamespaces, []string{"b", "a"}) || !slices.Equal(reg.RestrictedNamespaces, []string{"a", "z"}) {
			w.t.Errorf("made: %v, %v", reg.AllowedNamespaces, reg.RestrictedNamespaces)
		}
		for _, ns := range []string{"a", "b", "c"} {
			w.tenant(ns)
		}
		_, err = w.Subscribe(w.ctx(), "nobody", compute)
		w.refuses(err, catalog.ErrNotFound)
		_, err = w.Subscribe(w.ctx(), "c", compute)
		w.refuses(err, catalog.ErrForbidden, `"c"`, compute, "allowed_namespaces", "ask a sysadmin")
		_, err = w.Subscribe(w.ctx(), "a", compute) // in both lists
		w.refuses(err, catalog.ErrForbidden, `"a"`, compute, "restricted_namespaces", "ask a sysadmin")
		_, err = w.Subscribe(w.ctx(), "b", compute)
		w.must(err)

		_, err = w.UpdateRegistration(w.ctx(), compute, lets([]string{}, []string{"b"}), nil)
		w.must(err)
		_, err = w.Subscribe(w.ctx(), "c", compute)
		w.must(err)
		_, err = w.Subscribe(w.ctx(), "b", compute)
		w.refuses(err, catalog.ErrConflict) // it was there before
		_, err = w.TouchSubscription(w.ctx(), "b", compute, nil)
		w.must(err)
		_, err = w.Resync(w.ctx(), "b", compute, nil)
		w.must(err)
		_, err = w.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{CanaryNamespaces: []string{"b"}}, nil)
		w.must(err)
		w.must(w.Unsubscribe(w.ctx(), "b", compute, nil))
		_, err = w.Subscribe(w.ctx(), "b", compute)
		w.refuses(err, catalog.ErrForbidden)
		w.sound()
	})
}

func TestNamespaceListsRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		long := make([]string, catalog.MaxNamespaces+1)
		for i := range long {
			long[i] = fmt.Sprintf("n%d", i)
		}
		reg, err := w.CreateRegistration(w.ctx(), compute, lets(long[1:], long[1:]))
		w.must(err)
		if n := len(reg.AllowedNamespaces) + len(reg.RestrictedNamespaces); n != 2*catalog.MaxNamespaces {
			w.t.Errorf("%d names", n)
		}
		for pointer, ch := range map[string]catalog.RegistrationChange{
			"/allowed_namespaces: has 1001":    lets(long, nil),
			"/restricted_namespaces: has 1001": lets(nil, long),
			"/allowed_namespaces/1: ":          lets([]string{"a", "A"}, nil),
			"/restricted_namespaces/0: ":       lets(nil, []string{"a.b"}),
		} {
			_, err := w.UpdateRegistration(w.ctx(), compute, ch, nil)
			w.refuses(err, catalog.ErrInvalid, pointer)
		}
	})
}

// A subscription that meets a change of the lists comes before it, or is decided by what it left.
func TestSubscribeAgainstRestrict(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.tenant("sre")
		for i := range rounds {
			api := fmt.Sprintf("r%d.example.com", i)
			w.register(api)
			change := lets(nil, []string{"sre"})
			if i%2 == 1 {
				change = lets([]string{"apps"}, nil)
			}
			var reg catalog.Registration
			var sub catalog.SubscriptionView
			errs := race(
				func() (err error) { sub, err = w.Subscribe(w.ctx(), "sre", api); return err },
				func() (err error) { reg, err = w.UpdateRegistration(w.ctx(), api, change, nil); return err },
			)
			w.must(errs[1])
			if w.kinds(errs[:1], catalog.ErrForbidden) == 1 && sub.Revision > reg.Revision {
				w.t.Errorf("subscribed at revision %d, forbidden since %d", sub.Revision, reg.Revision)
			}
		}
		w.sound()
	})
}

// The same, with the change between what the subscription has read and its transaction.
func TestSubscribeIsDecidedAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		w.tenant("sre")
		between := &meddler{Store: w.store}
		slow := catalog.NewRepository(between, home())
		change := func(ch catalog.RegistrationChange) func() {
			return func() {
				_, err := w.UpdateRegistration(w.ctx(), compute, ch, nil)
				w.must(err)
			}
		}
		between.meddle = change(lets(nil, []string{"sre"}))
		_, err := slow.Subscribe(w.ctx(), "sre", compute)
		w.refuses(err, catalog.ErrForbidden)
		w.sound()
		change(lets(nil, nil))()
		between.meddle = change(lets([]string{"sre"}, nil))
		_, err = slow.Subscribe(w.ctx(), "sre", compute)
		w.must(err)
		w.sound()
	})
}
