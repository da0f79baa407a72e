package rollout_test

import (
	"errors"
	"strings"
	"testing"

	"kayra/rollout"
	"kayra/server/api"
	"kayra/store/catalog"
)

// TestWhatHasBecomeOfIt changes something between the look at a registration and the request.
func TestWhatHasBecomeOfIt(t *testing.T) {
	t.Parallel()
	moved := func(id, released string, canaries ...string) func(*api.Registration) {
		return func(reg *api.Registration) {
			reg.SyncID, reg.ReleasedSyncID, reg.CanaryNamespaces = id, released, canaries
		}
	}
	for name, c := range map[string]struct {
		pending bool // a rollout to v2 for sre is pending when it is looked at
		plan    planner
		becomes func(*api.Registration)
		says    string
	}{
		"start, a sync for everyone":      {false, start("sre"), moved("v9", "v9"), "its sync_id is no longer v1, but v9, and everyone's target"},
		"start, another canary":           {false, start("sre"), moved("v9", "v1", "apps"), "its sync_id is no longer v1: a rollout to v9 is pending, for apps"},
		"release, released":               {true, (*rollout.State).Release, moved("v2", "v2"), "the rollout to v2 has been released already"},
		"release, aborted":                {true, (*rollout.State).Release, moved("v1", "v1"), "the rollout to v2 has been aborted; everyone's target is v1 again"},
		"release, another canary":         {true, (*rollout.State).Release, moved("v3", "v1", "apps"), "a rollout to v3 is pending, for apps"},
		"release, retargeted":             {true, (*rollout.State).Release, moved("v3", "v1", "sre"), "the rollout to v2 has been given another sync_id: v3"},
		"abort, released":                 {true, (*rollout.State).Abort, moved("v2", "v2"), "the rollout to v2 has been released already"},
		"abort, aborted and synced again": {true, (*rollout.State).Abort, moved("v4", "v4"), "its sync_id is no longer v2, but v4"},
		"everyone, a canary":              {false, (*rollout.State).All, moved("v2", "v1", "sre"), "a rollout to v2 is pending, for sre"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, f := engine("apps", "core", "sre")
			if c.pending {
				begin(t, e, "sre")
			}
			p, err := c.plan(load(t, e))
			if err != nil {
				t.Fatal(err)
			}
			f.BeforeSync(func() { f.Edit(compute, c.becomes) })
			_, err = e.Apply(t.Context(), p)
			var changed *rollout.ChangedError
			if !errors.As(err, &changed) || !errors.Is(err, catalog.ErrConflict) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v, want a conflict that says %q", err, c.says)
			}
			var now api.Registration
			c.becomes(&now)
			if changed.Now.Registration.SyncID != now.SyncID || load(t, e).Registration.SyncID != now.SyncID {
				t.Errorf("it is at %s", changed.Now.Registration.SyncID)
			}
		})
	}
}

func TestOfTwoReleasesOneWins(t *testing.T) {
	t.Parallel()
	e, f := engine("apps", "core", "sre")
	begin(t, e, "sre")
	ann, err1 := load(t, e).Release()
	bob, err2 := load(t, e).Release()
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if reg, err := e.Apply(t.Context(), ann); err != nil || reg.SyncID != "v2" || reg.ReleasedSyncID != "v2" {
		t.Fatalf("ann: %+v, %v", reg, err)
	}
	if _, err := e.Apply(t.Context(), bob); !errors.Is(err, catalog.ErrConflict) || !strings.Contains(err.Error(), "released already") {
		t.Errorf("bob: %v", err)
	}
	if now := load(t, e).Registration.SyncID; now != "v2" {
		t.Errorf("a second release has minted %s", now)
	}
	if n := len(f.Sent()); n != 3 {
		t.Errorf("%d requests", n)
	}
}

func TestWithoutARolloutNothingEnds(t *testing.T) {
	t.Parallel()
	e, f := engine("apps", "sre")
	for name, plan := range map[string]planner{"release": (*rollout.State).Release, "abort": (*rollout.State).Abort} {
		if _, err := plan(load(t, e)); !errors.Is(err, catalog.ErrConflict) || !strings.Contains(err.Error(), "no rollout is pending") {
			t.Errorf("%s: %v", name, err)
		}
	}
	begin(t, e, "sre")
	if _, err := load(t, e).All(); !errors.Is(err, catalog.ErrConflict) || !strings.Contains(err.Error(), "a rollout to v2 is pending, for sre") {
		t.Errorf("everyone: %v", err)
	}
	if n := len(f.Sent()); n != 1 {
		t.Errorf("%d requests, want that of the start alone", n)
	}
}

func TestExpect(t *testing.T) {
	t.Parallel()
	e, _ := engine("apps", "sre")
	begin(t, e, "sre")
	p, err := load(t, e).Release()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", "v2"} {
		if same, err := p.Expect(id); err != nil || same.SyncID != "v2" {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := p.Expect("v7"); !errors.Is(err, catalog.ErrConflict) || !strings.Contains(err.Error(), "no longer v7: a rollout to v2 is pending, for sre") {
		t.Errorf("v7: %v", err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	e, f := engine("apps", "sre")
	p, err := load(t, e).Start([]string{"sre"})
	if err != nil {
		t.Fatal(err)
	}
	if there, err := e.Document(t.Context(), compute); !there || err != nil {
		t.Errorf("document: %v, %v", there, err)
	}
	f.WithoutDocument(compute)
	if there, err := e.Document(t.Context(), compute); there || err != nil {
		t.Errorf("no document: %v, %v", there, err)
	}
	f.Delete(compute)
	if _, err := e.Load(t.Context(), compute); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("load: %v", err)
	}
	if _, err := e.Apply(t.Context(), p); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("apply: %v", err)
	}
	f.Register("net.example.com")
	f.Register("app.example.com")
	all, err := e.Registrations(t.Context())
	if err != nil || len(all) != 2 || all[0].Name != "app.example.com" {
		t.Errorf("registrations: %v, %v", all, err)
	}
}
