package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/server"
	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store"
	"kayra/store/catalog"
)

const (
	crowdRoles    = 1_000
	crowdBindings = 10_000
	crowdGroups   = 30 // of the caller
	checkRounds   = 20_000
)

// BenchmarkCheck measures /check on one core, without a network: the handler alone, from the request to its answer. The
// floor is the same handler with a policy that always says yes. The two take turns, so that each has as quiet a machine as
// the other. There are 1,000 roles and 10,000 bindings, and the caller is in 30 groups of ten bindings each, the last of
// which has the one that gives it.
func BenchmarkCheck(b *testing.B) {
	took, floor := checkBoth(b)
	mean := func(list []time.Duration) float64 {
		var sum time.Duration
		for _, d := range list {
			sum += d
		}
		return float64(sum.Nanoseconds()) / 1e3 / float64(len(list))
	}
	reportChecks(b, mean(took), mean(floor))
	b.ReportMetric(1e6/mean(took), "checks/s")
}

// BenchmarkCheckP99 is what one in a hundred takes, or longer.
func BenchmarkCheckP99(b *testing.B) {
	took, floor := checkBoth(b)
	p99 := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)*99/100].Nanoseconds()) / 1e3
	}
	reportChecks(b, p99(took), p99(floor))
}

func reportChecks(b *testing.B, took, floor float64) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took, "us")
	b.ReportMetric(floor, "floor-us")
	b.ReportMetric(took/floor, "ratio")
}

// yes is a policy that looks at nothing.
type yes struct{ *rbac.Policy }

func (yes) Check(auth.Identity, rbac.Question) (rbac.Decision, error) {
	return rbac.Decision{Cause: rbac.CauseRole, Role: "maker", Binding: "makers"}, nil
}

// checkBoth has each answer as often, in turns, and gives how long every answer took.
func checkBoth(b *testing.B) (took, floor []time.Duration) {
	b.Helper()
	l := newLab(b, openLocal(b))
	crowd(l)
	byRoles, bare := crowded(b, l, l.policy), crowded(b, l, yes{l.policy})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range checkRounds / 10 {
		checkOnce(b, byRoles)
		checkOnce(b, bare)
	}
	for b.Loop() {
		for range checkRounds {
			took = append(took, checkOnce(b, byRoles))
			floor = append(floor, checkOnce(b, bare))
		}
	}
	return took, floor
}

// crowded is a server whose every caller is ann, in many groups.
func crowded(b *testing.B, l *lab, policy server.Policy) http.Handler {
	b.Helper()
	ann := auth.Identity{User: "ann"}
	for i := range crowdGroups - 1 {
		ann.Groups = append(ann.Groups, fmt.Sprintf("g%d", i*30))
	}
	ann.Groups = append(ann.Groups, "makers")
	srv, err := server.New(server.Options{
		Repository: l.repository, Policy: policy,
		Authenticator: authenticator(func(context.Context, string) (auth.Identity, error) { return ann, nil }),
	})
	if err != nil {
		b.Fatal(err)
	}
	return srv.Handler()
}

func checkOnce(b *testing.B, h http.Handler) time.Duration {
	b.Helper()
	body := strings.NewReader(`{"api":"compute.example.com","resource":"machines","verb":"create","namespace":"sre"}`)
	r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, checks, body)
	r.Header.Set("Authorization", "Bearer x")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	began := time.Now()
	h.ServeHTTP(w, r)
	took := time.Since(began)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"allowed":true`) {
		b.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return took
}

// crowd fills the store, and waits until the policy has all of it.
func crowd(l *lab) {
	l.t.Helper()
	l.world("sre")
	ns, err := l.repository.Namespace(l.t.Context(), "sre")
	l.must(err)
	l.must(l.repository.ActivateNamespace(l.t.Context(), ns))
	l.succeed("sre")
	var ops []store.Op
	put := func(key string, record any) {
		data, err := json.Marshal(record)
		l.must(err)
		ops = append(ops, store.Put(l.repository.Scope().Prefix()+key, data))
	}
	rule := func(api, resource, verb string) catalog.Rule {
		return catalog.Rule{APIs: []string{api}, Resources: []string{resource}, Verbs: []string{verb}}
	}
	for i := range crowdRoles - 1 {
		api := fmt.Sprintf("a%d.example.com", i)
		put(fmt.Sprintf("roles/r%d", i), catalog.Role{Rules: []catalog.Rule{
			rule(api, "machines", "get"), rule(api, "disks", "*"), rule("*", "quotas", "list"),
		}})
	}
	for i := range crowdBindings - 1 {
		put(fmt.Sprintf("rolebindings/b%d", i), catalog.RoleBinding{
			Role: fmt.Sprintf("r%d", i%crowdRoles), Namespace: []string{"", "sre", "", "apps"}[i%4],
			Subjects: []catalog.Subject{{Kind: catalog.SubjectGroup, Name: fmt.Sprintf("g%d", i/10)}},
		})
	}
	put("rolebindings/makers", catalog.RoleBinding{
		Role: "maker", Namespace: "sre", Subjects: []catalog.Subject{{Kind: catalog.SubjectGroup, Name: "makers"}},
	})
	put("roles/maker", catalog.Role{Rules: []catalog.Rule{rule(compute, "machines", "create")}})
	for some := range slices.Chunk(ops, store.MaxOps) {
		_, err := l.store.Txn(l.t.Context(), store.Txn{Then: some})
		l.must(err)
	}
	l.eventually(func() bool {
		d, err := l.policy.Permit(auth.Identity{Groups: []string{"makers"}}, rbac.Question{API: compute, Resource: "machines", Verb: "create", Namespace: "sre"})
		return err == nil && d.Allowed()
	})
}
