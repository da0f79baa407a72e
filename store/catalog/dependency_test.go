package catalog_test

import (
	"slices"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

func needing(conditions ...catalog.Condition) catalog.RegistrationChange {
	deps := make([]catalog.Dependency, len(conditions))
	for i, c := range conditions {
		deps[i] = catalog.Dependency{Ref: catalog.Ref{Name: "base.example.com"}, Condition: c}
	}
	return catalog.RegistrationChange{DependsOn: &deps}
}

func (w *world) depgraph() int64 {
	w.t.Helper()
	e, err := w.store.Get(w.ctx(), "depgraph")
	w.must(err)
	return e.ModRevision
}

// A change of a condition is one of the registration, and none of the graph.
func TestConditionOfADependency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register("base.example.com")
		before, err := w.CreateRegistration(w.ctx(), compute, needing(""))
		w.must(err)
		graph := w.depgraph()
		for _, c := range []catalog.Condition{"healthy", "synced", "started", ""} {
			after, err := w.UpdateRegistration(w.ctx(), compute, needing(c), nil)
			w.must(err)
			read, err := w.Registration(w.ctx(), compute)
			w.must(err)
			if len(read.DependsOn) != 1 || read.DependsOn[0].Condition != c || after.Generation <= before.Generation {
				w.t.Errorf("%q: %+v", c, read)
			}
			before = after
			w.sound()
		}
		if now := w.depgraph(); now != graph {
			w.t.Errorf("the graph was written at revision %d, and has not changed since %d", now, graph)
		}
		if _, there := w.stored(home().Prefix() + "registrations/" + compute)["depends_on"].([]any)[0].(map[string]any)["condition"]; there {
			w.t.Error("a condition that was left out is stored")
		}
	})
}

func TestConditionsOfOneDependency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register("base.example.com")
		for _, same := range [][]catalog.Condition{{"healthy", "healthy"}, {"", "started", ""}, {"started", ""}} {
			ch := needing(same...)
			(*ch.DependsOn)[1].Platform = home().Platform // says the same
			reg, err := w.CreateRegistration(w.ctx(), compute, ch)
			w.must(err)
			if got := reg.DependsOn; len(got) != 1 || got[0].Condition != same[0] {
				w.t.Errorf("%q came to %+v", same, got)
			}
			w.sound()
			w.must(w.DeleteRegistration(w.ctx(), compute, nil))
		}
		for _, wrong := range []struct {
			given []catalog.Condition
			says  []string
		}{
			{[]catalog.Condition{"healthy", "synced"}, []string{"/depends_on/1/condition", "base.example.com", "healthy", "synced", "keep one"}},
			{[]catalog.Condition{"", "", "healthy"}, []string{"/depends_on/2/condition", "started", "healthy"}},
			{[]catalog.Condition{"Healthy"}, []string{"/depends_on/0/condition", `"Healthy"`, "started, healthy or synced"}},
		} {
			_, err := w.CreateRegistration(w.ctx(), compute, needing(wrong.given...))
			w.refuses(err, catalog.ErrInvalid, wrong.says...)
		}
		w.sound()
	})
}

// A change of a condition and the deletion of the dependency leave no orphan, whichever comes first.
func TestConditionAgainstDelete(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		for range rounds {
			w.register("base.example.com")
			_, err := w.CreateRegistration(w.ctx(), compute, needing(""))
			w.must(err)
			none := catalog.RegistrationChange{DependsOn: &[]catalog.Dependency{}}
			errs := race(
				func() error { _, err := w.UpdateRegistration(w.ctx(), compute, needing("healthy"), nil); return err },
				func() error { _, err := w.UpdateRegistration(w.ctx(), compute, none, nil); return err },
				func() error { return w.DeleteRegistration(w.ctx(), "base.example.com", nil) },
			)
			w.kinds(errs, catalog.ErrNotFound, catalog.ErrConflict)
			w.sound()
			w.must(w.DeleteRegistration(w.ctx(), compute, nil))
			if _, err := w.store.Get(w.ctx(), home().Prefix()+"registrations/base.example.com"); err == nil {
				w.must(w.DeleteRegistration(w.ctx(), "base.example.com", nil))
			}
		}
		if l, err := w.store.List(w.ctx(), "dependents/", store.ListOptions{}); err != nil || len(l.Entries) > 0 {
			w.t.Errorf("left over: %v, %v", l.Entries, err)
		}
	})
}

func TestConditions(t *testing.T) {
	t.Parallel()
	if got := (catalog.Dependency{}).Needs(); got != catalog.ConditionStarted || !slices.Contains(catalog.Conditions(), got) {
		t.Errorf("left out, it is %q", got)
	}
}
