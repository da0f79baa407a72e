package catalog_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/store"
	"kayra/store/catalog"
)

// watched collects the changes that are told of.
func (w *world) watched() (context.Context, func() []catalog.Change) {
	var told []catalog.Change
	ctx := catalog.Observe(w.ctx(), func(ch catalog.Change) { told = append(told, ch) })
	return ctx, func() []catalog.Change {
		out := told
		told = nil
		return out
	}
}

// change insists that one was told of, of this record, from and to these entity tags ("": none).
func (w *world) change(told []catalog.Change, id catalog.ID, from, to string) catalog.Change {
	w.t.Helper()
	if len(told) != 1 {
		w.t.Fatalf("%d changes were told of: %+v", len(told), told)
	}
	tag := func(v *catalog.Version) string {
		if v == nil {
			return ""
		}
		if v.UID == "" || v.Tag == "" {
			w.t.Errorf("a version without an id: %+v", v)
		}
		return v.Tag
	}
	if d := cmp.Diff([]any{id, from, to}, []any{told[0].ID, tag(told[0].Before), tag(told[0].After)}); d != "" {
		w.t.Error(d)
	}
	return told[0]
}

func TestObserveRegistrations(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		ctx, told := w.watched()
		id := catalog.ID{Kind: catalog.KindRegistration, API: compute}
		made, err := w.CreateRegistration(ctx, compute, catalog.RegistrationChange{})
		w.must(err)
		w.change(told(), id, "", made.Tag())
		w.tenant("sre", compute)
		updated, err := w.UpdateRegistration(ctx, compute, catalog.RegistrationChange{}, nil)
		w.must(err)
		w.change(told(), id, made.Tag(), updated.Tag())
		synced, err := w.SyncRegistration(ctx, compute, catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}, nil)
		w.must(err)
		ch := w.change(told(), id, updated.Tag(), synced.Tag())
		want := []catalog.Version{
			{UID: made.UID, Tag: updated.Tag(), SyncID: made.SyncID, ReleasedSyncID: made.SyncID, Revision: updated.Revision},
			{UID: made.UID, Tag: synced.Tag(), SyncID: synced.SyncID, ReleasedSyncID: made.SyncID, CanaryNamespaces: []string{"sre"}, Revision: synced.Revision},
		}
		if d := cmp.Diff(want, []catalog.Version{*ch.Before, *ch.After}); d != "" {
			w.t.Error(d)
		}
		w.refuses(w.DeleteRegistration(ctx, compute, nil), catalog.ErrConflict)
		w.refuses(errOf(w.SyncRegistration(ctx, compute, catalog.SyncRequest{ExpectedSyncID: "x"}, nil)), catalog.ErrConflict)
		w.must(w.Unsubscribe(w.ctx(), "sre", compute, nil))
		w.must(w.MarkGood(ctx, synced)) // a reconciler's write
		if more := told(); more != nil {
			w.t.Errorf("refusals and a reconciler's write were told of: %+v", more)
		}
		w.must(w.DeleteRegistration(ctx, compute, nil))
		w.change(told(), id, synced.Tag(), "")
	})
}

func TestObserveTenants(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		ctx, told := w.watched()
		w.register(compute)
		w.role("viewer")
		ns, err := w.CreateNamespace(ctx, "sre")
		w.must(err)
		id := catalog.ID{Kind: catalog.KindNamespace, Namespace: "sre"}
		w.change(told(), id, "", ns.Tag())
		w.must(w.ActivateNamespace(ctx, ns)) // a reconciler's write
		active, err := w.Namespace(ctx, "sre")
		w.must(err)
		touched, err := w.TouchNamespace(ctx, "sre", nil)
		w.must(err)
		w.change(told(), id, active.Tag(), touched.Tag())

		sub := catalog.ID{Kind: catalog.KindSubscription, API: compute, Namespace: "sre"}
		made, err := w.Subscribe(ctx, "sre", compute)
		w.must(err)
		w.change(told(), sub, "", made.Tag())
		written, err := w.TouchSubscription(ctx, "sre", compute, nil)
		w.must(err)
		w.change(told(), sub, made.Tag(), written.Tag())
		again, err := w.Resync(ctx, "sre", compute, nil)
		w.must(err)
		w.change(told(), sub, written.Tag(), again.Tag())
		w.must(w.Unsubscribe(ctx, "sre", compute, nil))
		w.change(told(), sub, again.Tag(), "")

		w.bind("b", "viewer", "sre")
		w.bind("a", "viewer", "sre")
		w.bind("c", "viewer", "")
		w.must(w.DeleteNamespace(ctx, "sre", nil))
		ch := w.change(told(), id, touched.Tag(), "")
		if d := cmp.Diff([]string{"a", "b"}, ch.RoleBindings); d != "" {
			w.t.Error(d)
		}
	})
}

func TestObserveRoles(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		ctx, told := w.watched()
		id, of := catalog.ID{Kind: catalog.KindRole, Name: "viewer"}, catalog.ID{Kind: catalog.KindRoleBinding, Name: "b"}
		role, err := w.CreateRole(ctx, "viewer", viewer())
		w.must(err)
		w.change(told(), id, "", role.Tag())
		next, err := w.UpdateRole(ctx, "viewer", viewer(), nil)
		w.must(err)
		w.change(told(), id, role.Tag(), next.Tag())
		b, err := w.CreateRoleBinding(ctx, "b", gives("viewer", "sre"))
		w.must(err)
		w.change(told(), of, "", b.Tag())
		c, err := w.UpdateRoleBinding(ctx, "b", gives("viewer", ""), nil)
		w.must(err)
		w.change(told(), of, b.Tag(), c.Tag())
		w.refuses(w.DeleteRole(ctx, "viewer", nil), catalog.ErrConflict)
		w.must(w.DeleteRoleBinding(ctx, "b", nil))
		w.change(told(), of, c.Tag(), "")
		w.must(w.DeleteRole(ctx, "viewer", nil))
		w.change(told(), id, next.Tag(), "")
	})
}

// What is told is what the transaction replaced, whatever was read before another write came first.
func TestObserveWhatWasReplaced(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		ctx, told := w.watched()
		between := &meddler{Store: w.store}
		slow := catalog.NewRepository(between, home())
		w.register(compute)
		w.tenant("sre", compute)
		var other catalog.Registration
		between.meddle = func() {
			var err error
			other, err = w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{}, nil)
			w.must(err)
		}
		next, err := slow.UpdateRegistration(ctx, compute, catalog.RegistrationChange{}, nil)
		w.must(err)
		w.change(told(), catalog.ID{Kind: catalog.KindRegistration, API: compute}, other.Tag(), next.Tag())
		var replaced catalog.SubscriptionView
		between.meddle = func() {
			w.must(w.Unsubscribe(w.ctx(), "sre", compute, nil))
			w.must(errOf(w.Subscribe(w.ctx(), "sre", compute)))
			replaced, err = w.Resync(w.ctx(), "sre", compute, nil)
			w.must(err)
		}
		w.must(slow.Unsubscribe(ctx, "sre", compute, nil))
		w.change(told(), catalog.ID{Kind: catalog.KindSubscription, API: compute, Namespace: "sre"}, replaced.Tag(), "")
	})
}

// lost is a store whose answers to writes do not arrive.
type lost struct{ store.Store }

func (l lost) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	res, err := l.Store.Txn(ctx, txn)
	if len(txn.If) > 0 && err == nil {
		err = store.ErrUnavailable
	}
	return res, err
}

// A write is told of only if it is known to have happened.
func TestObserveNothingUnknown(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		ctx, told := w.watched()
		far := catalog.NewRepository(lost{w.store}, home())
		for _, err := range []error{
			errOf(far.CreateNamespace(ctx, "sre")), errOf(far.TouchNamespace(ctx, "sre", nil)), far.DeleteNamespace(ctx, "sre", nil),
			errOf(far.CreateRole(ctx, "r", viewer())), errOf(far.UpdateRole(ctx, "r", viewer(), nil)),
			errOf(far.CreateRoleBinding(ctx, "b", gives("r", ""))), errOf(far.UpdateRoleBinding(ctx, "b", gives("r", ""), nil)),
			far.DeleteRoleBinding(ctx, "b", nil), far.DeleteRole(ctx, "r", nil),
			errOf(far.CreateRegistration(ctx, compute, catalog.RegistrationChange{})), far.DeleteRegistration(ctx, compute, nil),
		} {
			if err == nil {
				w.t.Error("a write whose answer was lost succeeded")
			}
		}
		if more := told(); more != nil {
			w.t.Errorf("told of %+v", more)
		}
	})
}
