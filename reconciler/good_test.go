package reconciler_test

import (
	"testing"

	"kayra/store/catalog"
)

// The last id at which every active subscriber was synced is remembered.
func TestGoodSyncID(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		wantGood := func(when, want string) {
			t.Helper()
			w.settle()
			reg, err := w.Registration(t.Context(), compute)
			must(t, err)
			if reg.GoodSyncID != want {
				t.Errorf("%s the good id is %q, not %q", when, reg.GoodSyncID, want)
			}
		}
		w.start()
		w.register(compute)
		wantGood("without subscribers", "")
		w.subscribe(compute, "apps", "sre")
		w.synced("apps", "sre")
		first := w.sub("sre").CurrentSyncID
		wantGood("when all are synced", first)

		w.app.behave(fails("sre"))
		second := w.sync(catalog.SyncRequest{}).SyncID
		w.synced("apps")
		wantGood("while one fails", first)
		w.app.behave(succeeds)
		_, err := w.TouchSubscription(t.Context(), "sre", compute, nil)
		must(t, err)
		w.synced("sre")
		wantGood("when it does no more", second)

		third := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"apps", "sre"}}).SyncID
		w.synced("apps", "sre")
		wantGood("while a rollout is pending", second)
		mark := w.mark()
		w.sync(catalog.SyncRequest{Release: true})
		wantGood("after its release", third)
		if n := len(w.since(mark)); n != 2 {
			t.Errorf("%d writes by the release and what follows, not those of the release and of the good id", n)
		}
	})
}
