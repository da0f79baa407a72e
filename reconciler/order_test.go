package reconciler_test

import (
	"slices"
	"testing"

	"kayra/store/catalog"
)

// A dependency that is missing at the start holds its dependents back until it is there.
func TestDependencyMissingAtStart(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil)
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionStarted)}, "sre")
		w.depends(apiC, nil, "sre")
		w.vanish(apiA)
		w.start()
		w.reaches(apiC, "sre")
		w.becomes(apiA, catalog.HealthMissing)
		w.becomes(apiB, catalog.HealthNotStarted)
		w.settle()
		w.wantTried(apiB, 0)

		w.depends(apiA, nil)
		w.reaches(apiB, "sre")
		w.becomes(apiA, catalog.HealthHealthy)
		w.becomes(apiB, catalog.HealthHealthy)
	})
}

// A dependency that goes while others need it is missing, and degrades them; their workers stay, but begin no run. One
// that returns lets them go on.
func TestDependencyLeavesAndReturns(t *testing.T) {
	t.Parallel()
	for _, condition := range []catalog.Condition{catalog.ConditionStarted, catalog.ConditionHealthy} {
		t.Run(string(condition), func(t *testing.T) {
			t.Parallel()
			onGraphs(t, allFleets(), func(w *world) {
				w.depends(apiA, nil, "sre")
				w.depends(apiB, []catalog.Dependency{needs(apiA, condition)}, "sre")
				w.depends(apiC, []catalog.Dependency{needs(apiB, catalog.ConditionStarted)}, "sre")
				w.depends(apiD, []catalog.Dependency{needs(apiB, catalog.ConditionHealthy)}, "sre")
				w.start()
				w.reaches(apiB, "sre")
				w.reaches(apiC, "sre")
				w.reaches(apiD, "sre")

				w.vanish(apiA)
				w.becomes(apiA, catalog.HealthMissing)
				w.becomes(apiB, catalog.HealthDegraded)
				w.stays(apiC, catalog.HealthHealthy)
				w.resync(apiB)
				w.resync(apiC)
				w.resync(apiD)
				w.reaches(apiC, "sre")
				w.settle()
				w.wantTried(apiB, 1)
				w.wantTried(apiD, 1)

				w.depends(apiA, nil)
				w.reaches(apiB, "sre")
				w.becomes(apiB, catalog.HealthHealthy)
				w.reaches(apiD, "sre")
				w.wantTried(apiB, 2)
				if restarted := slices.Contains(w.apisOf("workers stopped, since the API is no longer registered"), apiB); restarted {
					t.Error("the workers of a dependent were stopped")
				}
			})
		})
	}
}

// Whoever needs one healthy that is degraded for its missing dependency goes on when that returns, although nothing else
// happens to the one in the middle.
func TestReturnIsPassedOn(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil)
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionStarted)}, "apps")
		w.depends(apiC, []catalog.Dependency{needs(apiB, catalog.ConditionHealthy)}, "sre")
		w.start()
		w.reaches(apiB, "apps")
		w.reaches(apiC, "sre")
		w.vanish(apiA)
		w.becomes(apiB, catalog.HealthDegraded)
		w.settle()
		w.resync(apiC)
		w.settle()
		w.wantTried(apiC, 1)
		w.depends(apiA, nil)
		w.reaches(apiC, "sre")
	})
}

// A chain with a dependency that takes long to be healthy: what does not need it starts, and what needs it starts when it
// is healthy.
func TestChainWithHealthyInTheMiddle(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil, "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionStarted)}, "sre")
		w.depends(apiC, []catalog.Dependency{needs(apiB, catalog.ConditionHealthy)}, "sre")
		w.depends(apiD, nil, "sre")
		w.failing(apiB)
		w.start()
		w.reaches(apiA, "sre")
		w.reaches(apiD, "sre")
		w.becomes(apiB, catalog.HealthStarted)
		w.stays(apiC, catalog.HealthNotStarted)
		w.wantTried(apiC, 0)

		w.failing()
		_, err := w.TouchSubscription(t.Context(), "sre", apiB, nil)
		must(t, err)
		w.reaches(apiB, "sre")
		w.reaches(apiC, "sre")
		w.becomes(apiC, catalog.HealthHealthy)
	})
}

// One that could be healthy is not while it has not started: it waits for its own dependencies first.
func TestChainOfHealthyConditions(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		healthy := catalog.ConditionHealthy
		w.depends(apiA, nil, "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, healthy)})
		w.depends(apiC, []catalog.Dependency{needs(apiB, healthy)}, "sre")
		w.failing(apiA)
		w.start()
		w.becomes(apiA, catalog.HealthStarted)
		w.stays(apiB, catalog.HealthNotStarted)
		w.stays(apiC, catalog.HealthNotStarted)
		w.wantTried(apiC, 0)

		w.failing()
		w.resync(apiA)
		w.becomes(apiB, catalog.HealthHealthy)
		w.reaches(apiC, "sre")
	})
}

// A condition that was met once is not met for ever.
func TestConditionIsJudgedByThePresent(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil, "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionHealthy)}, "sre", "apps")
		w.start()
		w.reaches(apiB, "sre", "apps")

		w.failing(apiA)
		for range 3 { // triggers of two attempts each
			w.resync(apiA)
			w.settle()
		}
		w.becomes(apiA, catalog.HealthDegraded)
		w.resync(apiB)
		_, err := w.Resync(t.Context(), "apps", apiB, nil)
		must(t, err)
		w.stays(apiB, catalog.HealthHealthy)
		w.wantTried(apiB, 1)

		w.failing()
		w.resync(apiA)
		w.becomes(apiA, catalog.HealthHealthy)
		w.reaches(apiB, "sre", "apps")
		w.wantTried(apiB, 2)
	})
}

// In a diamond, what is at the bottom waits for both sides.
func TestDiamond(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		healthy := catalog.ConditionHealthy
		w.depends(apiA, nil, "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, healthy)}, "sre")
		w.depends(apiC, []catalog.Dependency{needs(apiA, healthy)}, "sre")
		w.depends(apiD, []catalog.Dependency{needs(apiB, healthy), needs(apiC, healthy)}, "sre")
		w.failing(apiC)
		w.start()
		w.reaches(apiB, "sre")
		w.becomes(apiC, catalog.HealthStarted)
		w.stays(apiD, catalog.HealthNotStarted)

		w.failing()
		w.resync(apiC)
		w.reaches(apiD, "sre")
		w.wantTried(apiD, 1)
	})
}

// Synced is a condition of each tenant for itself.
func TestSyncedIsOfTheSameNamespace(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil, "apps", "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionSynced)}, "apps", "sre", "alone")
		w.app.behave(func(c call) int {
			if c.namespace == apiA+"/sre" {
				return 500
			}
			return 200
		})
		w.start()
		w.reaches(apiB, "apps", "alone")
		w.settle()
		w.wantTried(apiB, 0)
		w.failing()
		w.resync(apiA)
		w.reaches(apiB, "sre")

		_, err := w.SyncRegistration(t.Context(), apiA, catalog.SyncRequest{CanaryNamespaces: []string{"apps"}}, nil)
		must(t, err)
		w.reaches(apiA, "apps")
		w.settle()
		w.resync(apiB) // a canary holds sre at the released id of A, which counts
		w.reaches(apiB, "sre")
	})
}

// An abort passes the gates of dependencies: it takes back what should not be.
func TestAbortPassesDependencies(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil, "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionStarted)}, "apps", "sre")
		w.start()
		w.reaches(apiB, "apps", "sre")
		reg, err := w.SyncRegistration(t.Context(), apiB, catalog.SyncRequest{CanaryNamespaces: []string{"sre"}}, nil)
		must(t, err)
		w.reaches(apiB, "sre")
		w.vanish(apiA)
		w.becomes(apiB, catalog.HealthDegraded)
		w.settle()
		_, err = w.SyncRegistration(t.Context(), apiB, catalog.SyncRequest{Abort: true}, nil)
		must(t, err)
		w.eventually("sre is back", func() bool {
			v := w.subscription("sre", apiB)
			return v.CurrentSyncID == reg.ReleasedSyncID && v.InSync
		})
	})
}

// Workers start with dependencies first, ties by name, and stop the other way round.
func TestTopologicalOrder(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		started := catalog.ConditionStarted
		w.depends(apiD, nil)
		w.depends(apiC, nil)
		w.depends(apiA, []catalog.Dependency{needs(apiD, started), needs(apiC, started)})
		w.depends(apiB, []catalog.Dependency{needs(apiD, started)})
		order := []string{apiC, apiD, apiA, apiB}
		p := w.startOne()
		w.eventually("all have started", func() bool { return len(w.startedInOrder()) == len(order) })
		p.stop()
		if got := w.startedInOrder(); !slices.Equal(got, order) {
			t.Errorf("started in the order %v, not %v", got, order)
		}
		slices.Reverse(order)
		if got := w.apisOf("workers stopped"); !slices.Equal(got, order) {
			t.Errorf("stopped in the order %v, not %v", got, order)
		}
	})
}
