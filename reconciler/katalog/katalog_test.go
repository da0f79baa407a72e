package katalog_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"kayra/reconciler/katalog"
	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

const (
	base = "base.example.com"
	app  = "app.example.com"
	lost = "lost.example.com"
)

// town is a process with an API that is well, one that is not, and one that is missing.
type town struct{}

func at(minute int) time.Time { return time.Date(2026, 11, 30, 3, minute, 0, 0, time.UTC) }

func (town) Process() katalog.Process {
	return katalog.Process{
		Scope: catalog.Scope{Platform: "sandbox", Region: "eu-west-1"}, Version: "v1.2.3", Ready: true, Konductor: true,
		Gateway: "https://kayra.example.com", Now: at(30),
	}
}

func (t town) APIs() []katalog.API {
	names := []string{app, base, lost}
	all := make([]katalog.API, len(names))
	for i, name := range names {
		all[i], _ = t.API(name)
		all[i].Details = nil
	}
	return all
}

func (town) API(name string) (katalog.API, bool) {
	switch name {
	case base:
		return well(), true
	case app:
		return unwell(), true
	case lost:
		return katalog.API{Name: lost, State: catalog.HealthMissing, Reason: "it is not registered, and needed by " + app}, true
	}
	return katalog.API{}, false
}

func well() katalog.API {
	var none *catalog.Operator
	reg := &catalog.Registration{
		Name: base, Platform: "sandbox", Region: "eu-west-1", Active: true, SyncID: "v2", ReleasedSyncID: "v2", UID: "u1",
		Generation: 3, CreatedAt: at(0), TargetAt: at(20),
	}
	return katalog.API{
		Name: base, Registration: reg, Settings: none.Settings(nil), Mode: "other", Placeholder: true,
		State: catalog.HealthHealthy, Started: true, Tally: katalog.Tally{Subscribed: 1, Synced: 1},
		Vitals: kordinator.Snapshot{StartedAt: at(10), Workers: 2, States: []kordinator.WorkerState{kordinator.WorkerIdle, kordinator.WorkerIdle}},
		Scale:  kordinator.ScaleReport{Configured: 2, Effective: 2, Max: 2}, Details: &katalog.Details{},
	}
}

func unwell() katalog.API {
	deps := []katalog.Dependency{
		{Dependency: need(base, "sandbox", catalog.ConditionHealthy), State: "healthy", Condition: "healthy", Satisfied: true},
		{Dependency: need("far.example.com", "prod", ""), State: "external", Condition: "external", Satisfied: true},
		{Dependency: need(lost, "sandbox", catalog.ConditionSynced), State: "missing", Condition: "missing"},
	}
	operator := &catalog.Operator{
		Workers: new(1), Rollback: &catalog.Rollback{ConsecutiveFailures: new(3)},
		Autoscale: &catalog.Autoscale{
			When: []catalog.ScaleCondition{{Metric: "queueDepth", Op: ">", Value: 10}},
			Do:   &catalog.ScaleAdjustments{Workers: new(4), Resync: new(catalog.Duration(time.Minute))},
		},
	}
	reg := &catalog.Registration{
		Name: app, ShortName: "app", Platform: "sandbox", Region: "eu-west-1", Active: true, Owner: "team-a", Description: "An app.",
		Operator: operator, SyncID: "v1", ReleasedSyncID: "v1", UID: "u2", Generation: 9, Reverting: true, CreatedAt: at(0), TargetAt: at(25),
		RolledBack: catalog.RolledBack{Total: 2, SyncID: "v3", At: at(25)},
	}
	for _, d := range deps {
		reg.DependsOn = append(reg.DependsOn, d.Dependency)
	}
	return katalog.API{
		Name: app, Registration: reg, Settings: operator.Settings(&catalog.Operator{MaxDepth: new(500)}), Mode: "api",
		State: catalog.HealthDegraded, Reason: "its dependency " + lost + " is not registered", Started: true, Dependencies: deps,
		Tally: katalog.Tally{Subscribed: 10, Synced: 7, Failing: 2, InError: 1, Failures: 5}, Rules: 1, Hosts: 1,
		Vitals: kordinator.Snapshot{
			Counts: kordinator.Counts{
				Attempts: 40, Failed: 10, Consecutive: 2, Panics: 1, LastAttempt: at(29),
				LastError: kordinator.Failure{At: at(29), Message: "step 1: POST https://app/x answered 500"},
				LastPanic: kordinator.Failure{At: at(28), Message: "a fault", Stack: "pkg.f\n\tpkg/f.go:1\n"},
			},
			StartedAt: at(10), Workers: 4, States: []kordinator.WorkerState{"processing", "idle", "idle", "processing", "stopped"},
			Depth: 12, Recent: kordinator.Recent{Attempts: 8, ErrorRatePercent: 12.5, P50: 10 * time.Millisecond, P95: 2 * time.Second, P99: 3 * time.Second},
			Metrics: kordinator.Metrics{WorkersBusyPercent: 50, WorkersIdlePercent: 50, QueueDepth: 11.5, ReconcileDurationP95Ms: 2000, ErrorRatePercent: 20},
		},
		Scale: kordinator.ScaleReport{
			Configured: 1, Effective: 4, Max: 30, InFlight: 2, Idle: 2, OverrideActive: true, LastScaleAt: at(26), Reason: "queueDepth is 12, > 10",
		},
		Queue:  kordinator.Stats{Depth: 12, Running: 2, Workers: 4, Delayed: 3, Refused: 9, Oldest: 90 * time.Second},
		Resync: time.Minute,
		Details: &katalog.Details{
			Steps:  []any{map[string]any{"method": "POST", "endpoint": "https://app/{{ .Subscription.Namespace }}"}},
			Hosts:  []katalog.Host{{Name: "app", Steps: []string{"POST"}, Calls: 40, Errors: 10}},
			Grants: []katalog.Grant{{Role: "viewer", Rule: catalog.Rule{APIs: []string{app}, Resources: []string{"*"}, Verbs: []string{"get", "list"}}}},
		},
	}
}

func need(name, platform string, condition catalog.Condition) catalog.Dependency {
	return catalog.Dependency{Ref: catalog.Ref{Platform: platform, Region: "eu-west-1", Name: name}, Condition: condition}
}

func (t town) Tenants(api string) []katalog.Tenant {
	one, ok := t.Tenant(api, "sre")
	if !ok {
		return nil
	}
	return []katalog.Tenant{{Subscription: one.Subscription, Registration: one.Registration, Reason: one.Reason}}
}

func (town) Tenant(api, namespace string) (katalog.Tenant, bool) {
	if api != app || namespace != "sre" {
		return katalog.Tenant{}, false
	}
	return katalog.Tenant{
		Registration: unwell().Registration,
		Subscription: &catalog.Subscription{
			API: app, Namespace: "sre", Active: true, State: catalog.StateError, CurrentSyncID: "v0", UID: "u3", Generation: 4,
			CreatedAt: at(0), UpdatedAt: at(27), Failures: []int64{7, 9},
			Attempt: catalog.Attempt{
				SyncID: "v1", Run: "run-1", N: 2, Begun: 1, Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: "step 2 failed",
				StartedAt: at(26), EndedAt: at(27), Holder: "r1", Retries: 1, RetryAt: at(35),
			},
		},
		Reason: catalog.ReasonBackoff, Message: "step 2 failed; retry 2 follows at 2026-11-30T03:35:00Z",
		Run: &katalog.Run{Name: "run-1", Attempt: 2, StartedAt: at(26), Took: time.Minute, Steps: []katalog.Step{
			{Name: "login", Method: "POST", Endpoint: "https://app/login", State: "ok", Calls: 1, Code: 200, StartedAt: at(26), Took: time.Second},
			{Method: "PUT", Endpoint: "https://app/sre", State: "failed", Calls: 3, Code: 500, StartedAt: at(26), Took: time.Minute, Reason: "answered 500"},
		}},
		Events: []katalog.CREvent{{
			Type: "Warning", Reason: katalog.EventReconcileError, Message: "step 2 failed", Source: "r1", Object: "subscription/sre/" + app,
			Count: 3, FirstSeen: "2026-11-30T03:20:00Z", LastSeen: "2026-11-30T03:27:00Z", Age: "3m",
		}},
	}, true
}

func ask(t *testing.T, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	katalog.Handler(town{}).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), method, path, nil))
	return rec
}

// What each route answers, in full.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		path   string
		status int
	}{
		"katalog": {"/katalog", 503}, "raw": {"/katalog/raw", 200}, "enriched": {"/katalog/enriched", 200},
		"info": {"/katalog/" + app, 200}, "info-placeholder": {"/katalog/" + base, 200},
		"health": {"/katalog/" + base + "/health", 200}, "health-degraded": {"/katalog/" + app + "/health", 503},
		"health-missing": {"/katalog/" + lost + "/health", 503}, "crd-raw": {"/katalog/" + app + "/raw", 200}, "crd-enriched": {"/katalog/" + app + "/enriched", 200},
		"cr": {"/katalog/" + app + "/cr", 200}, "cr-none": {"/katalog/" + base + "/cr", 200}, "cr-one": {"/katalog/" + app + "/cr/sre", 200},
		"events": {"/katalog/" + app + "/cr/sre/events", 200},
		"no-api": {"/katalog/none.example.com", 404}, "missing": {"/katalog/" + lost, 404}, "no-tenant": {"/katalog/" + app + "/cr/none", 404}, "nowhere": {"/katalog/" + app + "/cr/sre/pods", 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rec := ask(t, http.MethodGet, want.path)
			media := map[bool]string{true: "application/json", false: "application/problem+json"}[want.status != http.StatusNotFound]
			h := rec.Result().Header
			if rec.Code != want.status || h.Get("Content-Type") != media || h.Get("Cache-Control") != "no-store" || h.Get("Content-Length") != strconv.Itoa(rec.Body.Len()) {
				t.Errorf("%d %v, want %d %s", rec.Code, h, want.status, media)
			}
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, rec.Body.Bytes(), "", "  "); err != nil {
				t.Fatalf("%v: %s", err, rec.Body.Bytes())
			}
			golden.RequireEqual(t, pretty.Bytes())
		})
	}
}

func TestMethods(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/katalog", "/katalog/raw", "/katalog/" + app, "/katalog/" + app + "/cr/sre/events", "/katalog/a/b/c/d/e"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS"} {
			rec := ask(t, method, path)
			if rec.Code != http.StatusMethodNotAllowed || rec.Header().Get("Allow") != "GET, HEAD" || !strings.Contains(rec.Body.String(), "takes GET and HEAD") {
				t.Errorf("%s %s: %d %v %s", method, path, rec.Code, rec.Header(), rec.Body)
			}
		}
	}
	srv := httptest.NewServer(katalog.Handler(town{}))
	t.Cleanup(srv.Close)
	res, err := srv.Client().Head(srv.URL + "/katalog/" + app + "/health") //nolint:noctx // the server ends with the test
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // it is empty
	if res.StatusCode != http.StatusServiceUnavailable || res.ContentLength <= 0 || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("HEAD: %d %v", res.StatusCode, res.Header)
	}
}

// A name in a path that nothing can have is no more than one that nothing has.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"%2e%2e", "a%2Fb", "%00", "%22%3E%3Cscript%3E", strings.Repeat("a", 5000), "💥"} {
		for _, path := range []string{"/katalog/" + name, "/katalog/" + name + "/cr/" + name, "/katalog/" + app + "/cr/" + name + "/events"} {
			rec := ask(t, http.MethodGet, path)
			if rec.Code != http.StatusNotFound && rec.Code != http.StatusTemporaryRedirect || rec.Body.Len() > 20_000 || strings.Contains(rec.Body.String(), "\x00") {
				t.Errorf("%.40q: %d %.300s", path, rec.Code, rec.Body)
			}
		}
	}
}

// A client reads the children as they were written, be it one of a kind or several.
func TestChildrenAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []katalog.Children{
		{},
		{"run": {{Name: "r", Kind: "run", Ready: true, Status: katalog.ChildStatus{Attempts: 1, Code: 200}}}},
		{"run": {{Name: "r", Kind: "run"}}, "step": {{Name: "a", Kind: "step"}, {Name: "b", Kind: "step", Namespace: "sre"}}},
	} {
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var got katalog.Children
		if err := json.Unmarshal(data, &got); err != nil || cmp.Diff(c, got) != "" {
			t.Errorf("%s: %v, %s", data, err, cmp.Diff(c, got))
		}
	}
	for _, bad := range []string{`[]`, `{"run": 1}`, `{"step": [1]}`, `{"step": "x"}`} {
		var got katalog.Children
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s is read as %v", bad, got)
		}
	}
}
