package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kayra/store/catalog"
)

// stands is what a client sees of how a subscription stands.
type stands struct {
	Active  bool
	State   catalog.State
	Current string
	Synced  bool
	Reason  catalog.Reason
}

func of(v catalog.SubscriptionView) stands {
	return stands{v.Active, v.State, v.CurrentSyncID, v.InSync, v.Reason}
}

func (w *world) stands(ns string) stands {
	w.t.Helper()
	v, err := w.Subscription(w.ctx(), ns, compute)
	w.must(err)
	return of(v)
}

func TestSubscribe(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		short := "compute"
		reg, err := w.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{ShortName: &short})
		w.must(err)
		w.tenant("sre")
		made, err := w.Subscribe(w.ctx(), "sre", compute)
		w.must(err)
		if d := cmp.Diff(stands{State: catalog.StateInit, Reason: catalog.ReasonInit}, of(made)); d != "" || made.ExpectedSyncID != reg.SyncID {
			w.t.Errorf("created, expecting %q: %s", made.ExpectedSyncID, d)
		}
		read, err := w.Subscription(w.ctx(), "sre", compute)
		w.must(err)
		if d := cmp.Diff(made, read, cmpopts.IgnoreUnexported(catalog.Meta{}, catalog.SubscriptionView{}),
			cmpopts.IgnoreFields(catalog.SubscriptionView{}, "Message")); d != "" || made.Tag() != read.Tag() {
			w.t.Errorf("tags %q and %q: %s", made.Tag(), read.Tag(), d)
		}
		_, err = w.Subscribe(w.ctx(), "sre", compute)
		w.refuses(err, catalog.ErrConflict)
		_, err = w.Subscribe(w.ctx(), "nope", compute)
		w.refuses(err, catalog.ErrNotFound)
		_, err = w.Subscribe(w.ctx(), "sre", "no.example.com")
		w.refuses(err, catalog.ErrNotFound)
		_, err = w.Subscribe(w.ctx(), "sre", "a/b.c")
		w.refuses(err, catalog.ErrInvalid)
		_, err = w.Subscribe(w.ctx(), "sre", short)
		w.refuses(err, catalog.ErrInvalid, compute)
		w.sound()
	})
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		w.tenant("sre", compute)
		v, err := w.Subscription(w.ctx(), "sre", compute)
		w.must(err)
		w.refuses(w.Unsubscribe(w.ctx(), "sre", compute, func(string) bool { return false }), catalog.ErrPrecondition)
		w.must(w.Unsubscribe(w.ctx(), "sre", compute, func(tag string) bool { return tag == v.Tag() }))
		w.refuses(w.Unsubscribe(w.ctx(), "sre", compute, nil), catalog.ErrNotFound)
		_, err = w.Subscription(w.ctx(), "sre", compute)
		w.refuses(err, catalog.ErrNotFound)
		_, err = w.TouchSubscription(w.ctx(), "sre", compute, nil)
		w.refuses(err, catalog.ErrNotFound)
		again, err := w.Subscribe(w.ctx(), "sre", compute)
		w.must(err)
		if again.UID == v.UID {
			w.t.Error("a namesake cannot be told from the one that was deleted")
		}
		w.sound()
	})
}

// What a write answers is what a read answers after it.
func TestHowItStands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		reg := w.register(compute)
		w.tenant("sre", compute)
		w.tenant("apps", compute)
		check := func(what, ns string, want stands) {
			w.t.Helper()
			if d := cmp.Diff(want, w.stands(ns)); d != "" {
				w.t.Errorf("%s: %s", what, d)
			}
		}
		running := w.reconcile("sre", catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonTimeout, Message: "too slow"})
		if running.Reason != catalog.ReasonRunning {
			w.t.Errorf("while it runs: %s", running.Reason)
		}
		check("failed", "sre", stands{State: catalog.StateError, Reason: catalog.ReasonTimeout})
		touched, err := w.TouchSubscription(w.ctx(), "sre", compute, nil)
		w.must(err)
		if d := cmp.Diff(of(touched), w.stands("sre")); d != "" || touched.Reason != catalog.ReasonQueued {
			w.t.Errorf("touched, %s: %s", touched.Reason, d)
		}
		w.reconcile("sre", success())
		w.reconcile("apps", success())
		synced := stands{true, catalog.StateSuccess, reg.SyncID, true, catalog.ReasonSynced}
		check("synced", "sre", synced)
		forced, err := w.Resync(w.ctx(), "sre", compute, nil)
		w.must(err)
		behind := stands{true, catalog.StateSuccess, "", false, catalog.ReasonQueued}
		if d := cmp.Diff(behind, of(forced)); d != "" {
			w.t.Errorf("forced: %s", d)
		}
		check("forced", "sre", behind)
		w.sync(canary("sre"))
		held := stands{true, catalog.StateSuccess, reg.SyncID, false, catalog.ReasonCanaryHold}
		check("held", "apps", held)
		forced, err = w.Resync(w.ctx(), "apps", compute, nil)
		w.must(err)
		if forced.Reason != catalog.ReasonCanaryHold {
			w.t.Errorf("forced while held: %s", forced.Reason)
		}
		w.sync(catalog.SyncRequest{Release: true})
		yes := true
		_, err = w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{Paused: &yes}, nil)
		w.must(err)
		check("paused", "sre", stands{true, catalog.StateSuccess, "", false, catalog.ReasonPaused})
	})
}

// Every subscription keeps a copy of the message of a failure that all of them share.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.register(compute)
		w.tenant("sre", compute)
		message := "x" + strings.Repeat("é", 500_000)
		w.reconcile("sre", catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonTimeout, Message: message})
		v, err := w.Subscription(w.ctx(), "sre", compute)
		w.must(err)
		if len(v.Message) > 1100 || !utf8.ValidString(v.Message) || !strings.HasPrefix(v.Message, message[:1001]) {
			w.t.Errorf("%d bytes: %.20q", len(v.Message), v.Message)
		}
	})
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		made, err := w.CreateNamespace(w.ctx(), "sre")
		w.must(err)
		_, err = w.CreateNamespace(w.ctx(), "sre")
		w.refuses(err, catalog.ErrConflict)
		_, err = w.CreateNamespace(w.ctx(), "a.b")
		w.refuses(err, catalog.ErrInvalid)
		w.must(w.ActivateNamespace(w.ctx(), made))
		if err := w.ActivateNamespace(w.ctx(), made); !errors.Is(err, catalog.ErrStale) {
			w.t.Errorf("activated as it was before: %v", err)
		}
		_, err = w.TouchNamespace(w.ctx(), "sre", func(tag string) bool { return tag == made.Tag() })
		w.refuses(err, catalog.ErrPrecondition)
		touched, err := w.TouchNamespace(w.ctx(), "sre", nil)
		w.must(err)
		read, err := w.Namespace(w.ctx(), "sre")
		w.must(err)
		if !read.Active || read.UID != made.UID || read.Tag() != touched.Tag() {
			w.t.Errorf("%+v, touched %+v", read, touched)
		}
		w.register(compute)
		_, err = w.Subscribe(w.ctx(), "sre", compute)
		w.must(err)
		w.refuses(w.DeleteNamespace(w.ctx(), "sre", nil), catalog.ErrConflict, compute)
		w.must(w.Unsubscribe(w.ctx(), "sre", compute, nil))
		w.refuses(w.DeleteNamespace(w.ctx(), "sre", func(string) bool { return false }), catalog.ErrPrecondition)
		w.must(w.DeleteNamespace(w.ctx(), "sre", nil))
		for _, err := range []error{
			w.DeleteNamespace(w.ctx(), "sre", nil),
			second(w.TouchNamespace(w.ctx(), "sre", nil)), second(w.Namespace(w.ctx(), "sre")),
			second(w.NamespaceSubscriptions(w.ctx(), "sre", catalog.PageRequest{})),
		} {
			w.refuses(err, catalog.ErrNotFound)
		}
		w.sound()
	})
}

func second[T any](_ T, err error) error { return err }
