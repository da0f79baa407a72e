package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

const rounds = 25 // of a race; each has its own records

func (w *world) each(prefix string, visit func(key string, value []byte)) {
	w.t.Helper()
	l, err := w.store.List(w.ctx(), prefix, store.ListOptions{})
	w.must(err)
	for _, e := range l.Entries {
		visit(e.Key[len(prefix):], e.Value)
	}
}

// kinds insists that a race ended in successes and refusals of the kinds alone, and counts the successes.
func (w *world) kinds(errs []error, kinds ...error) int {
	w.t.Helper()
	won := 0
	for _, err := range errs {
		refused := slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
		switch {
		case err == nil:
			won++
		case !refused:
			w.t.Errorf("a race ended with %v", err)
		}
	}
	return won
}

func TestDeleteAgainstCreate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		for i := range rounds {
			api, ns := fmt.Sprintf("a%d.example.com", i), fmt.Sprintf("n%d", i)
			w.register(api)
			w.tenant(ns)
			errs := race(
				func() error { return w.DeleteRegistration(w.ctx(), api, nil) },
				func() error { return w.DeleteNamespace(w.ctx(), ns, nil) },
				func() error { _, err := w.Subscribe(w.ctx(), ns, api); return err },
				func() error { _, err := w.CreateRegistration(w.ctx(), "b"+api, dependsOn(api)); return err },
				func() error {
					_, err := w.UpdateRegistration(w.ctx(), api, catalog.RegistrationChange{Owner: new(string)}, nil)
					return err
				},
			)
			w.kinds(errs, catalog.ErrNotFound, catalog.ErrConflict)
			if errs[2] == nil && (errs[0] == nil || errs[1] == nil) {
				w.t.Error("a subscription was made to what was deleted")
			}
		}
		w.sound()
	})
}

func TestSubscribeAgainstUnsubscribe(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		w.tenant("sre", compute)
		subscribe := func() error { _, err := w.Subscribe(w.ctx(), "sre", compute); return err }
		unsubscribe := func() error { return w.Unsubscribe(w.ctx(), "sre", compute, nil) }
		touch := func() error { _, err := w.TouchSubscription(w.ctx(), "sre", compute, nil); return err }
		resync := func() error { _, err := w.Resync(w.ctx(), "sre", compute, nil); return err }
		for range rounds {
			w.kinds(race(unsubscribe, subscribe, touch, unsubscribe, resync, subscribe), catalog.ErrNotFound, catalog.ErrConflict)
		}
		w.sound()
	})
}

func TestHalvesOfACycle(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		for i := range rounds {
			names := make([]string, 3)
			for j := range names {
				names[j] = fmt.Sprintf("c%d-%d.example.com", i, j)
				w.register(names[j])
			}
			depend := func(from, to int) func() error {
				return func() error {
					_, err := w.UpdateRegistration(w.ctx(), names[from], dependsOn(names[to]), nil)
					return err
				}
			}
			if won := w.kinds(race(depend(0, 1), depend(1, 2), depend(2, 0)), catalog.ErrConflict); won != 2 {
				w.t.Errorf("%d of three thirds of a cycle were written", won)
			}
		}
		w.sound()
	})
}

func TestOneShortName(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		for i := range rounds {
			short := fmt.Sprintf("s%d", i)
			ch := catalog.RegistrationChange{ShortName: &short}
			calls := make([]func() error, 4)
			for j := range calls {
				name := fmt.Sprintf("s%d-%d.example.com", i, j)
				calls[j] = func() error { _, err := w.CreateRegistration(w.ctx(), name, ch); return err }
				if j%2 == 1 {
					w.register(name)
					calls[j] = func() error { _, err := w.UpdateRegistration(w.ctx(), name, ch, nil); return err }
				}
			}
			if won := w.kinds(race(calls...), catalog.ErrConflict); won != 1 {
				w.t.Errorf("%d registrations got one short name", won)
			}
		}
		w.sound()
	})
}

func TestOneName(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		for i := range rounds {
			name := fmt.Sprintf("o%d", i)
			create := func() error { _, err := w.CreateRegistration(w.ctx(), name+".com", dependsOn()); return err }
			if won := w.kinds(race(create, create, create), catalog.ErrConflict); won != 1 {
				w.t.Errorf("%d registrations of one name", won)
			}
			found := func() error { _, err := w.CreateNamespace(w.ctx(), name); return err }
			if won := w.kinds(race(found, found, found), catalog.ErrConflict); won != 1 {
				w.t.Errorf("%d namespaces of one name", won)
			}
		}
		w.sound()
	})
}

func TestCanaryAgainstUnsubscribe(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		for i := range rounds {
			api := fmt.Sprintf("k%d.example.com", i)
			ns := fmt.Sprintf("k%d", i)
			before := w.register(api)
			w.tenant(ns, api)
			errs := race(
				func() error {
					_, err := w.SyncRegistration(w.ctx(), api, catalog.SyncRequest{CanaryNamespaces: []string{ns}}, nil)
					return err
				},
				func() error { return w.Unsubscribe(w.ctx(), ns, api, nil) },
			)
			w.kinds(errs, catalog.ErrNotFound)
			after, err := w.Registration(w.ctx(), api)
			w.must(err)
			if moved := after.SyncID != before.SyncID && after.Pending(); moved != (errs[0] == nil) {
				w.t.Errorf("canary: %v, but it moved: %t", errs[0], moved)
			}
		}
		w.sound()
	})
}

// Two releases with the id that both have seen: one of them is told that there is nothing to release.
func TestTwoReleases(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		w.tenant("sre", compute)
		for range rounds {
			canary, err := w.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}, nil)
			w.must(err)
			release := func() error {
				_, err := w.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{Release: true, ExpectedSyncID: canary.SyncID}, nil)
				return err
			}
			abort := func() error {
				_, err := w.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{Abort: true, ExpectedSyncID: canary.SyncID}, nil)
				return err
			}
			if won := w.kinds(race(release, abort, release), catalog.ErrConflict); won != 1 {
				w.t.Errorf("%d of release, abort and release were done", won)
			}
		}
	})
}

// Of many writes that all say what they have read, each that is accepted was based on the one before.
func TestConditionalWritesRace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		first := w.register(compute)
		tag := first.Tag()
		same := func(t string) bool { return t == tag }
		write := func() error {
			_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{Owner: new(string)}, same)
			return err
		}
		if won := w.kinds(race(write, write, write, write), catalog.ErrPrecondition); won != 1 {
			w.t.Errorf("%d writes on one ETag", won)
		}
	})
}

// No write is lost: every one raises the generation by one.
func TestWritesAddUp(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		first := w.register(compute)
		w.tenant("sre", compute)
		update := func() error {
			_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{}, nil)
			return err
		}
		touch := func() error { _, err := w.TouchSubscription(w.ctx(), "sre", compute, nil); return err }
		resync := func() error { _, err := w.Resync(w.ctx(), "sre", compute, nil); return err }
		for range 5 {
			w.kinds(race(update, touch, update, resync, update, touch))
		}
		v, err := w.Subscription(w.ctx(), "sre", compute)
		w.must(err)
		reg, err := w.Registration(w.ctx(), compute)
		w.must(err)
		if reg.Generation != first.Generation+15 || v.Generation != 16 || v.Force != 5 {
			w.t.Errorf("generations %d and %d, force %d", reg.Generation, v.Generation, v.Force)
		}
	})
}
