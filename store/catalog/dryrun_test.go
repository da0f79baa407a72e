package catalog_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store"
	"kayra/store/catalog"
)

// everything is all that the store has, with its revisions.
func (w *world) everything() []store.Entry {
	w.t.Helper()
	l, err := w.store.List(w.ctx(), "", store.ListOptions{})
	w.must(err)
	return l.Entries
}

// A dry run answers what the write would, and leaves no trace.
func TestDryRun(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		short, other, id, taken := "base", "other", "id-7", "taken"
		_, err := w.CreateRegistration(w.ctx(), "base.example.com", catalog.RegistrationChange{ShortName: &taken})
		w.must(err)
		w.register(compute, "base.example.com")
		before := w.everything()
		ctx, told := w.watched()
		create := func(name string, ch catalog.RegistrationChange) (catalog.Registration, error) {
			ch.DryRun = true
			return w.CreateRegistration(ctx, name, ch)
		}
		update := func(name string, ch catalog.RegistrationChange, m catalog.Match) (catalog.Registration, error) {
			ch.DryRun = true
			return w.UpdateRegistration(ctx, name, ch, m)
		}
		full := catalog.RegistrationChange{
			ShortName: &short, SyncID: &id, Operator: json.RawMessage(`{"workers":3}`), AllowedNamespaces: &[]string{"a"},
			DependsOn: dependsOn(compute).DependsOn,
		}

		planned, err := create("b.example.com", full)
		w.must(err)
		changed, err := update("base.example.com", catalog.RegistrationChange{ShortName: &other, SyncID: &id, Operator: full.Operator}, nil)
		w.must(err)
		if changed.ShortName != other || changed.SyncID != id || changed.ReleasedSyncID != id || *changed.Operator.Workers != 3 {
			w.t.Errorf("changed: %+v", changed)
		}
		_, err = create(compute, catalog.RegistrationChange{})
		w.refuses(err, catalog.ErrConflict, "exists")
		_, err = create("BAD", catalog.RegistrationChange{})
		w.refuses(err, catalog.ErrInvalid, "/name")
		_, err = create("b.example.com", dependsOn("no.example.com"))
		w.refuses(err, catalog.ErrNotFound, "no.example.com")
		_, err = create("b.example.com", catalog.RegistrationChange{ShortName: &taken})
		w.refuses(err, catalog.ErrConflict, "base.example.com")
		_, err = update(compute, catalog.RegistrationChange{ShortName: &taken}, nil)
		w.refuses(err, catalog.ErrConflict, "base.example.com")
		_, err = update("base.example.com", dependsOn(compute), nil)
		w.refuses(err, catalog.ErrConflict, "cycle")
		_, err = update("no.example.com", catalog.RegistrationChange{}, nil)
		w.refuses(err, catalog.ErrNotFound)
		_, err = update(compute, catalog.RegistrationChange{}, func(string) bool { return false })
		w.refuses(err, catalog.ErrPrecondition)
		_, err = update(compute, catalog.RegistrationChange{Operator: json.RawMessage(`{"retry":{"initial":"1h","max":"1m"}}`)}, nil)
		w.refuses(err, catalog.ErrInvalid, "/operator/retry/max")

		if d := cmp.Diff(before, w.everything()); d != "" {
			w.t.Errorf("a dry run was written: %s", d)
		}
		if changes := told(); len(changes) > 0 {
			w.t.Errorf("a dry run was told of: %+v", changes)
		}
		done, err := w.CreateRegistration(w.ctx(), "b.example.com", full)
		w.must(err)
		planned.UID, planned.CreatedAt = done.UID, done.CreatedAt
		if d := cmp.Diff(done, planned, values()); d != "" {
			w.t.Errorf("what was done and what was planned: %s", d)
		}
	})
}

// A dry run is decided again when what it was decided from has changed meanwhile.
func TestDryRunIsDecidedAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		between := &meddler{Store: w.store}
		slow := catalog.NewRepository(between, home())
		between.meddle = func() { w.register(compute) }
		_, err := slow.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{DryRun: true})
		w.refuses(err, catalog.ErrConflict, "exists")
	})
}
