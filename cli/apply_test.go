package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	rest "kayra/server"
	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store/catalog"
	"kayra/store/local"
)

// town is a real server that counts what it is asked, and lets a test come between.
type town struct {
	env  []string
	real http.Handler

	mu     sync.Mutex
	asked  []string                                                 // method and path with query
	before func(w http.ResponseWriter, r *http.Request) (done bool) // called before a request is answered, unless nil
}

func newTown(t *testing.T) *town {
	t.Helper()
	s, err := local.Open(t.Context(), local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	tokens, err := auth.NewTokens([]auth.Token{{Identity: auth.Identity{User: "root"}, Digest: auth.DigestOf("root-token")}})
	if err != nil {
		t.Fatal(err)
	}
	srv, err := rest.New(rest.Options{
		Repository:    catalog.NewRepository(s, catalog.Scope{Platform: "p", Region: "r"}),
		Authenticator: tokens, Sysadmins: auth.Sysadmins{Users: []string{"root"}}, Policy: rbac.New(rbac.Options{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &town{real: srv.Handler()}
	at := httptest.NewServer(w)
	t.Cleanup(at.Close)
	w.env = []string{"KAYRA_CLIENT_SERVER=" + at.URL, "KAYRA_CLIENT_TOKEN=root-token"}
	return w
}

func (w *town) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.asked = append(w.asked, r.Method+" "+r.URL.RequestURI())
	before := w.before
	w.mu.Unlock()
	if before == nil || !before(rw, r) {
		w.real.ServeHTTP(rw, r)
	}
}

// written are the requests since the last call that could have changed something.
func (w *town) written() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	writes := slices.DeleteFunc(w.asked, func(asked string) bool {
		return strings.HasPrefix(asked, "GET ") || strings.HasSuffix(asked, "dry_run=true")
	})
	w.asked = nil
	return writes
}

// do writes as somebody else would.
func (w *town) do(t *testing.T, method, path, body string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, catalogPath+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer root-token")
	answer := httptest.NewRecorder()
	w.real.ServeHTTP(answer, r)
	if answer.Code >= http.StatusBadRequest {
		t.Errorf("%s %s: %d %s", method, path, answer.Code, answer.Body)
	}
}

const catalogPath = "/apis/catalog.example.com/v1"

// between has fn be done once, before the first request of the method to the path is answered.
func (w *town) between(method, path string, fn func()) {
	var once sync.Once
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == method && r.URL.Path == catalogPath+path && r.URL.RawQuery == "" {
			once.Do(fn)
		}
		return false
	}
}

func (w *town) apply(t *testing.T, in string, args ...string) result {
	t.Helper()
	return run(t, w.env, in, append([]string{"kayra", "apply", "-f", "-"}, args...)...)
}

const bundle = `kind: Subscription
namespace: sre
api: net.example.com
---
kind: RoleBinding
name: b
role: r
namespace: sre
subjects: [{kind: group, name: g}]
---
kind: ApiRegistration
name: compute.example.com
depends_on: [{name: net.example.com}, {name: net.example.com, condition: synced, platform: q}]
operator: {resync: 10m, autoscale: {do: {workers: 2}}}
---
kind: ApiRegistration
name: net.example.com
short_name: net
allowed_namespaces: [sre, sre]
---
kind: Namespace
name: sre
---
kind: Role
name: r
rules: [{apis: ["*"], resources: ["*"], verbs: [get]}]
`

func TestApply(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	text := strings.ReplaceAll(bundle, ", {name: net.example.com, condition: synced, platform: q}", "")
	want := `namespace "sre" created
apiregistration "net.example.com" created
apiregistration "compute.example.com" created
role "r" created
rolebinding "b" created
subscription "net.example.com" of namespace "sre" created
`
	for _, dry := range []string{"client", "server"} {
		got := w.apply(t, text, "--dry-run="+dry)
		if mark := map[string]string{"client": " (dry run)\n", "server": " (server dry run)\n"}[dry]; got.code != 0 || got.out != strings.ReplaceAll(want, "\n", mark) {
			t.Errorf("--dry-run=%s: %+v", dry, got)
		}
		if writes := w.written(); len(writes) > 0 {
			t.Errorf("--dry-run=%s has sent %q", dry, writes)
		}
	}
	if got := w.apply(t, text); got.code != 0 || got.out != want || got.err != "" {
		t.Fatalf("first: %+v", got)
	}
	if writes := w.written(); len(writes) != 6 {
		t.Errorf("first: %q", writes)
	}
	for _, args := range [][]string{nil, {"--dry-run=server"}} {
		got := w.apply(t, text, args...)
		if got.code != 0 || strings.Count(got.out, "unchanged") != 6 || got.err != "" {
			t.Errorf("again, %v: %+v", args, got)
		}
		if writes := w.written(); len(writes) > 0 { // each of which would be a trigger
			t.Errorf("again, %v, it has sent %q", args, writes)
		}
	}
}

// What is asked for again in other words is no change, and what a server makes of it decides where the words do not.
func TestApplyInOtherWords(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	if got := w.apply(t, `{"kind":"ApiRegistration","name":"a.example.com","operator":{"resync":"10m"},"allowed_namespaces":["sre"],"active":false}`); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for text, want := range map[string]string{
		`operator: {resync: 600s}`:        "unchanged",
		`operator: {}`:                    "unchanged",
		`operator: {resync: 11m}`:         "configured (dry run)",
		`operator: {resync: null}`:        "configured (dry run)",
		`allowed_namespaces: [sre, sre]`:  "unchanged",
		`allowed_namespaces: [sre, apps]`: "configured (server dry run)",
		`mode: null`:                      "unchanged",
		`active: null`:                    "configured (server dry run)",
		`active: false`:                   "unchanged",
		`platform: elsewhere`:             "unchanged",
		`released_sync_id: x`:             "unchanged",
		`canary_namespaces: [x]`:          "unchanged",
		`sync_id: next`:                   "configured (server dry run)",
		`depends_on: []`:                  "unchanged",
	} {
		dry := "server"
		if strings.HasSuffix(want, "(dry run)") {
			dry = "client"
		}
		got := w.apply(t, "kind: ApiRegistration\nname: a.example.com\n"+text, "--dry-run="+dry)
		if got.code != 0 || !strings.Contains(got.out, want) {
			t.Errorf("%s: %+v, want %s", text, got, want)
		}
	}
}

func TestApplyKeepsWhatOthersWrite(t *testing.T) {
	t.Parallel()
	const regs, one = "/apiregistrations", "/apiregistrations/a.example.com"
	document := "kind: ApiRegistration\nname: a.example.com\nowner: ours\n"
	for name, c := range map[string]struct {
		there        bool
		method, path string   // of the request that somebody comes before
		do           []string // method, path and body of what they write
		want         string
	}{
		"changed":               {true, "PUT", one, []string{"PUT", one, `{"mode":"theirs"}`}, "configured"},
		"changed to the same":   {true, "PUT", one, []string{"PUT", one, `{"mode":"theirs","owner":"ours"}`}, "unchanged"},
		"deleted":               {true, "PUT", one, []string{"DELETE", one, ""}, "created"},
		"created":               {false, "POST", regs, []string{"POST", regs, `{"name":"a.example.com","mode":"theirs"}`}, "configured"},
		"created and deleted":   {true, "GET", one, []string{"DELETE", one, ""}, "created"},
		"created with the same": {false, "POST", regs, []string{"POST", regs, `{"name":"a.example.com","owner":"ours"}`}, "unchanged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t)
			if c.there {
				w.do(t, "POST", regs, `{"name":"a.example.com"}`)
			}
			w.between(c.method, c.path, func() { w.do(t, c.do[0], c.do[1], c.do[2]) })
			got := w.apply(t, document)
			if got.code != 0 || got.out != fmt.Sprintf("apiregistration \"a.example.com\" %s\n", c.want) {
				t.Fatalf("%+v, want %s", got, c.want)
			}
			reg := run(t, w.env, "", "kayra", "get", "catalog", "apiregistrations", "a.example.com", "-o", "json")
			var is struct{ Owner, Mode string }
			if err := json.Unmarshal([]byte(reg.out), &is); err != nil || is.Owner != "ours" {
				t.Errorf("%s, %v", reg.out, err)
			}
			if theirs := strings.HasPrefix(name, "changed") || name == "created"; theirs != (is.Mode == "theirs") {
				t.Errorf("what others wrote: %q", is.Mode)
			}
		})
	}
}

// One that is written again and again by others is given up, as a conflict.
func TestApplyGivesUp(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	const one = "/apiregistrations/a.example.com"
	w.do(t, "POST", "/apiregistrations", `{"name":"a.example.com"}`)
	n := 0
	w.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && r.URL.RawQuery == "" {
			n++
			w.do(t, "PUT", one, fmt.Sprintf(`{"mode":"theirs-%d"}`, n))
		}
		return false
	}
	got := w.apply(t, "kind: ApiRegistration\nname: a.example.com\nowner: ours\n")
	if got.code != 5 || !strings.HasPrefix(got.err, `kayra: standard input:1 (document 1): apiregistration "a.example.com": `) || n != 10 {
		t.Errorf("%+v, after %d tries", got, n)
	}
}

func TestApplyGoesOnPastFailures(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.do(t, "POST", "/namespaces", `{"name":"there"}`)
	for text, want := range map[string]struct {
		code     int
		out, err string
	}{
		"{kind: Namespace, name: UPPER}\n---\n{kind: Namespace, name: good}": {
			1, "namespace \"good\" created\n", "kayra: standard input:1 (document 1): namespace \"UPPER\": ",
		},
		"{kind: ApiRegistration, name: a.example.com, depends_on: [{name: no.example.com}]}": {4, "", "no.example.com"},
		"{kind: Subscription, api: no.example.com, namespace: no}\n---\n{kind: Namespace, name: UPPER}": {
			1, "", "kayra: standard input:3 (document 2): namespace \"UPPER\": ",
		},
		"{kind: Subscription, api: no.example.com, namespace: no}\n---\n{kind: Subscription, api: other.example.com, namespace: no}": {4, "", "(document 2)"},
		"{kind: Namespace, name: there, colour: red}":                  {1, "", `"colour" is not a key of a namespace: leave it out`},
		"{kind: ApiRegistration, name: b.example.com, colour: red}":    {1, "", "/colour"},
		"{apiVersion: no.example.com, kind: m, name: x}":               {4, "", `there is no API group "no.example.com"`},
		"{apiVersion: catalog, kind: m, name: x}":                      {4, "", `catalog.example.com has no resource "m"`},
		"{apiVersion: catalog.example.org, kind: Namespace, name: x}":  {4, "", `there is no API group "catalog.example.org"`},
		"{apiVersion: catalog.example.com, kind: Namespace, name: aa}": {0, "namespace \"aa\" created\n", ""},
	} {
		got := w.apply(t, text)
		if got.code != want.code || got.out != want.out || !strings.Contains(got.err, want.err) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// What would fail for every document ends it.
func TestApplyStopsAtWhatConcernsAll(t *testing.T) {
	t.Parallel()
	text := "{kind: Namespace, name: a}\n---\n{kind: Namespace, name: b}\n---\n{kind: Namespace, name: c}"
	for status, want := range map[int]int{401: 3, 503: 6} {
		w := newTown(t)
		w.before = func(rw http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/b") {
				rw.WriteHeader(status)
				_, _ = fmt.Fprintf(rw, `{"status":%d,"detail":"no"}`, status)
				return true
			}
			return false
		}
		got := w.apply(t, text)
		if got.code != want || got.out != "namespace \"a\" created\n" || !strings.HasSuffix(got.err, "\nkayra: not tried: the 1 documents that follow\n") {
			t.Errorf("%d: %+v", status, got)
		}
	}
	got := run(t, []string{"KAYRA_CLIENT_SERVER=http://127.0.0.1:1"}, text, "kayra", "apply", "-f", "-")
	if got.code != 6 || got.out != "" {
		t.Errorf("nobody there: %+v", got)
	}
}

// A server that takes only so many requests is waited for.
func TestApplyWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	var once sync.Once
	w.before = func(rw http.ResponseWriter, r *http.Request) (refused bool) {
		if r.Method == http.MethodPost {
			once.Do(func() {
				rw.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(rw, `{"status":429,"detail":"too many"}`)
				refused = true
			})
		}
		return refused
	}
	if got := w.apply(t, "{kind: Namespace, name: a}"); got.code != 0 || got.out != "namespace \"a\" created\n" {
		t.Errorf("%+v", got)
	}
}

func TestAnInterruptEndsApply(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.between("GET", "/namespaces/b", cancel)
	got := runContext(ctx, w.env, "{kind: Namespace, name: a}\n---\n{kind: Namespace, name: b}", "kayra", "apply", "-f", "-")
	if got.code != 130 || got.out != "namespace \"a\" created\n" || got.err != "kayra: interrupted\n" {
		t.Errorf("%+v", got)
	}
}

func TestApplyForPrograms(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	text := "{kind: Namespace, name: a}\n---\n{kind: Namespace, name: UPPER}\n---\n{kind: Subscription, namespace: a, api: b.example.com}"
	got := w.apply(t, text, "-o", "json")
	var list struct {
		Items []struct {
			File, Resource, Namespace, Name, Result string
			Document, Line                          int
			Object                                  map[string]any
			Error                                   *struct {
				Code, Status    int
				Reason, Message string
			}
		}
	}
	if err := json.Unmarshal([]byte(got.out), &list); err != nil || len(list.Items) != 3 {
		t.Fatalf("%v %+v", err, got)
	}
	first, second := list.Items[0], list.Items[1]
	if first.File != "standard input" || first.Document != 1 || first.Line != 1 || first.Resource != "namespaces" || first.Name != "a" ||
		first.Result != "created" || first.Object["name"] != "a" || first.Error != nil {
		t.Errorf("%+v", first)
	}
	if second.Result != "failed" || second.Line != 3 || second.Error.Code != 1 || second.Error.Status != 400 || second.Error.Reason != "failed" || second.Object != nil {
		t.Errorf("%+v", second)
	}
	if third := list.Items[2]; third.Namespace != "a" || third.Error.Code != 4 {
		t.Errorf("%+v", third)
	}
	var told struct {
		Code    int
		Message string
	}
	if err := json.Unmarshal([]byte(got.err), &told); err != nil || got.code != 1 || told.Code != 1 || !strings.HasPrefix(told.Message, "2 of 3 documents failed: standard input:3 (document 2): ") {
		t.Errorf("%d %s, %v", got.code, got.err, err)
	}
	if got := w.apply(t, text, "-o", "name"); got.code != 1 || got.out != "namespaces/a\n" || strings.Count(got.err, "kayra: ") != 2 {
		t.Errorf("names: %+v", got)
	}
	if got := w.apply(t, "{kind: Namespace, name: a}", "-o", "yaml"); got.code != 0 || !strings.HasPrefix(got.out, "items:\n  - file: standard input\n") {
		t.Errorf("YAML: %+v", got)
	}
}

// Nothing is asked of a server before all that was given is understood.
func TestApplyReadsAllFirst(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for text, want := range map[string]string{
		"{kind: Namespace, name: a}\n---\nkind: [":                       "kayra: standard input:3: is not YAML: ",
		"{kind: Namespace, name: a}\n---\nkind: Role\n":                  "kayra: standard input:3 (document 2): does not say which one it is: name is missing\nhint: nothing was sent\n",
		"{kind: Subscription, api: a.b}":                                 "kayra: standard input:1 (document 1): a subscription lives in a namespace: name it in the document, or with -n\n",
		"{kind: Role, name: a, rules: []}\n---\n\n{kind: Role, name: a}": `kayra: standard input:4 (document 2): role "a" is what standard input:1 is about, too, and says something else`,
		"# nothing":                       "kayra: there is no document in what was given: nothing was sent\n",
		"{kind: X, name: \"\x1b\"}":       "is not YAML: control characters are not allowed",
		`{"kind":"\u001b[2J","name":"a"}`: `kind "\x1b[2J" is none of Kayra's own`,
		"{kind: Namespace, name: a}\n---\n{kind: Namespace, name: a, active: y}": "says something else",
	} {
		if got := w.apply(t, text); got.code != 2 || got.out != "" || !strings.Contains(got.err, want) || strings.Contains(got.err, "\x1b") {
			t.Errorf("%q: %+v, want %s", text, got, want)
		}
	}
	if len(w.asked) > 0 {
		t.Errorf("the server was asked %q", w.asked)
	}
	if got := w.apply(t, "{kind: Namespace, name: a}\n---\n{kind: Namespace, name: a}"); got.code != 0 || got.out != "namespace \"a\" created\nnamespace \"a\" unchanged\n" {
		t.Errorf("the same twice: %+v", got)
	}
}

func TestApplyUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"apply":                             "which documents? No file is given",
		"apply x.yaml":                      `apply takes no arguments, and "x.yaml" is one`,
		"apply -f /no/such":                 "/no/such",
		"apply -f - --dry-run server y":     `apply takes no arguments, and "y" is one`,
		"apply -f - --dry-run=sometimes":    `"sometimes" is not allowed: use client, server or none`,
		"apply -f - -n ..":                  `".." is not a name`,
		"apply -f - -o xml":                 `"xml" is not an output format`,
		"diff":                              "which documents? No file is given",
		"diff -f /no/such":                  "/no/such",
		"apply -f - --token-file /no/such":  "there is no document",
		"diff -f /dev/null":                 "there is no document",
		"apply -f /dev/null -f /no/such -R": "/no/such",
		"apply --file= --recursive":         "a file without a name",
	} {
		got := run(t, nil, "", append([]string{"kayra"}, strings.Split(line, " ")...)...)
		if got.code != 2 || !strings.Contains(got.err, want) || got.out != "" {
			t.Errorf("%s: %+v, want exit code 2 and %q", line, got, want)
		}
	}
}
