package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"kayra/store/catalog"
)

func (w *world) sync(req catalog.SyncRequest) catalog.Registration {
	w.t.Helper()
	reg, err := w.SyncRegistration(w.ctx(), compute, req, nil)
	w.must(err)
	return reg
}

func canary(names ...string) catalog.SyncRequest {
	return catalog.SyncRequest{CanaryNamespaces: names}
}

func TestSync(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		first := w.register(compute)
		w.tenant("sre", compute)
		w.tenant("apps", compute)
		second := w.sync(catalog.SyncRequest{ExpectedSyncID: first.SyncID})
		if second.SyncID == first.SyncID || second.ReleasedSyncID != second.SyncID || second.Pending() || second.Generation != first.Generation+1 {
			w.t.Errorf("a plain sync: %+v", second)
		}
		trial := w.sync(canary("sre", "apps", "sre"))
		if trial.SyncID == second.SyncID || trial.ReleasedSyncID != second.SyncID || !slices.Equal(trial.CanaryNamespaces, []string{"apps", "sre"}) {
			w.t.Errorf("a canary: %+v", trial)
		}
		by := "by-hand"
		moved, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{SyncID: &by}, nil)
		w.must(err)
		if moved.SyncID != by || moved.ReleasedSyncID != second.SyncID || !moved.Pending() {
			w.t.Errorf("another sync_id during a rollout: %+v", moved)
		}
		stacked := w.sync(canary("apps"))
		if stacked.SyncID == by || stacked.ReleasedSyncID != second.SyncID || !slices.Equal(stacked.CanaryNamespaces, []string{"apps"}) {
			w.t.Errorf("a canary on a canary: %+v", stacked)
		}
		back := w.sync(catalog.SyncRequest{Abort: true, ExpectedSyncID: stacked.SyncID})
		if back.SyncID != second.SyncID || back.ReleasedSyncID != second.SyncID || back.Pending() || !back.Reverting {
			w.t.Errorf("an abort: %+v", back)
		}
		next := w.sync(canary("sre"))
		if next.Reverting {
			w.t.Error("still reverting at another id")
		}
		released := w.sync(catalog.SyncRequest{})
		if released.SyncID != next.SyncID || released.ReleasedSyncID != next.SyncID || released.Pending() {
			w.t.Errorf("a release: %+v", released)
		}
	})
}

func TestSyncRefusals(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		before := w.register(compute)
		w.tenant("sre", compute)
		w.tenant("apps")
		many := make([]string, catalog.MaxCanaries+1)
		for i := range many {
			many[i] = fmt.Sprintf("n%d", i)
		}
		for _, c := range map[string]struct {
			req  catalog.SyncRequest
			kind error
			says string
		}{
			"not subscribed":     {canary("sre", "apps", "nope"), catalog.ErrNotFound, "apps, nope"},
			"no label":           {canary("sre", "a/b"), catalog.ErrInvalid, "/canary_namespaces/1"},
			"too many":           {canary(many...), catalog.ErrInvalid, "100"},
			"two":                {catalog.SyncRequest{Release: true, Abort: true}, catalog.ErrInvalid, ""},
			"canary and abort":   {catalog.SyncRequest{CanaryNamespaces: []string{"sre"}, Abort: true}, catalog.ErrInvalid, ""},
			"strange id":         {catalog.SyncRequest{ExpectedSyncID: "a/b"}, catalog.ErrInvalid, "/expected_sync_id"},
			"another id":         {catalog.SyncRequest{ExpectedSyncID: "x"}, catalog.ErrConflict, before.SyncID},
			"nothing to release": {catalog.SyncRequest{Release: true}, catalog.ErrConflict, ""},
			"nothing to abort":   {catalog.SyncRequest{Abort: true}, catalog.ErrConflict, ""},
		} {
			_, err := w.SyncRegistration(w.ctx(), compute, c.req, nil)
			w.refuses(err, c.kind, c.says)
		}
		_, err := w.SyncRegistration(w.ctx(), "no.example.com", catalog.SyncRequest{}, nil)
		w.refuses(err, catalog.ErrNotFound)
		_, err = w.SyncRegistration(w.ctx(), compute, catalog.SyncRequest{}, func(string) bool { return false })
		w.refuses(err, catalog.ErrPrecondition)
		after, err := w.Registration(w.ctx(), compute)
		w.must(err)
		if after.Revision != before.Revision {
			w.t.Errorf("a refusal wrote: %+v", after)
		}
	})
}
