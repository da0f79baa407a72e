package reconciler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
)

// The registrations of a graph.
const apiA, apiB, apiC, apiD = "a.example.com", "b.example.com", "c.example.com", "d.example.com"

func needs(api string, condition catalog.Condition) catalog.Dependency {
	return catalog.Dependency{Ref: catalog.Ref{Name: api}, Condition: condition}
}

// graph has the app called with the API in the path, so that calls say what they are for.
func (w *world) graph() {
	w.steps = map[string][]pipeline.Step{"api": {{
		Method:   "post",
		Endpoint: w.app.url + "/sync/{{ .Subscription.Api }}/{{ .Subscription.Namespace }}",
		Data:     map[string]any{"sync_id": "{{ .Subscription.ExpectedSyncID }}"},
	}}}
}

// depends creates a registration that needs others, and subscribes the namespaces to it.
func (w *world) depends(api string, deps []catalog.Dependency, namespaces ...string) {
	w.t.Helper()
	_, err := w.CreateRegistration(w.t.Context(), api, catalog.RegistrationChange{DependsOn: &deps})
	must(w.t, err)
	w.subscribe(api, namespaces...)
}

// vanish deletes a registration's record behind everyone's back.
func (w *world) vanish(api string) {
	w.t.Helper()
	w.remove(scope().Prefix() + "registrations/" + api)
}

func (w *world) becomes(api string, want catalog.HealthState) {
	w.t.Helper()
	var got catalog.Health
	w.eventually(fmt.Sprintf("%s becomes %s", api, want), func() bool {
		var err error
		got, err = w.Health(w.t.Context(), api)
		must(w.t, err)
		return got.State == want
	})
}

func (w *world) stays(api string, want catalog.HealthState) {
	w.t.Helper()
	w.settle()
	if h, err := w.Health(w.t.Context(), api); err != nil || h.State != want {
		w.t.Errorf("%s is %+v (%v), not %s", api, h, err, want)
	}
}

func (w *world) subscription(ns, api string) catalog.SubscriptionView {
	w.t.Helper()
	v, err := w.Subscription(w.t.Context(), ns, api)
	must(w.t, err)
	return v
}

func (w *world) reaches(api string, namespaces ...string) {
	w.t.Helper()
	for _, ns := range namespaces {
		w.eventually(ns+" is synced to "+api, func() bool { return w.subscription(ns, api).InSync })
	}
}

// resync forces the namespace sre.
func (w *world) resync(api string) {
	w.t.Helper()
	_, err := w.Resync(w.t.Context(), "sre", api, nil)
	must(w.t, err)
}

// wantTried checks how often the app was called for the namespace sre.
func (w *world) wantTried(api string, want int) {
	w.t.Helper()
	if got := len(w.app.of(api + "/sre")); got != want {
		w.t.Errorf("the app was called %d times for %s, not %d times", got, api, want)
	}
}

// failing answers the calls for some APIs with a failure.
func (w *world) failing(apis ...string) {
	w.app.behave(func(c call) int {
		api, _, _ := strings.Cut(c.namespace, "/")
		if slices.Contains(apis, api) {
			return http.StatusInternalServerError
		}
		return http.StatusOK
	})
}

// startedInOrder lists the registrations as their workers were started.
func (w *world) startedInOrder() []string { return w.apisOf("workers started") }

func (w *world) apisOf(message string) []string {
	w.t.Helper()
	var apis []string
	for _, l := range w.logged() {
		if l.text("msg") == message {
			apis = append(apis, l.text("api"))
		}
	}
	return apis
}

func onGraphs(t *testing.T, fleets []fleet, test func(w *world)) {
	t.Helper()
	onFleets(t, fleets, func(w *world) {
		w.graph()
		test(w)
	})
}

func allFleets() []fleet { return []fleet{{"local", 1}, {"etcd", 1}, {"etcd", 2}} }

// identity is the id of the process that was started so.
func (w *world) identity(started int) string { return fmt.Sprintf("r%d", started) }

// remove deletes a key behind everyone's back.
func (w *world) remove(key string) {
	w.t.Helper()
	_, err := w.store.Txn(w.t.Context(), store.Txn{Then: []store.Op{store.Delete(key)}})
	must(w.t, err)
}
