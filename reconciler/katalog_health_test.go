package reconciler_test

import (
	"net/http"
	"strings"
	"testing"

	"kayra/reconciler/katalog"
	"kayra/store"
	"kayra/store/catalog"
)

// shows waits until a process tells that a registration is in a state, and returns all that it tells then.
func (w *world) shows(p *process, api string, want catalog.HealthState) katalog.CRDHealthResponse {
	w.t.Helper()
	var h katalog.CRDHealthResponse
	w.eventually(api+" shows as "+string(want), func() bool {
		h = p.health(w.t, api)
		return h.State == string(want)
	})
	status := http.StatusOK
	switch want {
	case catalog.HealthNotStarted, catalog.HealthDegraded, catalog.HealthMissing:
		status = http.StatusServiceUnavailable
	default:
	}
	if h.Status != status || h.Healthy != (want == catalog.HealthHealthy) || h.Pending != (want == catalog.HealthPending) ||
		h.Missing != (want == catalog.HealthMissing) || h.Started == (h.StartedAt == "not started") {
		w.t.Errorf("%s as %s: %+v", api, want, h)
	}
	return h
}

// counts are the registrations by their states, as /katalog tells it, whose status must be that of the whole.
func (w *world) counts(p *process, want katalog.StatusCounts) katalog.KatalogResponse {
	w.t.Helper()
	status := http.StatusOK
	if want.Degraded > 0 {
		status = http.StatusServiceUnavailable
	}
	k := answer[katalog.KatalogResponse](w.t, p, "", status)
	if k.StatusCounts != want || k.Status != status || k.Healthy != (status == http.StatusOK) || (k.DegradedReason == "") != k.Healthy {
		w.t.Errorf("%+v (%q), want %+v", k.StatusCounts, k.DegradedReason, want)
	}
	return k
}

func (w *world) wantDependency(h katalog.CRDHealthResponse, want katalog.DependencyStatus) {
	w.t.Helper()
	got := h.Dependencies[want.Name]
	if got.LastCheck == "" {
		w.t.Errorf("%s: it is not told when %s was checked", h.Name, want.Name)
	}
	if got.LastCheck = ""; got != want {
		w.t.Errorf("dependency of %s: %+v, want %+v", h.Name, got, want)
	}
}

// A dependency that is missing at the start, that comes, that leaves while others need it, and that returns.
func TestHealthOfAMissingDependencyIsTold(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.asked()
		w.depends(apiA, nil)
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionStarted)}, "sre")
		w.vanish(apiA)
		w.start()
		for _, p := range w.started {
			if h := w.shows(p, apiA, catalog.HealthMissing); !strings.Contains(h.DegradedReason, apiB) {
				t.Errorf("why it is missed: %q", h.DegradedReason)
			}
			h := w.shows(p, apiB, catalog.HealthNotStarted)
			w.wantDependency(h, katalog.DependencyStatus{Name: apiA, State: "missing", Condition: "missing", AcceptableCondition: "started"})
			w.counts(p, katalog.StatusCounts{Degraded: 1, Pending: 1})
			answer[problem](t, p, "/"+apiA, http.StatusNotFound)
			for state, want := range map[string]float64{"missing": 1, "healthy": 0} {
				if got := p.metric(t, `kayra_reconciler_api_state{api="`+apiA+`",state="`+state+`"}`); got != want {
					t.Errorf("its metric of being %s is %v", state, got)
				}
			}
		}

		w.depends(apiA, nil)
		w.reaches(apiB, "sre")
		for _, p := range w.started {
			w.shows(p, apiA, catalog.HealthHealthy)
			h := w.shows(p, apiB, catalog.HealthHealthy)
			w.wantDependency(h, katalog.DependencyStatus{Name: apiA, State: "healthy", Condition: "healthy", AcceptableCondition: "started", Satisfied: true})
			w.counts(p, katalog.StatusCounts{Healthy: 2})
		}

		w.vanish(apiA)
		for _, p := range w.started {
			w.shows(p, apiA, catalog.HealthMissing)
			h := w.shows(p, apiB, catalog.HealthDegraded)
			if !h.Started || !h.HasUnhealthyDependencies || !strings.Contains(h.DegradedReason, apiA) {
				t.Errorf("a dependent: %+v", h)
			}
			k := w.counts(p, katalog.StatusCounts{Degraded: 2})
			if !strings.Contains(k.DegradedReason, apiA) || !strings.Contains(k.DegradedReason, "and 1 more") {
				t.Errorf("why the whole is degraded: %q", k.DegradedReason)
			}
		}

		w.depends(apiA, nil)
		for _, p := range w.started {
			w.shows(p, apiA, catalog.HealthHealthy)
			w.shows(p, apiB, catalog.HealthHealthy)
		}
	})
}

// A chain whose middle takes long to be healthy, and then fails.
func TestHealthOfAChainIsTold(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.asked()
		w.depends(apiA, nil, "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionSynced)}, "sre")
		w.depends(apiC, []catalog.Dependency{needs(apiB, catalog.ConditionHealthy)}, "sre")
		w.failing(apiA)
		w.start()
		for _, p := range w.started {
			w.shows(p, apiA, catalog.HealthStarted)
			w.eventually("the chain waits", func() bool { return !p.health(t, apiB).Dependencies[apiA].Satisfied })
			h := w.shows(p, apiB, catalog.HealthPending)
			w.wantDependency(h, katalog.DependencyStatus{Name: apiA, State: "started", Condition: "started", AcceptableCondition: "synced"})
			h = w.shows(p, apiC, catalog.HealthNotStarted)
			w.wantDependency(h, katalog.DependencyStatus{Name: apiB, State: "pending", Condition: "started", AcceptableCondition: "healthy"})
			w.counts(p, katalog.StatusCounts{Started: 1, Pending: 2})
		}

		w.failing()
		w.resync(apiA)
		w.reaches(apiC, "sre")
		for _, p := range w.started {
			w.shows(p, apiC, catalog.HealthHealthy)
			h := w.shows(p, apiB, catalog.HealthHealthy)
			w.wantDependency(h, katalog.DependencyStatus{Name: apiA, State: "healthy", Condition: "synced", AcceptableCondition: "synced", Satisfied: true})
			w.counts(p, katalog.StatusCounts{Healthy: 3})
		}

		w.failing(apiB)
		for range 3 { // triggers of two attempts each
			w.resync(apiB)
			w.settle()
		}
		for _, p := range w.started {
			h := w.shows(p, apiB, catalog.HealthDegraded)
			if h.FailuresRecorded != 6 || h.ResourcesFailing != 1 || h.ResourcesInError != 1 || h.ResourcesSynced != 0 {
				t.Errorf("the one that fails: %+v", h)
			}
			if p.metric(t, `kayra_reconciler_oldest_unsynced_seconds{api="`+apiB+`"}`) <= 0 {
				t.Error("the one that fails counts as synced")
			}
			h = w.shows(p, apiC, catalog.HealthHealthy)
			w.wantDependency(h, katalog.DependencyStatus{Name: apiB, State: "degraded", Condition: "started", AcceptableCondition: "healthy"})
			w.counts(p, katalog.StatusCounts{Healthy: 2, Degraded: 1})
		}
	})
}

// The counters are those of the attempts that the process has made; those of all of them are together what was made.
func TestCountersAreTold(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.asked()
		w.app.behave(fails(apiA + "/sre"))
		w.start()
		w.depends(apiA, nil, "sre", "apps", "ops")
		w.reaches(apiA, "apps", "ops")
		w.settle()
		var total, failed, calls, errors int64
		for _, p := range w.started {
			h := p.health(t, apiA)
			total, failed = total+h.TotalReconciles, failed+h.FailedReconciles
			if h.FailedReconciles > 0 && !strings.Contains(h.LastError, "answered 500") {
				t.Errorf("the last error is %q", h.LastError)
			}
			if h.TotalReconciles > 0 && (h.LastReconcile == "" || h.DurationP50Ms <= 0 || h.DurationP99Ms < h.DurationP50Ms || h.RecentReconciles != int(h.TotalReconciles)) {
				t.Errorf("of %d attempts: %+v", h.TotalReconciles, h)
			}
			if h.ResourceCount != 3 || h.ResourcesSynced != 2 || h.ResourcesFailing != 1 || h.ResourcesInError != 1 {
				t.Errorf("of three subscriptions: %+v", h)
			}
			info := answer[katalog.CRDInfoResponse](t, p, "/"+apiA, http.StatusOK)
			if want := strings.TrimPrefix(w.app.url, "http://"); len(info.Providers) != 1 || info.Providers[0].Name != want || info.Providers[0].Kinds[0] != "POST" {
				t.Fatalf("providers: %+v, want %s", info.Providers, want)
			}
			calls, errors = calls+info.Providers[0].Total, errors+info.Providers[0].Errors
		}
		if total != 4 || failed != 2 || calls != 4 || errors != 2 {
			t.Errorf("%d attempts, %d failed; %d calls, %d errors", total, failed, calls, errors)
		}
	})
}

// A dependency of another scope is judged by what the store says of it, and by nothing if that is nothing.
func TestForeignDependencyIsTold(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		w.asked()
		there := catalog.NewRepository(w.store, otherScope())
		_, err := there.CreateRegistration(t.Context(), apiA, catalog.RegistrationChange{})
		must(t, err)
		p := w.startOne()
		w.depends(apiB, abroad(catalog.ConditionHealthy), "sre")
		name := otherScope().String() + "/" + apiA
		w.eventually("it is there, without a reconciler", func() bool { return p.health(t, apiB).Dependencies[name].State == "not started" })
		h := w.shows(p, apiB, catalog.HealthNotStarted)
		w.wantDependency(h, katalog.DependencyStatus{Name: name, State: "not started", Condition: "not started", AcceptableCondition: "healthy"})

		w.remove(otherScope().Prefix() + "registrations/" + apiA)
		w.reaches(apiB, "sre")
		h = w.shows(p, apiB, catalog.HealthHealthy)
		w.wantDependency(h, katalog.DependencyStatus{
			Name: name, State: "external", Condition: "external", AcceptableCondition: "healthy", Satisfied: true,
		})
	})
}

// Who is the konductor says so, and nobody else.
func TestKonductorIsTold(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.asked()
		w.start()
		w.register(compute)
		one := w.oneKonductor()
		for i, p := range w.started {
			want := w.identity(i) == one
			w.eventually("it knows who is the konductor", func() bool {
				k := answer[katalog.KatalogResponse](t, p, "", http.StatusOK)
				return k.IsKonductor == want && k.OrkReady && p.metric(t, "kayra_reconciler_konductor") == map[bool]float64{true: 1}[want]
			})
		}
		_, err := w.store.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(scope().Prefix()+"konductor", []byte(`{"id":"other"}`))}})
		must(t, err)
		for _, p := range w.started {
			w.eventually("another one is", func() bool { return !answer[katalog.KatalogResponse](t, p, "", http.StatusOK).IsKonductor })
		}
	})
}

// What is counted of hosts goes with the registration.
func TestHostsGoWithTheirRegistration(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}}, func(w *world) {
		w.asked()
		p := w.startOne()
		w.register(compute, "sre")
		w.synced("sre")
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		must(t, w.DeleteRegistration(t.Context(), compute, nil))
		w.settle()
		w.register(compute)
		w.settle()
		info := answer[katalog.CRDInfoResponse](t, p, "/"+compute, http.StatusOK)
		if len(info.Providers) != 1 || info.Providers[0].Total != 0 || info.TotalReconciles != 0 {
			t.Errorf("of a namesake: %+v", info)
		}
	})
}

type problem struct {
	Type, Title, Detail, Instance string
	Status                        int
}

// Without a way to tell who asks, nobody is answered; what is open stays so.
func TestNobodyMayAsk(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}}, func(w *world) {
		p := w.startOne()
		w.register(compute, "sre")
		w.synced("sre")
		for _, path := range []string{"", "/", "/raw", "/" + compute, "/" + compute + "/health", "/" + compute + "/cr/sre/events", "/nothing"} {
			if got := answer[problem](t, p, path, http.StatusForbidden); got.Status != http.StatusForbidden || got.Detail == "" {
				t.Errorf("%s: %+v", path, got)
			}
		}
		for _, path := range []string{"/-/healthz", "/-/readyz", "/-/metrics"} {
			if code, _ := p.get(t, path); code != http.StatusOK {
				t.Errorf("%s: %d", path, code)
			}
		}
	})
}
