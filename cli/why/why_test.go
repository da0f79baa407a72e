package why_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kayra/cli/term"
	"kayra/cli/why"
	"kayra/server/api"
	"kayra/store/catalog"
)

const compute = "compute.example.com"

// facts are those of a sysadmin about a subscription that stands so.
func facts(reason catalog.Reason, message string, change ...func(*why.Facts)) why.Facts {
	f := why.Facts{
		API: compute, Namespace: "sre",
		Registration: &api.Registration{
			Name: compute, Platform: "sandbox", Region: "eu-west-1", Active: true, SyncID: "b", ReleasedSyncID: "a", Owner: "sre-a",
		},
		Subscription: &api.Subscription{
			API: compute, Namespace: "sre", Active: true, State: catalog.StateSuccess, CurrentSyncID: "a", ExpectedSyncID: "b",
			AttemptedSyncID: "a", Reason: reason, Message: message,
		},
		Reconcilers: []api.Reconciler{{ID: "r0"}},
	}
	for _, c := range change {
		c(&f)
	}
	return f
}

// tenants are what somebody knows who may get the subscription alone.
func tenants(f *why.Facts) { f.Registration, f.Reconcilers = nil, nil }

func missing(m why.Missing) func(*why.Facts) {
	return func(f *why.Facts) { f.Missing, f.Subscription = m, nil }
}

// blocking is the evidence of the gate that is shut, and what all of them are, a letter for each.
func blocking(t *testing.T, a *why.Answer) (evidence, shape string) {
	t.Helper()
	var b strings.Builder
	for _, g := range a.Gates {
		b.WriteString(map[why.Status]string{why.OK: "o", why.Blocks: "B", why.Beyond: "-"}[g.Status])
		if g.Status == why.Blocks {
			evidence = g.Evidence
		}
	}
	return evidence, b.String()
}

func TestGates(t *testing.T) {
	t.Parallel()
	waits := func(text string) why.Facts { return facts(catalog.ReasonWaitingDependency, text) }
	for name, c := range map[string]struct {
		facts    why.Facts
		because  string
		shape    string // of the gates: o, B and -
		evidence string // has this in it
		open     string // all of it has this in it
		failed   bool
	}{
		"not registered": {
			facts("", "", missing(why.Registration)), "there is no such API registration", "B---------", "no API registration " + compute,
			`kayra create catalog apiregistrations -d '{"name": "compute.example.com"}'`, false,
		},
		"mistyped": {
			facts("", "", missing(why.Registration), func(f *why.Facts) { f.Meant = "network.example.com" }), "there is no such API registration",
			"B---------", compute, "kayra why network.example.com -n sre", false,
		},
		"no namespace": {
			facts("", "", missing(why.Namespace)), "there is no such namespace", "oB--------", "there is no namespace sre",
			`kayra create catalog namespaces -d '{"name": "sre"}'`, false,
		},
		"not subscribed": {
			facts("", "", missing(why.Subscription)), "it does not subscribe to it", "oB--------", "namespace sre does not subscribe",
			`kayra create catalog -n sre subscriptions -d '{"api": "compute.example.com"}'`, false,
		},
		"not let in": {
			facts("", "", missing(why.Subscription), func(f *why.Facts) { f.Registration.AllowedNamespaces = []string{"apps"} }),
			"it does not subscribe to it", "oB--------", "namespace sre does not subscribe", "allowed_namespaces", false,
		},
		"kept out": {
			facts("", "", missing(why.Subscription), func(f *why.Facts) { f.Registration.RestrictedNamespaces = []string{"sre"} }),
			"it does not subscribe to it", "oB--------", "namespace sre does not subscribe", "restricted_namespaces", false,
		},
		"a canary": {
			facts(catalog.ReasonCanaryHold, "m", func(f *why.Facts) { f.Registration.CanaryNamespaces = []string{"apps", "ops"} }),
			"a rollout is pending, and has not reached it", "ooB-------", "sync_id b is for apps, ops alone until it is released; everybody else stays at a",
			`kayra rollout abort compute.example.com --expect-sync-id b`, false,
		},
		"a canary, for a tenant": {
			facts(catalog.ReasonCanaryHold, "it reaches you later", tenants), "a rollout is pending, and has not reached it", "ooB-------",
			"it reaches you later", "a sysadmin has to release", false,
		},
		"paused": {
			facts(catalog.ReasonPaused, "it is paused", func(f *why.Facts) { f.Registration.Paused = true }), "the API registration is paused", "oooB------",
			"it is paused", `kayra update catalog apiregistrations compute.example.com -d '{"paused": false}'`, false,
		},
		"a dependency's health": {
			waits("waits for app.example.com to be healthy: it is degraded, since 5: attempts"), "waiting for app.example.com to be healthy",
			"ooooB-----", "since 5: attempts", "kayra get catalog apiregistrations app.example.com/status", false,
		},
		"a dependency's sync": {
			waits("waits for app.example.com to be synced: this namespace's subscription"), "waiting for app.example.com to be synced",
			"ooooB-----", "this namespace's", "kayra why app.example.com -n sre", false,
		},
		"a dependency that is missing": {
			waits("waits for app.example.com to be started: it is not registered"), "waiting for app.example.com to be started",
			"ooooB-----", "not registered", `kayra create catalog apiregistrations -d '{"name": "app.example.com"}'`, false,
		},
		"a dependency elsewhere": {
			waits("waits for p/r/app.example.com to be healthy: it is pending"), "waiting for p/r/app.example.com to be healthy",
			"ooooB-----", "pending", "opens by itself when the dependency is what it must be", false,
		},
		"a dependency in other words": {waits("something"), "waiting for a dependency", "ooooB-----", "something", "by itself", false},
		"no document": {
			facts(catalog.ReasonSpecUnavailable, "it answered 404"), "the app's OpenAPI document cannot be had", "oooooB----", "it answered 404",
			"kayra update catalog apiregistrations compute.example.com -d '{}'", true,
		},
		"a document to come": {
			facts(catalog.ReasonQueued, "waiting for a reconciler; the OpenAPI document for sync_id b is being fetched"),
			"waiting for the app's OpenAPI document", "oooooB----", "is being fetched", "by itself when the document is there", false,
		},
		"no mode": {
			facts(catalog.ReasonNoMode, "no mode"), "no mode says how to sync it", "ooooooB---", "no mode", "reconciler.default_mode", true,
		},
		"a step": {
			facts(catalog.ReasonStepFailed, "step 1 failed"), "its last sync failed", "oooooooB--", "of sync_id a: step 1 failed",
			"kayra sync compute.example.com -n sre", true,
		},
		"a timeout":   {facts(catalog.ReasonTimeout, "too late"), "its last sync took too long", "oooooooB--", "too late", "kayra sync compute.example.com -n sre", true},
		"interrupted": {facts(catalog.ReasonInterrupted, "cut off"), "its last sync was cut off three times", "oooooooB--", "cut off", "kayra sync", true},
		"a backoff": {
			facts(catalog.ReasonBackoff, "failed; retry 1 follows at 10:00"), "its last sync failed, and is tried again later", "oooooooB--",
			"retry 1 follows at 10:00", "tried again by itself", true,
		},
		"queued": {
			facts(catalog.ReasonQueued, "waiting for a reconciler"), "waiting for its turn", "ooooo-ooB-", "waiting for a reconciler", "kayra why", false,
		},
		"queued for a slot": {
			facts(catalog.ReasonQueued, "waiting for a slot: 3 jobs"), "waiting for its turn", "ooooo-ooB-", "3 jobs", "max_concurrent_reconciles", false,
		},
		"nobody works": {
			facts(catalog.ReasonInit, "subscribed", func(f *why.Facts) { f.Reconcilers = []api.Reconciler{} }), "no reconciler is running", "ooooo-ooB-",
			"subscribed", "kayra reconciler", false,
		},
		"nobody works, for a tenant": {
			facts(catalog.ReasonInit, "subscribed; no reconciler is running: start one", tenants), "no reconciler is running", "ooooo-ooB-",
			"start one", "kayra reconciler", false,
		},
		"running": {
			facts(catalog.ReasonRunning, "attempt 1: step 2 of 3"), "an attempt is running", "oooooooooB", "step 2 of 3", "by itself when the attempt ends", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := why.New(c.facts)
			evidence, shape := blocking(t, a)
			opens := fmt.Sprint(a.Open)
			if a.Because != c.because || shape != c.shape || !strings.Contains(evidence, c.evidence) || !strings.Contains(opens, c.open) ||
				a.Failed != c.failed || a.Synced {
				t.Errorf("because %q, gates %s, evidence %q, open %s, failed %t", a.Because, shape, evidence, opens, a.Failed)
			}
			for _, s := range a.Open {
				if c.open != "" && strings.Contains(s.Run, "%!") || s.Say == "" {
					t.Errorf("%+v", s)
				}
			}
		})
	}
}

// Of one that is synced no gate is shut.
func TestSynced(t *testing.T) {
	t.Parallel()
	a := why.New(facts(catalog.ReasonSynced, "", atTarget))
	_, shape := blocking(t, a)
	if shape != "oooooooooo" || len(a.Open) > 0 || a.Failed || !a.Synced ||
		!strings.HasPrefix(a.Text(), "sre is synced to compute.example.com, at sync_id b\n") {
		t.Errorf("%s, %v\n%s", shape, a.Open, a.Text())
	}
}

func atTarget(f *why.Facts) { f.Subscription.Synced, f.Subscription.CurrentSyncID = true, "b" }

// One that is where it should be, but was tried at another id since, is not synced until it has been taken back.
func TestTakenBack(t *testing.T) {
	t.Parallel()
	for reason, fails := range map[catalog.Reason]bool{
		catalog.ReasonStepFailed: true, catalog.ReasonTimeout: true, catalog.ReasonRunning: false, catalog.ReasonQueued: false,
	} {
		a := why.New(facts(reason, "m", atTarget))
		if a.Synced || a.Failed != fails || len(a.Open) == 0 ||
			!strings.HasPrefix(a.Text(), "sre is at the sync_id of compute.example.com, but was tried at another one") {
			t.Errorf("%s: synced %t, failed %t\n%s", reason, a.Synced, a.Failed, a.Text())
		}
	}
}

// What the registration says is told of gates that are beyond, too, and nothing of what it does not.
func TestEvidence(t *testing.T) {
	t.Parallel()
	evidence := func(f why.Facts) map[string]string {
		all := map[string]string{}
		for _, g := range why.New(f).Gates {
			all[g.Name] = g.Evidence
		}
		return all
	}
	got := evidence(facts(catalog.ReasonPaused, "m", func(f *why.Facts) {
		f.Registration.Active, f.Registration.Mode = false, "api"
		f.Registration.CanaryNamespaces = []string{"sre"}
		f.Registration.DependsOn = []catalog.Dependency{
			{Ref: catalog.Ref{Platform: "sandbox", Region: "eu-west-1", Name: "app.example.com"}, Condition: catalog.ConditionHealthy},
			{Ref: catalog.Ref{Platform: "sandbox", Region: "us-east-1", Name: "net.example.com"}},
		}
	}))
	for gate, want := range map[string]string{
		"registered": "sync_id b, of sre-a; it is switched off (active: false), which keeps nobody from being synced",
		"subscribed": "state success, at sync_id a", "canary": "a rollout is pending, and has reached it",
		"dependencies": "app.example.com (healthy), sandbox/us-east-1/net.example.com (started)", "document": "", "mode": "api", "last attempt": "", "queue": "",
	} {
		if got[gate] != want {
			t.Errorf("%s: %q, not %q", gate, got[gate], want)
		}
	}
	for want, change := range map[string]func(*why.Facts){
		"a rollout is pending, which does not hold back a first sync": func(f *why.Facts) { f.Subscription.Active = false },
		"a rollout is pending, and holds it where it is":              func(*why.Facts) {},
		"no rollout holds it back":                                    tenants,
	} {
		got := evidence(facts(catalog.ReasonRunning, "m", func(f *why.Facts) { f.Registration.CanaryNamespaces = []string{"apps"} }, change))
		if got["canary"] != want {
			t.Errorf("%q, not %q", got["canary"], want)
		}
	}
	got = evidence(facts("", "", missing(why.Subscription)))
	if got["canary"] != "no rollout is pending" || got["paused"] != "it is not" || got["queue"] != "" {
		t.Errorf("%v", got)
	}
	got = evidence(facts(catalog.ReasonRunning, "m", func(f *why.Facts) {
		f.Registration.Paused, f.Subscription.AttemptedSyncID, f.Subscription.CurrentSyncID, f.Subscription.Active = true, "", "", false
	}))
	if got["paused"] != "it is paused: what has begun may end, and nothing begins" || got["last attempt"] != "there has been none" ||
		got["subscribed"] != "state success, at sync_id (none), not active yet" {
		t.Errorf("%v", got)
	}
}

// A reconciler's word counts where it is about the same target, and it has more to say than the server.
func TestDetail(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 30, 3, 8, 41, 0, time.UTC)
	detail := func(reason catalog.Reason, syncID string) func(*why.Facts) {
		return func(f *why.Facts) {
			f.Detail = &why.Detail{
				Reconciler: "r7", Reason: reason, Message: "it is number 3 of 9", SyncID: syncID,
				Events: []why.Event{{At: at, Reason: "ReconcileError", Message: "step 1 failed", Count: 3}, {At: at, Reason: "Activated", Message: "m", Count: 1}},
			}
		}
	}
	a := why.New(facts(catalog.ReasonInit, "m", detail(catalog.ReasonQueued, "b")))
	if a.Reason != catalog.ReasonQueued || a.Message != "it is number 3 of 9" || a.Reconciler != "r7" || len(a.Events) != 2 {
		t.Errorf("%+v", a)
	}
	for _, part := range []string{"as reconciler r7 knows it:", "  2026-11-30T03:08:41Z  ReconcileError, 3 times: step 1 failed\n", "Activated: m"} {
		if !strings.Contains(a.Text(), part) {
			t.Errorf("no %q in\n%s", part, a.Text())
		}
	}
	if a = why.New(facts(catalog.ReasonQueued, "m", detail(catalog.ReasonQueued, "a"))); a.Message != "m" || a.Reconciler != "" {
		t.Errorf("of another target: %+v", a)
	}
	for _, reason := range []catalog.Reason{catalog.ReasonPaused, catalog.ReasonStepFailed} {
		if a = why.New(facts(reason, "m", detail(catalog.ReasonQueued, "b"))); a.Reason != reason || a.Message != "m" || len(a.Events) != 2 {
			t.Errorf("the server says %s: %+v", reason, a)
		}
	}
	if a = why.New(facts(catalog.ReasonQueued, "m", detail(catalog.ReasonPaused, "b"))); a.Reason != catalog.ReasonQueued {
		t.Errorf("the reconciler lags behind: %+v", a)
	}
}

func TestWhoKnowsMost(t *testing.T) {
	t.Parallel()
	for i, d := range []why.Detail{
		{},
		{Reason: catalog.ReasonRunning, Message: "attempt 1 is running"},
		{Reason: catalog.ReasonQueued, Message: "it is number 3 of 9"},
		{Reason: catalog.ReasonRunning, Message: "attempt 1 is running: step 1 of 2"},
	} {
		if d.Knows() != i {
			t.Errorf("%+v knows %d", d, d.Knows())
		}
	}
}

// The text fits a terminal, whatever is in it, and obeys nothing; commands stay whole.
func TestText(t *testing.T) {
	t.Parallel()
	a := why.New(facts(catalog.ReasonStepFailed, strings.Repeat("wörter und ", 40)+"\x1b[2J\n"+strings.Repeat("x", 200), func(f *why.Facts) {
		f.Detail = &why.Detail{SyncID: "b", Events: make([]why.Event, 30)}
	}))
	text := a.Text()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); term.Width(line) > 80 && !strings.HasPrefix(line, "    kayra ") || strings.ContainsRune(line, '\x1b') {
			t.Errorf("%q", line)
		}
	}
	if n := strings.Count(text, "0001-01-01"); n != 5 {
		t.Errorf("%d events are shown", n)
	}
	if !strings.Contains(text, "\n\nTo open it:\n  mend what failed") {
		t.Error(text)
	}
}

// The document has no null, so that programs can go through its lists.
func TestDocument(t *testing.T) {
	t.Parallel()
	document, err := json.Marshal(why.New(facts("", "", missing(why.Namespace))))
	if err != nil || strings.Contains(string(document), "null") {
		t.Errorf("%s, %v", document, err)
	}
}
