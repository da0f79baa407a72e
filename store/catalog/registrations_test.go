package catalog_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kayra/store/catalog"
)

// values ignores what makes two writes of the same registration differ.
func values() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreUnexported(catalog.Meta{}), cmpopts.EquateEmpty(),
		cmpopts.IgnoreFields(catalog.Registration{}, "Revision", "Generation", "TargetAt"),
	}
}

func TestCreateRegistration(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		made := w.register(compute)
		if !made.Active || made.SyncID == "" || made.ReleasedSyncID != made.SyncID || made.Platform != "sandbox" || made.Region != "eu-west-1" {
			w.t.Errorf("defaults: %+v", made)
		}
		read, err := w.Registration(w.ctx(), compute)
		w.must(err)
		if d := cmp.Diff(made, read, cmpopts.IgnoreUnexported(catalog.Meta{}), cmpopts.EquateEmpty()); d != "" {
			w.t.Error(d)
		}
		empty, no := "", false
		given, err := w.CreateRegistration(w.ctx(), "b.example.com", catalog.RegistrationChange{SyncID: &empty, Active: &no})
		w.must(err)
		if given.Active || given.SyncID == "" || given.SyncID == made.SyncID || given.UID == made.UID {
			w.t.Errorf("an empty sync_id and active false: %+v", given)
		}
		_, err = w.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{})
		w.refuses(err, catalog.ErrConflict)
		_, err = w.Registration(w.ctx(), "no.example.com")
		w.refuses(err, catalog.ErrNotFound)
		w.sound()
	})
}

func TestUpdateRegistration(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		before := w.register(compute)
		same, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{}, nil)
		w.must(err)
		if d := cmp.Diff(before, same, values()); d != "" || same.Generation != before.Generation+1 || same.Tag() == before.Tag() {
			w.t.Errorf("no change, generation %d: %s", same.Generation, d)
		}
		id, short, yes := "release-7", "compute", true
		next, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{SyncID: &id, ShortName: &short, Paused: &yes}, nil)
		w.must(err)
		if next.SyncID != id || next.ReleasedSyncID != id || next.ShortName != short || !next.Paused || next.TargetAt.Before(same.TargetAt) {
			w.t.Errorf("changed: %+v", next)
		}
		other := "c"
		_, err = w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{ShortName: &other}, nil)
		w.must(err)
		w.sound()
		_, err = w.CreateRegistration(w.ctx(), "b.example.com", catalog.RegistrationChange{ShortName: &short})
		w.must(err) // it was given up
		_, err = w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{ShortName: &short}, nil)
		w.refuses(err, catalog.ErrConflict, "b.example.com")
		none := ""
		_, err = w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{SyncID: &none}, nil)
		w.refuses(err, catalog.ErrInvalid)
		_, err = w.UpdateRegistration(w.ctx(), "no.example.com", catalog.RegistrationChange{}, nil)
		w.refuses(err, catalog.ErrNotFound)
		w.sound()
	})
}

// A dependency that is listed twice counts once, and what is wrong with another one is said of its place in the request.
func TestDependenciesTwice(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register("a.example.com")
		made := w.register(compute, "a.example.com", "a.example.com")
		if len(made.DependsOn) != 1 {
			w.t.Errorf("got %v", made.DependsOn)
		}
		for _, write := range []func(ch catalog.RegistrationChange) error{
			func(ch catalog.RegistrationChange) error {
				_, err := w.CreateRegistration(w.ctx(), "b.example.com", ch)
				return err
			},
			func(ch catalog.RegistrationChange) error {
				_, err := w.UpdateRegistration(w.ctx(), compute, ch, nil)
				return err
			},
		} {
			w.refuses(write(dependsOn("a.example.com", "a.example.com", "BAD")), catalog.ErrInvalid, "/depends_on/2/name")
		}
	})
}

func TestDeleteRegistration(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		short := "compute"
		reg, err := w.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{ShortName: &short})
		w.must(err)
		w.register("b.example.com", compute)
		w.tenant("sre", compute)
		err = w.DeleteRegistration(w.ctx(), compute, nil)
		w.refuses(err, catalog.ErrConflict, "sre")
		w.must(w.Unsubscribe(w.ctx(), "sre", compute, nil))
		err = w.DeleteRegistration(w.ctx(), compute, nil)
		w.refuses(err, catalog.ErrConflict, "b.example.com")
		w.must(w.DeleteRegistration(w.ctx(), "b.example.com", nil))
		w.refuses(w.DeleteRegistration(w.ctx(), compute, func(string) bool { return false }), catalog.ErrPrecondition)
		w.must(w.DeleteRegistration(w.ctx(), compute, func(tag string) bool { return tag == reg.Tag() }))
		w.refuses(w.DeleteRegistration(w.ctx(), compute, nil), catalog.ErrNotFound)
		w.sound()
		again, err := w.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{ShortName: &short})
		w.must(err)
		if again.UID == reg.UID || again.Tag() == reg.Tag() {
			w.t.Error("a namesake cannot be told from the one that was deleted")
		}
	})
}

// A registration that nothing refers to leaves nothing behind, its documents included.
func TestDeleteLeavesNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register("base.example.com")
		keep := w.keys()
		short := "compute"
		ch := dependsOn("base.example.com")
		ch.ShortName = &short
		reg, err := w.CreateRegistration(w.ctx(), compute, ch)
		w.must(err)
		w.fetch(reg, "{}")
		w.must(w.DeleteRegistration(w.ctx(), compute, nil))
		keep["depgraph"] = true
		if d := cmp.Diff(keep, w.keys()); d != "" {
			w.t.Error(d)
		}
	})
}

func TestCycles(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		_, err := w.CreateRegistration(w.ctx(), "a.com", dependsOn("a.com"))
		w.refuses(err, catalog.ErrConflict, "a.com -> a.com")
		w.register("a.com")
		w.register("b.com", "a.com")
		w.register("c.com", "b.com", "a.com", "b.com")
		_, err = w.UpdateRegistration(w.ctx(), "a.com", dependsOn("c.com"), nil)
		w.refuses(err, catalog.ErrConflict, "a.com -> c.com -> a.com")
		_, err = w.UpdateRegistration(w.ctx(), "c.com", dependsOn(), nil)
		w.must(err)
		_, err = w.UpdateRegistration(w.ctx(), "a.com", dependsOn("c.com"), nil)
		w.must(err)
		w.sound()
		_, err = w.UpdateRegistration(w.ctx(), "a.com", dependsOn("no.com"), nil)
		w.refuses(err, catalog.ErrNotFound)
	})
}

func TestDependenciesAcrossScopes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		far := w.elsewhere("prod", "us-east-1")
		far.register(compute)
		w.register("app.com")
		_, err := w.UpdateRegistration(w.ctx(), "app.com", dependsOn(compute), nil)
		w.refuses(err, catalog.ErrNotFound) // there is none here
		refs := []catalog.Dependency{{Ref: catalog.Ref{Platform: "prod", Region: "us-east-1", Name: compute}}}
		app, err := w.UpdateRegistration(w.ctx(), "app.com", catalog.RegistrationChange{DependsOn: &refs}, nil)
		w.must(err)
		if d := cmp.Diff(refs, app.DependsOn); d != "" {
			w.t.Error(d)
		}
		err = far.DeleteRegistration(w.ctx(), compute, nil)
		w.refuses(err, catalog.ErrConflict, "sandbox/eu-west-1/app.com")
		back := []catalog.Dependency{{Ref: catalog.Ref{Platform: "sandbox", Region: "eu-west-1", Name: "app.com"}}}
		_, err = far.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{DependsOn: &back}, nil)
		w.refuses(err, catalog.ErrConflict, "sandbox/eu-west-1/app.com")
		w.sound()
		w.must(w.DeleteRegistration(w.ctx(), "app.com", nil))
		w.must(far.DeleteRegistration(w.ctx(), compute, nil))
		w.sound()
	})
}

// The most that a registration can be is one transaction.
func TestManyDependencies(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		all := make([]string, 2*catalog.MaxDependencies)
		for i := range all {
			all[i] = fmt.Sprintf("d%d.com", i)
			w.register(all[i])
		}
		first, second := all[:catalog.MaxDependencies], all[catalog.MaxDependencies:]
		w.register(compute, first...)
		_, err := w.UpdateRegistration(w.ctx(), compute, dependsOn(second...), nil)
		w.must(err)
		_, err = w.UpdateRegistration(w.ctx(), compute, dependsOn(all[:catalog.MaxDependencies+1]...), nil)
		w.refuses(err, catalog.ErrInvalid)
		names := make([]string, catalog.MaxCanaries)
		for i := range names {
			names[i] = fmt.Sprintf("n%d", i)
			w.tenant(names[i], compute)
		}
		_, err = w.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{CanaryNamespaces: names}, nil)
		w.must(err)
		w.sound()
	})
}
