package fleet_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

func registered(names ...string) *fleet.APIs {
	u := &fleet.APIs{Whole: true}
	for _, name := range names {
		u.Changes = append(u.Changes, fleet.APIChange{Registration: api.Registration{Name: name}})
	}
	return u
}

func alive(reconcilers ...api.Reconciler) *fleet.Reconcilers {
	u := &fleet.Reconcilers{Whole: true}
	for _, r := range reconcilers {
		u.Changes = append(u.Changes, fleet.ReconcilerChange{Reconciler: r})
	}
	return u
}

func word(id, state string, processing int32, workers, queue int) *fleet.Word {
	return &fleet.Word{Reconciler: id, At: at(1), Katalog: &katalog.KatalogResponse{CRDs: []katalog.CRDSummaryResponse{
		{Name: compute, State: state, DegradedReason: "as " + id + " sees it", Workers: workers, WorkersProcessing: processing, QueueDepth: queue},
		{Name: "lost.example.com", State: "missing"},
	}}}
}

func waiting(id string, waiting, running int) api.Reconciler {
	return api.Reconciler{ID: id, Queues: map[string]catalog.QueueLength{compute: {Waiting: waiting, Running: running}}}
}

// told is what is merged.
type told struct {
	State                              catalog.HealthState
	Because                            string
	Busy, Workers, Queue, Told, Untold int
	Known                              bool
}

func toldOf(f *fleet.Fleet) told {
	a := f.API(compute)
	return told{a.State, a.Because, a.Busy, a.Workers, a.Queue, a.Told, a.Untold, a.Known()}
}

func TestWhatProcessesTellIsMerged(t *testing.T) {
	t.Parallel()
	var f fleet.Fleet
	konductor := api.Reconciler{ID: "b", Konductor: true}
	for _, step := range []struct {
		what   string
		update fleet.Update
		want   told
	}{
		{"nothing yet", registered(compute), told{}},
		{"two are there, and stand on their records", alive(waiting("a", 4, 2), konductor), told{Busy: 2, Queue: 4, Untold: 2}},
		{"one tells", word("a", "started", 3, 30, 7), told{"started", "as a sees it", 3, 30, 7, 1, 1, false}},
		{"the other one tells, and decides", word("b", "degraded", 1, 30, 2), told{"degraded", "as b sees it", 4, 60, 9, 2, 0, true}},
		{"one that is not there tells", word("c", "healthy", 9, 9, 9), told{"degraded", "as b sees it", 4, 60, 9, 2, 0, true}},
		{
			"the server knows better", &fleet.Figures{Katalog: &api.Katalog{CRDs: []api.KatalogAPI{{Name: compute, State: "healthy"}}}},
			told{"healthy", "", 4, 60, 9, 2, 0, true},
		},
		{"the server does not know", &fleet.Figures{Katalog: &api.Katalog{CRDs: []api.KatalogAPI{{Name: compute}}}}, told{"degraded", "as b sees it", 4, 60, 9, 2, 0, true}},
		{"one is silent", &fleet.Word{Reconciler: "b", Problem: "it does not answer"}, told{"started", "as a sees it", 3, 30, 7, 1, 1, false}},
		{"one is gone", alive(waiting("a", 4, 2)), told{"started", "as a sees it", 3, 30, 7, 1, 0, true}},
		{"one is back", word("a", "healthy", 0, 30, 0), told{"healthy", "as a sees it", 0, 30, 0, 1, 0, true}},
		{"all are gone", alive(), told{}},
	} {
		f.Apply(step.update)
		if d := cmp.Diff(step.want, toldOf(&f)); d != "" {
			t.Errorf("%s: %s", step.what, d)
		}
	}
	// An API that comes later finds what was told of it.
	f.Apply(alive(konductor), word("b", "healthy", 1, 30, 0), registered("other.example.com"))
	f.Apply(registered(compute))
	if d := cmp.Diff(told{"healthy", "as b sees it", 1, 30, 0, 1, 0, true}, toldOf(&f)); d != "" {
		t.Error(d)
	}
}

func TestReconcilersKeepWhatTheySaid(t *testing.T) {
	t.Parallel()
	var f fleet.Fleet
	f.Apply(alive(api.Reconciler{ID: "b"}, api.Reconciler{ID: "a", PID: 7}), word("a", "healthy", 0, 1, 0), &fleet.Word{Reconciler: "a", Problem: "it does not answer"})
	all := f.Reconcilers()
	if len(all) != 2 || all[0].PID != 7 || all[0].Katalog == nil || all[0].Problem == "" || !all[0].Asked.Equal(at(1)) || all[1].Katalog != nil {
		t.Errorf("%+v", all)
	}
	f.Apply(word("a", "healthy", 0, 1, 0), &fleet.Reconcilers{Changes: []fleet.ReconcilerChange{{Reconciler: api.Reconciler{ID: "b"}, Gone: true}}})
	if all = f.Reconcilers(); len(all) != 1 || all[0].Problem != "" {
		t.Errorf("%+v", all)
	}
}
