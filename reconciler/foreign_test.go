package reconciler_test

import (
	"testing"

	"kayra/reconciler"
	"kayra/store/catalog"
)

func otherScope() catalog.Scope { return catalog.Scope{Platform: "prod", Region: "us-east-1"} }

func abroad(condition catalog.Condition) []catalog.Dependency {
	return []catalog.Dependency{{
		Ref: catalog.Ref{Platform: otherScope().Platform, Region: otherScope().Region, Name: apiA}, Condition: condition,
	}}
}

// startAbroad starts a reconciler of the other scope.
func (w *world) startAbroad() {
	before := w.options
	w.options = func(o *reconciler.Options) { before(o); o.Scope = otherScope() }
	defer func() { w.options = before }()
	w.startOne()
}

// A dependency in another scope is judged by what the store says of it: whether a reconciler of that scope is alive, and
// the health that its konductor has published.
func TestDependencyInAnotherScope(t *testing.T) {
	t.Parallel()
	for _, condition := range []catalog.Condition{catalog.ConditionStarted, catalog.ConditionHealthy} {
		t.Run(string(condition), func(t *testing.T) {
			t.Parallel()
			onGraphs(t, []fleet{{"etcd", 2}}, func(w *world) {
				there := catalog.NewRepository(w.store, otherScope())
				_, err := there.CreateRegistration(t.Context(), apiA, catalog.RegistrationChange{})
				must(t, err)
				w.depends(apiB, abroad(condition), "sre")
				w.start()
				w.becomes(apiB, catalog.HealthNotStarted)
				w.settle()
				w.wantTried(apiB, 0)
				w.startAbroad()
				w.reaches(apiB, "sre")
			})
		})
	}
}

// The same namespace's subscription there is what must be synced.
func TestSyncedInAnotherScope(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"etcd", 1}}, func(w *world) {
		there := catalog.NewRepository(w.store, otherScope())
		_, err := there.CreateRegistration(t.Context(), apiA, catalog.RegistrationChange{})
		must(t, err)
		_, err = there.CreateNamespace(t.Context(), "sre")
		must(t, err)
		_, err = there.Subscribe(t.Context(), "sre", apiA)
		must(t, err)
		w.depends(apiB, abroad(catalog.ConditionSynced), "sre", "apps")
		w.start()
		w.reaches(apiB, "apps")
		w.settle()
		w.wantTried(apiB, 0)
		w.startAbroad()
		w.reaches(apiB, "sre")
	})
}

// What the store tells nothing of cannot be judged, and holds nobody back.
func TestExternalDependency(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		there := catalog.NewRepository(w.store, otherScope())
		_, err := there.CreateRegistration(t.Context(), apiA, catalog.RegistrationChange{})
		must(t, err)
		w.depends(apiB, abroad(catalog.ConditionHealthy), "sre")
		w.remove(otherScope().Prefix() + "registrations/" + apiA)
		w.start()
		w.reaches(apiB, "sre")
		w.stays(apiB, catalog.HealthHealthy)
	})
}
