package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"kayra/server"
	"kayra/server/katalog"
	"kayra/store"
	"kayra/store/catalog"
)

// figures are those of compute.example.com, without the latencies, which are checked for what they can be.
func (l *lab) figures() map[string]any {
	l.t.Helper()
	return l.figuresOf(l.want(http.StatusOK, "GET", "/katalog/"+compute, nil).body)
}

func (l *lab) figuresOf(body map[string]any) map[string]any {
	l.t.Helper()
	admission := body["admission"].(map[string]any)
	for _, of := range []string{"val", "mut"} {
		average, p95, most := admission[of+"AvgLatencyMs"].(float64), admission[of+"P95LatencyMs"].(float64), admission[of+"MaxLatencyMs"].(float64)
		if average < 0 || average > most || p95 > most || most > 60_000 {
			l.t.Errorf("%s latencies: average %v, p95 %v, max %v", of, average, p95, most)
		}
		delete(admission, of+"AvgLatencyMs")
		delete(admission, of+"P95LatencyMs")
		delete(admission, of+"MaxLatencyMs")
	}
	return body
}

// admission is that of a registration for which something was filled in once.
func admission(total, allowed, denied, warned, mutations float64) map[string]any {
	return map[string]any{
		"webhooksEnabled": true, "validationTotal": total, "validationAllowed": allowed, "validationDenied": denied, "validationWarned": warned,
		"mutationTotal": mutations, "mutationApplied": 1.0, "mutationSkipped": mutations - 1,
	}
}

func protected(total, blocked, allowed float64) map[string]any {
	return map[string]any{"enabled": true, "total": total, "blocked": blocked, "allowed": allowed}
}

func TestKatalog(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		if crds := l.want(http.StatusOK, "GET", "/katalog", nil).body["crds"]; !cmp.Equal(crds, []any{}) {
			l.t.Errorf("at first: %v", crds)
		}
		l.world("sre", "apps")
		l.want(http.StatusConflict, "DELETE", regs+"/"+compute, nil)
		l.want(http.StatusNoContent, "DELETE", spaces+"/apps/subscriptions/"+compute, nil)
		l.want(http.StatusNotFound, "DELETE", spaces+"/apps/subscriptions/"+compute, nil)
		l.want(http.StatusNotFound, "POST", spaces+"/no/subscriptions", map[string]any{"api": compute})
		l.want(http.StatusConflict, "POST", spaces+"/sre/subscriptions", map[string]any{"api": compute})
		l.want(http.StatusOK, "PUT", regs+"/"+compute, l.registration())
		l.want(http.StatusBadRequest, "PATCH", regs+"/"+compute, `{"colour":"red"}`)
		l.want(http.StatusBadRequest, "PUT", regs+"/"+compute, `{`)
		l.want(http.StatusPreconditionFailed, "PUT", spaces+"/sre/subscriptions/"+compute+"/sync", `{}`, "If-Match", `"no"`)
		l.want(http.StatusConflict, "PUT", regs+"/"+compute+"/sync", `{"abort":true}`)
		l.want(http.StatusOK, "GET", regs+"/"+compute, nil)
		subscribed := protected(4, 0, 2)
		subscribed["hasNamespaceRules"] = false
		one := map[string]any{
			"name": compute, "gvk": compute + "/v1, Kind=Subscription", "gvr": compute + "/v1/subscriptions", "state": "",
			"admission": admission(13, 5, 8, 1, 4), "deletionProtection": protected(3, 1, 1), "namespaceProtection": subscribed,
		}
		all := l.want(http.StatusOK, "GET", "/katalog", nil).body
		l.figuresOf(all["crds"].([]any)[0].(map[string]any))
		want := map[string]any{
			"source": "gateway", "name": "kayra", "version": "v0", "gatewayVersion": "v0", "admissionEnabled": true, "strictModeEnabled": true,
			"deletionProtectionEnabled": true, "namespaceProtectionEnabled": true, "crds": []any{one},
		}
		if d := cmp.Diff(want, all); d != "" {
			l.t.Error(d)
		}
		one["source"] = "gateway"
		if d := cmp.Diff(one, l.figures()); d != "" {
			l.t.Error(d)
		}
		l.want(http.StatusNotFound, "GET", "/katalog/no.example.com", nil)
		l.want(http.StatusNotFound, "GET", "/katalog/NO", nil)
	})
}

// A field counts as filled in if a client may say it and has not.
func TestMutations(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.want(http.StatusCreated, "POST", regs, `{"name":"base.example.com"}`)
		l.want(http.StatusCreated, "POST", spaces, `{"name":"sre"}`)
		const dependency = `{"name":"base.example.com","platform":"sandbox","region":"eu-west-1"}`
		for _, step := range []struct {
			method, path, body string
			applied            bool
		}{
			{"POST", regs, `{"name":"compute.example.com","active":true,"sync_id":"a","depends_on":[` + dependency + `]}`, false},
			{"PUT", regs + "/" + compute, `{}`, false},
			{"PUT", regs + "/" + compute, `{"owner":null,"sync_id":"b","platform":"x"}`, false},
			{"PUT", regs + "/" + compute, `{"active":null}`, true},
			{"PATCH", regs + "/" + compute, `{"depends_on":[` + dependency + `,{"name":"base.example.com","platform":"sandbox"}]}`, true},
			{"PATCH", regs + "/" + compute, `{"depends_on":null}`, false},
			{"POST", spaces + "/sre/subscriptions", `{"api":"compute.example.com"}`, false},
			{"PUT", spaces + "/sre/subscriptions/" + compute, `{"active":null}`, false},
			{"PUT", spaces + "/sre/subscriptions/" + compute + "/sync", `{}`, false},
			{"PUT", regs + "/" + compute + "/sync", `{}`, true},
			{"PUT", regs + "/" + compute + "/sync", `{"canary_namespaces":["sre"]}`, true},
			{"PUT", regs + "/" + compute + "/sync", `{"release":true}`, false},
			{"PUT", regs + "/" + compute + "/sync", `{"canary_namespaces":["sre"]}`, true},
			{"PUT", regs + "/" + compute + "/sync", `{"abort":true}`, false},
		} {
			before := 0.0
			if step.path != regs {
				before = l.figures()["admission"].(map[string]any)["mutationApplied"].(float64)
			}
			if a := l.call(step.method, step.path, step.body); a.status >= 300 {
				l.t.Fatalf("%s %s %s: %d %s", step.method, step.path, step.body, a.status, a.raw)
			}
			if after := l.figures()["admission"].(map[string]any)["mutationApplied"].(float64); (after > before) != step.applied {
				l.t.Errorf("%s %s %s: applied %v, want %t", step.method, step.path, step.body, after-before, step.applied)
			}
		}
		l.want(http.StatusNoContent, "DELETE", spaces+"/sre/subscriptions/"+compute, nil)
		for body, applied := range map[string]float64{
			`"active":true`: 1, `"sync_id":"a"`: 1, `"active":true,"sync_id":null`: 1, `"active":false,"sync_id":"a"`: 0,
			`"active":true,"sync_id":"a","depends_on":[{"name":"base.example.com"}]`: 1,
		} {
			l.want(http.StatusNoContent, "DELETE", regs+"/"+compute, nil)
			l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com",`+body+`}`)
			if got := l.figures()["admission"].(map[string]any)["mutationApplied"]; got != applied {
				l.t.Errorf("new with %s: applied %v, want %v", body, got, applied)
			}
		}
	})
}

// What the gate keeps out is counted for nobody, and neither is what is about no registration or would only be tried.
func TestNotCounted(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world("sre")
	before := l.figures()
	for i := range 300 {
		name := fmt.Sprintf("x%d.example.com", i)
		l.want(http.StatusNotFound, "POST", spaces+"/sre/subscriptions", map[string]any{"api": name})
		l.want(http.StatusNotFound, "PUT", regs+"/"+name, `{}`)
		l.want(http.StatusBadRequest, "POST", regs, map[string]any{"name": name, "colour": "red"})
	}
	l.want(http.StatusNotFound, "PUT", regs+"/"+strings.Repeat("x", 5000), `{}`)
	l.want(http.StatusBadRequest, "POST", regs, `{"name":5}`)
	l.want(http.StatusBadRequest, "POST", regs, `[`)
	l.want(http.StatusOK, "PATCH", regs+"/"+compute+"?dry_run=true", `{"active":null,"platform":"x"}`)
	l.want(http.StatusBadRequest, "PATCH", regs+"/"+compute+"?dry_run=true", `{"colour":"red"}`)
	l.want(http.StatusBadRequest, "PATCH", regs+"/"+compute+"?dry_run=true", `{`)
	for _, authorization := range []string{"", "Bearer " + annToken, "Bearer nobody"} {
		l.call("PUT", regs+"/"+compute, `{}`, "Authorization", authorization)
		l.call("POST", spaces+"/sre/subscriptions", map[string]any{"api": compute}, "Authorization", authorization)
		l.call("DELETE", spaces+"/sre/subscriptions/"+compute, nil, "Authorization", authorization)
	}
	if d := cmp.Diff(before, l.figures()); d != "" {
		t.Error(d)
	}
	if crds := l.want(http.StatusOK, "GET", "/katalog", nil).body["crds"].([]any); len(crds) != 1 {
		t.Errorf("%d registrations", len(crds))
	}
}

func TestFiguresGoWithTheirRegistration(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), func(o *server.Options) { o.Registry = prometheus.NewRegistry() })
	l.world()
	l.metrics(`kayra_gateway_writes_total{api="`+compute+`",result="done"} 1`, `kayra_gateway_mutations_total{api="`+compute+`",result="applied"} 1`)
	l.want(http.StatusNoContent, "DELETE", regs+"/"+compute, nil)
	l.eventually(func() bool { return l.call("GET", "/katalog/"+compute, nil).status == http.StatusNotFound })
	if text := l.metrics(); strings.Contains(text, `kayra_gateway_writes_total{api=`) {
		t.Error("there are series of a registration that is gone")
	}
	l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com"}`)
	if got := l.figures()["admission"]; !cmp.Equal(got, any(admission(1, 1, 0, 0, 1))) {
		t.Errorf("anew: %v", got)
	}
}

// Whom a registration does not let in is counted as blocked, and it is told whom it lets in.
func TestNamespaceRules(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.world("sre")
		l.want(http.StatusCreated, "POST", spaces, `{"name":"apps"}`)
		l.want(http.StatusOK, "PATCH", regs+"/"+compute, `{"allowed_namespaces":["sre","dev"],"restricted_namespaces":["dev"]}`)
		l.want(http.StatusForbidden, "POST", spaces+"/apps/subscriptions", map[string]any{"api": compute})
		want := protected(2, 1, 1)
		want["hasNamespaceRules"], want["allowedNamespaces"], want["restrictedNamespaces"] = true, []any{"sre", "dev"}, []any{"dev"}
		l.eventually(func() bool { return l.figures()["namespaceProtection"].(map[string]any)["hasNamespaceRules"] == true })
		if d := cmp.Diff(want, l.figures()["namespaceProtection"]); d != "" {
			l.t.Error(d)
		}
		l.want(http.StatusOK, "PATCH", regs+"/"+compute, `{"allowed_namespaces":[],"restricted_namespaces":null}`)
		l.eventually(func() bool { return l.figures()["namespaceProtection"].(map[string]any)["hasNamespaceRules"] == false })
	})
}

// What this process has written itself is counted, although the watch has not told of it.
func TestCountedAheadOfTheWatch(t *testing.T) {
	t.Parallel()
	figures := katalog.New(catalog.Scope{Platform: "sandbox", Region: "eu-west-1"}, nil)
	figures.Reset(nil, 1)
	l := newLab(t, openLocal(t), func(o *server.Options) { o.Katalog = figures })
	l.world("sre")
	if got := l.figures()["admission"]; !cmp.Equal(got, any(admission(2, 2, 0, 0, 2))) {
		t.Errorf("at first: %v", got)
	}
	l.want(http.StatusNoContent, "DELETE", spaces+"/sre/subscriptions/"+compute, nil)
	l.want(http.StatusNoContent, "DELETE", regs+"/"+compute, nil)
	l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com"}`)
	if got := l.figures()["admission"]; !cmp.Equal(got, any(admission(1, 1, 0, 0, 1))) {
		t.Errorf("anew: %v", got)
	}
}

// deaf is a store that can be made to answer nothing.
type deaf struct {
	store.Store

	now atomic.Bool
}

var errDeaf = errors.New("a question was put to the store")

func (d *deaf) Get(ctx context.Context, key string) (store.Entry, error) {
	if d.now.Load() {
		return store.Entry{}, errDeaf
	}
	return d.Store.Get(ctx, key)
}

func (d *deaf) List(ctx context.Context, prefix string, o store.ListOptions) (store.Listing, error) {
	if d.now.Load() {
		return store.Listing{}, errDeaf
	}
	return d.Store.List(ctx, prefix, o)
}

func TestKatalogAsksTheStoreNothing(t *testing.T) {
	t.Parallel()
	d := &deaf{Store: openLocal(t)}
	l := newLab(t, d)
	l.world("sre")
	d.now.Store(true)
	l.want(http.StatusInternalServerError, "GET", regs+"/"+compute, nil)
	l.want(http.StatusOK, "GET", "/katalog", nil)
	l.figures()
}

func TestKatalogBeforeTheFirstList(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), func(o *server.Options) { o.Katalog = katalog.New(o.Repository.Scope(), nil) })
	l.want(http.StatusServiceUnavailable, "GET", "/katalog", nil)
	l.want(http.StatusServiceUnavailable, "GET", "/katalog/"+compute, nil)
}

// What a reconciler has told of its queues, and the konductor of a registration's health, is answered as it stands.
func TestWhatReconcilersTell(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		l.world("sre")
		own := l.session()
		l.must(l.repository.Announce(l.t.Context(), catalog.Reconciler{ID: "a"}, own))
		busy := map[string]catalog.QueueLength{compute: {Waiting: 3, Running: 2}}
		l.must(l.repository.Announce(l.t.Context(), catalog.Reconciler{ID: "b", Queues: busy}, own))
		var got []any
		for _, item := range l.want(http.StatusOK, "GET", base+"/reconcilers", nil).body["items"].([]any) {
			got = append(got, item.(map[string]any)["queues"])
		}
		want := []any{map[string]any{}, map[string]any{compute: map[string]any{"waiting": 3.0, "running": 2.0}}}
		if d := cmp.Diff(want, got); d != "" {
			l.t.Error(d)
		}
		health := []byte(`{"api":"compute.example.com","state":"degraded","reason":"it failed","since":"2026-11-30T03:08:41Z"}`)
		_, err := l.store.Txn(l.t.Context(), store.Txn{Then: []store.Op{store.Put(l.repository.Scope().Prefix()+"health/"+compute, health)}})
		l.must(err)
		l.eventually(func() bool {
			one := l.want(http.StatusOK, "GET", "/katalog/"+compute, nil).body
			return one["state"] == "degraded" && one["degradedReason"] == "it failed" && one["stateSince"] == "2026-11-30T03:08:41Z"
		})
	})
}
