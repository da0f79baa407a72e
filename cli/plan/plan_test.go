package plan_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"kayra/cli/plan"
	"kayra/cli/term"
	"kayra/reconciler/pipeline"
	"kayra/server/api"
	"kayra/store/catalog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const compute = "compute.example.com"

// registration is one of the scope. What it needs is NAME or NAME:CONDITION, or PLATFORM/REGION/NAME:CONDITION.
func registration(name, syncID string, needs ...string) api.Registration {
	r := api.Registration{
		Name: name, Platform: "sandbox", Region: "eu-west-1", Active: true, SyncID: syncID, ReleasedSyncID: syncID,
		DependsOn: []catalog.Dependency{}, CanaryNamespaces: []string{},
	}
	for _, need := range needs {
		named, condition, _ := strings.Cut(need, ":")
		d := catalog.Dependency{Ref: catalog.Ref{Platform: "sandbox", Region: "eu-west-1", Name: named}, Condition: catalog.Condition(condition)}
		if parts := strings.Split(named, "/"); len(parts) == 3 {
			d.Ref = catalog.Ref{Platform: parts[0], Region: parts[1], Name: parts[2]}
		}
		r.DependsOn = append(r.DependsOn, d)
	}
	return r
}

func document(t *testing.T, r api.Registration) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// row is a subscriber: NAMESPACE CURRENT, or NAMESPACE CURRENT ATTEMPTED, the current id - for one that is inactive.
func row(target, text string) api.Row {
	f := strings.Fields(text)
	active := f[1] != "-"
	r := api.Row{Namespace: f[0], Active: &active, State: catalog.StateInit, Reason: catalog.ReasonInit}
	if active {
		r.CurrentSyncID, r.AttemptedSyncID, r.State = f[1], f[1], catalog.StateSuccess
		r.Synced, r.Reason = f[1] == target, catalog.ReasonQueued
	}
	if len(f) > 2 {
		r.AttemptedSyncID, r.State = f[2], catalog.StateError
	}
	return r
}

func rows(target string, texts ...string) []api.Row {
	all := make([]api.Row, len(texts))
	for i, text := range texts {
		all[i] = row(target, text)
	}
	return all
}

// update makes the plan of a change.
func update(t *testing.T, before, after api.Registration, others []api.Registration, rows map[string][]api.Row) *plan.Plan {
	t.Helper()
	f := plan.Facts{Before: document(t, before), After: document(t, after), Registrations: append(others, before), Rows: rows}
	p, err := plan.New(f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// lines are a plan's tenants in short.
func lines(tenants []plan.Tenant) string {
	var all []string
	for _, n := range tenants {
		all = append(all, fmt.Sprintf("%s %s %d", n.Namespace, n.Why, n.Wave))
	}
	return strings.Join(all, ", ")
}

func TestWhoIsReconciled(t *testing.T) {
	t.Parallel()
	was := rows("1", "b 1", "a 1", "new -", "old 0", "moved 1 2", "failed 0 1", "again 1 1")
	canaries := func(r api.Registration) api.Registration {
		r.CanaryNamespaces = []string{"a", "old"}
		return r
	}
	paused := func(r api.Registration) api.Registration {
		r.Paused = true
		return r
	}
	before := registration(compute, "1")
	for name, c := range map[string]struct {
		before, after    api.Registration
		rows             []api.Row
		due, held, whyOf string
	}{
		"a new id": {
			before, registration(compute, "2"), was,
			"a behind 1, again behind 1, b behind 1, failed behind 1, moved behind 1, new inactive 1, old behind 1", "", "its sync_id changes",
		},
		"any write": {
			before, before, was,
			"again behind 1, failed behind 1, moved behind 1, new inactive 1, old behind 1", "", "they are behind, and any write of the registration has them tried again",
		},
		"nobody is behind": {before, before, rows("1", "a 1"), "", "", "all subscribers are at its sync_id"},
		"nobody":           {before, registration(compute, "2"), nil, "", "", "nobody subscribes"},
		"a canary": {
			canaries(before), canaries(registration(compute, "2")), was,
			"a behind 1, new inactive 1, old behind 1", "b canary 0, moved canary 0, failed canary 0, again canary 0", "its sync_id changes",
		},
		"a canary, and no canary is due": {
			canaries(before), canaries(before), rows("1", "a 1", "b 0"), "", "b canary 0", "a rollout is pending, and its canaries are where they belong",
		},
		"paused": {
			before, paused(registration(compute, "2")), rows("1", "a 1", "new -", "c 2"), "", "a paused 0, new paused 0", "it is paused, which holds every attempt",
		},
		"paused canary": {
			before, paused(canaries(registration(compute, "2"))), rows("1", "a 1", "b 1"), "", "a paused 0, b canary 0", "it is paused, which holds every attempt",
		},
		"no more paused": {paused(before), before, rows("1", "a 0"), "a behind 1", "", "they are behind, and any write of the registration has them tried again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := update(t, c.before, c.after, nil, map[string][]api.Row{compute: c.rows}).Reconcile
			if lines(r.Due) != c.due || lines(r.Held) != c.held || r.Why != c.whyOf || r.Subscribers != len(c.rows) || r.SyncID != c.after.SyncID {
				t.Errorf("due %q, held %q of %d, since %q", lines(r.Due), lines(r.Held), r.Subscribers, r.Why)
			}
		})
	}
}

func TestStartOrder(t *testing.T) {
	t.Parallel()
	others := []api.Registration{
		registration("net.example.com", "1"), registration("unrelated.example.com", "1", compute),
		registration("dns.example.com", "1", "net.example.com"), registration("auth.example.com", "1", "dns.example.com:healthy", "net.example.com"),
		registration("storage.example.com", "1", "net.example.com:synced", "gcp/us/far.example.com:healthy"),
	}
	after := registration(compute, "1", "storage.example.com:synced", "auth.example.com:healthy", "sandbox/other/near.example.com")
	p := update(t, registration(compute, "1", "unrelated.example.com"), after, others, nil)
	var got []string
	for _, s := range p.StartOrder {
		words := []string{s.Name}
		if s.External {
			words = append(words, "external")
		}
		for _, n := range s.Needs {
			words = append(words, n.Name+":"+n.Condition)
		}
		got = append(got, strings.Join(words, " "))
	}
	if diff := cmp.Diff([]string{
		"gcp/us/far.example.com external", "net.example.com", "dns.example.com net.example.com:started",
		"auth.example.com dns.example.com:healthy net.example.com:started", "sandbox/other/near.example.com external",
		"storage.example.com net.example.com:synced gcp/us/far.example.com:healthy",
		"compute.example.com storage.example.com:synced auth.example.com:healthy sandbox/other/near.example.com:started",
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWaves(t *testing.T) {
	t.Parallel()
	others := []api.Registration{
		registration("net.example.com", "n"), registration("disk.example.com", "d", "net.example.com:synced"),
		registration("auth.example.com", "a"), registration("log.example.com", "l"),
	}
	after := registration(compute, "2", "disk.example.com:synced", "auth.example.com:healthy", "log.example.com:healthy", "gcp/us/far.example.com:synced", "net.example.com")
	f := plan.Facts{
		Before: document(t, registration(compute, "1")), After: document(t, after), Registrations: others,
		Rows: map[string][]api.Row{
			compute:            rows("1", "chain 1", "free 1", "one 1", "two 1", "held 1", "nowhere 1"),
			"disk.example.com": append(rows("d", "chain 0", "one 0", "two d", "held 0", "other 0"), row("d", "free d")),
			"net.example.com":  rows("n", "chain 0", "one n", "two 0"),
			"auth.example.com": rows("a", "x a"), "log.example.com": rows("l", "x l x"),
		},
	}
	f.Rows["disk.example.com"][3].Reason = catalog.ReasonCanaryHold
	gating, err := f.Gating()
	if diff := cmp.Diff([]string{"auth.example.com", "disk.example.com", "log.example.com", "net.example.com"}, gating); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	p, err := plan.New(f)
	if err != nil {
		t.Fatal(err)
	}
	first := []string{
		"log.example.com is healthy", "gcp/us/far.example.com, which is of another scope, is synced", "the OpenAPI document for 2 is there",
	}
	own := append(first[:3:3], "its own subscription to disk.example.com is synced")
	if diff := cmp.Diff([]plan.Wave{
		{Number: 1, After: first, Namespaces: []string{"free", "held", "nowhere", "two"}},
		{Number: 2, After: own, Namespaces: []string{"one"}},
		{Number: 3, After: own, Namespaces: []string{"chain"}},
	}, p.Reconcile.Waves); diff != "" {
		t.Error(diff)
	}
	if got := lines(p.Reconcile.Due); got != "free behind 1, held behind 1, nowhere behind 1, two behind 1, one behind 2, chain behind 3" {
		t.Error(got)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	f := plan.Facts{
		Before: json.RawMessage(`{"name":"a.example.com","owner":"x","mode":"","operator":{"workers":1,"retry":{"max":"5m"}},"depends_on":[],"gone":[1]}`),
		After:  json.RawMessage(`{"name":"a.example.com","owner":"","mode":"api","operator":{"workers":2,"retry":{"max": "5m","initial":"1s"}},"depends_on":[{"name": "b"}],"active":false}`),
	}
	check := func(f plan.Facts, want string) {
		t.Helper()
		p, err := plan.New(f)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range p.Changes {
			got = append(got, fmt.Sprintf("%s %s %s", c.Field, c.Old, c.New))
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
		}
	}
	check(f, `mode  "api"
operator.workers 1 2
operator.retry.initial  "1s"
depends_on  [{"name":"b"}]
active  false
owner "x" 
gone [1] `)
	f.Before, f.After, f.Minted = nil, json.RawMessage(`{"name":"a.example.com","sync_id":"x","released_sync_id":"x","active":true,"owner":""}`), true
	check(f, `name  "a.example.com"
sync_id  "<minted when it is applied>"
released_sync_id  "<minted when it is applied>"
active  true`)
	f.Minted = false
	check(f, `name  "a.example.com"
sync_id  "x"
released_sync_id  "x"
active  true`)
	for _, bad := range []string{`[]`, `{`, `"x"`, `{"name":1}`} {
		if _, err := plan.New(plan.Facts{After: json.RawMessage(bad)}); err == nil {
			t.Errorf("%s is taken for a registration", bad)
		}
		if _, err := plan.New(plan.Facts{Before: json.RawMessage(bad), After: f.After}); err == nil {
			t.Errorf("%s is taken for what a registration was", bad)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	before := registration(compute, "release-7")
	before.Owner = "sre-a"
	after := registration(compute, "release-8", "net.example.com:synced", "auth.example.com:healthy")
	after.Owner, after.Description = "", "\x1b[31mred\n"+strings.Repeat("a long description ", 10)+strings.Repeat("x", 200)+strings.Repeat("世", 60)
	p := update(t, before, after, []api.Registration{registration("net.example.com", "1"), registration("auth.example.com", "1", "net.example.com")},
		map[string][]api.Row{compute: rows("release-7", "sre release-7", "new -", "apps release-7", "core release-8"), "net.example.com": rows("1", "apps 0")})
	p.Requests = plan.Requests{Mode: "api", Config: "kayra.yaml", Namespace: "new", Steps: []pipeline.RequestView{
		{
			Name: "start", Method: "POST", URL: "https://h.example.com/" + strings.Repeat("y", 70), Headers: []pipeline.HeaderLine{{Name: "X-Key", Value: "***"}},
			Body: json.RawMessage(`{"a":["` + "\u009b" + `",true],"deep":{"b":"` + strings.Repeat("z ", 60) + `"}}`),
		},
		{Index: 1, Method: "GET", URL: "https://h.example.com/…", Problem: "endpoint: there is no .Nope"},
	}}
	got := p.Text()
	for line := range strings.Lines(got) {
		if line = strings.TrimSuffix(line, "\n"); term.Width(line) > 80 || line != term.Escape(line) || strings.TrimRight(line, " ") != line {
			t.Errorf("%d cells: %q", term.Width(line), line)
		}
	}
	for _, part := range []string{
		"Update API registration compute.example.com\n\nFields\n",
		"\n  owner             sre-a -> (none)\n", "\n  sync_id           release-7 -> release-8\n", `-> \x1b[31mred\na long description`,
		"\n  depends_on        (none) -> sandbox/eu-west-1/net.example.com (synced),\n",
		"\nStart order\n  1. net.example.com\n  2. auth.example.com, which needs net.example.com (started)\n  3. compute.example.com, which needs net.example.com (synced), auth.example.com\n    (healthy)\n",
		"\nReconciled\n  3 of 4 subscribers, since its sync_id changes:\n    new (its first sync), sre, apps\n",
		"\nOrder\n  wave 1, each as soon as auth.example.com is healthy, and the OpenAPI document\n    for release-8 is there:\n    new, sre\n",
		"\n  wave 2, each as soon as auth.example.com is healthy, and the OpenAPI document\n    for release-8 is there, and its own subscription to net.example.com is\n    synced:\n    apps\n",
		"\n  in random order within a wave: a free slot of any reconciler takes the next\n",
		"\nRequests\n  of new, by mode api of kayra.yaml:\n  1. POST https://h.example.com/yyyyyyy", "\n     X-Key: ***\n     {\n       \"a\": [\n         \"\\u009b\",\n         true\n",
		"\n  2. GET https://h.example.com/…\n     cannot be sent: endpoint: there is no .Nope\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in\n%s", part, got)
		}
	}
	if !strings.HasSuffix(got, "\nNothing was written.\n") {
		t.Errorf("ends otherwise: %s", got)
	}
}

// Of many, the text names some, and the document all.
func TestManyTenants(t *testing.T) {
	t.Parallel()
	var all []string
	var others []api.Registration
	for i := range 100 {
		all = append(all, fmt.Sprintf("ns-%03d 1", i))
		others = append(others, registration(fmt.Sprintf("n%03d.example.com", i), "1"))
		if i > 0 {
			others[i] = registration(others[i].Name, "1", others[i-1].Name)
		}
	}
	after := registration(compute, "2", others[99].Name)
	p := update(t, registration(compute, "1"), after, others, map[string][]api.Row{compute: rows("1", all...)})
	got := p.Text()
	if strings.Count(got, "ns-") != 20 || !strings.Contains(got, "and 80 more, which -o json lists") || strings.Contains(got, "ns-020") {
		t.Error(got)
	}
	if !strings.Contains(got, "\n  19. n018.example.com, which needs n017.example.com (started)\n  … and 81 between, which -o json lists\n  101. compute.example.com, which needs") {
		t.Error(got)
	}
	document, err := json.Marshal(p)
	if err != nil || strings.Count(string(document), `"namespace":"ns-`) != 100 || len(p.StartOrder) != 101 {
		t.Errorf("%d in order, %v: %s", len(p.StartOrder), err, document)
	}
}

func TestTextOfLittle(t *testing.T) {
	t.Parallel()
	p, err := plan.New(plan.Facts{After: document(t, registration(compute, "1"))})
	if err != nil {
		t.Fatal(err)
	}
	p.Requests.Note = "none: nobody would be reconciled"
	const want = `Create API registration compute.example.com

Fields
  name              compute.example.com
  platform          sandbox
  region            eu-west-1
  active            true
`
	if got := p.Text(); !strings.HasPrefix(got, want) || !strings.Contains(got, "\nReconciled\n  nobody: nobody can be subscribed yet\n\nRequests\n  none: nobody would be reconciled\n\nNothing was written.\n") {
		t.Error(got)
	}
	same := registration(compute, "1")
	got := update(t, same, same, nil, map[string][]api.Row{compute: rows("1", "a 0")}).Text()
	for _, part := range []string{
		"\nFields\n  none changes; the write counts as a trigger all the same\n", "\n  1. compute.example.com\n",
		"\n  the only subscriber, since they are behind", "\nOrder\n  at once\n\n",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in\n%s", part, got)
		}
	}
}
