package describe_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"kayra/cli/describe"
	"kayra/cli/term"
	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/store/catalog"
)

var at = time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)

func row(namespace string, state catalog.State, reason catalog.Reason, message string) api.Row {
	return api.Row{Namespace: namespace, State: state, Reason: reason, Message: message}
}

func registration() api.Registration {
	workers, most := 5, 3
	here := catalog.Ref{Platform: "sandbox", Region: "eu-west-1", Name: "base.example.com"}
	there := catalog.Ref{Platform: "sandbox", Region: "us-east-1", Name: "dns.example.com"}
	return api.Registration{
		Name: "compute.example.com", ShortName: "compute", Platform: "sandbox", Region: "eu-west-1", Active: true, Owner: "sre-a",
		Description: "Machines for everybody who needs one, in all sizes that there are, and a few more \x1b[31m",
		SyncID:      "s2", ReleasedSyncID: "s1", CanaryNamespaces: []string{"sre", "apps"}, Paused: true, Mode: "api",
		DependsOn:         []catalog.Dependency{{Ref: here, Condition: catalog.ConditionHealthy}, {Ref: there}},
		AllowedNamespaces: []string{"sre", "apps", "core"}, RestrictedNamespaces: []string{"lab"},
		Operator: catalog.Operator{Workers: &workers, Retry: &catalog.Retry{MaxAttempts: &most}},
	}
}

// texts are the descriptions that the golden files have.
func texts(t *testing.T) map[string]string {
	t.Helper()
	rows := []api.Row{row("sre", catalog.StateSuccess, catalog.ReasonSynced, ""), row("apps", catalog.StateSuccess, catalog.ReasonSynced, "")}
	for i := range 12 {
		rows = append(rows, row(fmt.Sprintf("dev-%d", i), catalog.StateError, catalog.ReasonTimeout, fmt.Sprintf("no answer in %d s", i)))
	}
	for i := range 25 {
		rows = append(rows, row(fmt.Sprintf("lab-%d", i), catalog.StateError, catalog.ReasonStepFailed, "step 1 (sync): the answer was 500 Internal Server Error, and one of 2xx was wanted"))
	}
	info := &katalog.CRDInfoResponse{
		State: "degraded", DegradedReason: "the last 5 attempts have failed", WorkerStats: katalog.WorkerStats{Workers: 5, WorkersActive: 4, WorkersProcessing: 2},
		QueueDepth: 7, Recent: katalog.Recent{RecentReconciles: 24, ErrorRatePercent: 85.7, DurationP95Ms: 123.4},
		Rollback: &katalog.RollbackStats{TotalRollbacks: 2, LastRollbackAt: "2026-11-30T14:00:00Z"},
	}
	full := describe.RegistrationFacts{Registration: registration(), Rows: rows, NeededBy: []string{"top.example.com"}, Reconciler: "7f", Info: info}
	bare := describe.RegistrationFacts{Registration: api.Registration{Name: "a.b", Platform: "p", Region: "r", SyncID: "s1", ReleasedSyncID: "s1"}}
	sub := api.Subscription{
		API: "compute.example.com", Namespace: "sre", State: catalog.StateError, Reason: catalog.ReasonTimeout, Message: "no answer in time",
		ExpectedSyncID: "s2", AttemptedSyncID: "s3", UpdatedAt: at,
	}
	synced := sub
	synced.Active, synced.Synced, synced.State, synced.Reason, synced.Message, synced.CurrentSyncID = true, true, catalog.StateSuccess, catalog.ReasonSynced, "", "s2"
	binding := api.RoleBinding{Name: "sre-tenants", Role: "tenant", Namespace: "sre", Subjects: []catalog.Subject{{Kind: "group", Name: "sre"}, {Kind: "user", Name: "ann"}}}
	everywhere := api.RoleBinding{Name: "all", Role: "tenant"}
	role := api.Role{Name: "tenant", Rules: []catalog.Rule{
		{APIs: []string{"catalog.example.com"}, Resources: []string{"subscriptions"}, Verbs: []string{"get", "list"}},
		{APIs: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}},
	}}
	thing, err := describe.Thing([]byte(`{"name":"m1","spec":{"cores":4,"disks":[{"gb":20},{"gb":40,"kind":"ssd"}]},"tags":["a","b"]}`))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"registration":       describe.Registration(full),
		"registration-bare":  describe.Registration(bare),
		"subscription":       describe.Subscription(sub),
		"subscription-ok":    describe.Subscription(synced),
		"namespace":          describe.Namespace(describe.NamespaceFacts{Namespace: api.Namespace{Name: "sre", Active: true}, Subscriptions: []api.Subscription{sub, synced}, Bindings: []api.RoleBinding{binding}}),
		"namespace-empty":    describe.Namespace(describe.NamespaceFacts{Namespace: api.Namespace{Name: "sre"}}),
		"role":               describe.Role(describe.RoleFacts{Role: role, Bindings: []api.RoleBinding{binding, everywhere}}),
		"role-of-nobody":     describe.Role(describe.RoleFacts{Role: api.Role{Name: "none"}}),
		"binding":            describe.Binding(describe.BindingFacts{Binding: binding, Role: &role}),
		"binding-everywhere": describe.Binding(describe.BindingFacts{Binding: everywhere}),
		"reconciler":         describe.Reconciler(api.Reconciler{ID: "7f", Host: "h", PID: 1, Endpoint: "http://127.0.0.1:1", Version: "v1", StartedAt: at, Konductor: true}),
		"thing":              thing,
	}
}

// TestGolden: after a wanted change, run it with -update and look at the diff.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, got := range texts(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for line := range strings.Lines(got) {
				command := strings.HasPrefix(strings.TrimSpace(line), "kayra ")
				if line = strings.TrimSuffix(line, "\n"); !command && term.Width(line) > 80 || strings.ContainsAny(line, "\x1b") || strings.HasSuffix(line, " ") {
					t.Errorf("wide, or not escaped, or with blanks at its end: %q", line)
				}
			}
			golden.RequireEqual(t, got)
		})
	}
}

func TestWhatCannotBeDescribed(t *testing.T) {
	t.Parallel()
	if _, err := describe.Thing([]byte("<html>")); err == nil {
		t.Error("what is no JSON was described")
	}
}
