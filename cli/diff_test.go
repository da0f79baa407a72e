package cli_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/term"
)

func (w *town) diff(t *testing.T, in string) result {
	t.Helper()
	return run(t, w.env, in, "kayra", "diff", "-f", "-")
}

func TestDiff(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.do(t, "POST", "/apiregistrations", `{"name":"a.example.com","owner":"x\u001b[2J","sync_id":"s1"}`)
	w.do(t, "POST", "/namespaces", `{"name":"sre"}`)
	for text, want := range map[string]result{
		"{kind: ApiRegistration, name: a.example.com, sync_id: s1}": {},
		"{kind: Namespace, name: sre}\n---\n{kind: ApiRegistration, name: a.example.com, description: y}": {1, `--- apiregistrations/a.example.com
+++ apiregistrations/a.example.com (standard input:3)
@@ -7,7 +7,7 @@
 upstream: false
 downstream: false
 owner: "x\e[2J"
-description: ""
+description: "y"
 depends_on: []
 allowed_namespaces: []
 restricted_namespaces: []
`, ""},
		"{kind: Subscription, api: a.example.com, namespace: sre}": {1, `--- /dev/null
+++ sre/subscriptions/a.example.com (standard input:1)
@@ -0,0 +1,2 @@
+api: a.example.com
+namespace: sre
`, ""},
		"{kind: ApiRegistration, name: a.example.com, colour: red}": {
			2, "", `kayra: standard input:1 (document 1): apiregistration "a.example.com": the body has fields that are wrong; nothing was changed: /colour is not a key that is known here: leave "colour" out` + "\n",
		},
		"{kind: ApiRegistration, name: a.example.com, depends_on: [{name: no.example.com}]}": {
			4, "", `kayra: standard input:1 (document 1): apiregistration "a.example.com": depends_on names API registration "no.example.com" of platform "p" and region "r", which is not there; create it first` + "\n",
		},
	} {
		if got := w.diff(t, text); got != want {
			t.Errorf("%s:\n got %d %s%s\nwant %d %s%s", text, got.code, got.out, got.err, want.code, want.out, want.err)
		}
	}
	if writes := w.written(); len(writes) > 0 {
		t.Errorf("it has written %q", writes)
	}
}

// What is registered along with what it depends on is compared although the server cannot check it yet. Ids that would be
// minted are left out: it will not have these.
func TestDiffOfWhatIsToCome(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	got := w.diff(t, "{kind: ApiRegistration, name: b.example.com, depends_on: [{name: a.example.com}]}\n---\n{kind: ApiRegistration, name: a.example.com}")
	if got.code != 1 || got.err != "" || strings.Contains(got.out, "sync_id") || !strings.Contains(got.out, "+  - name: a.example.com\n") {
		t.Errorf("%+v", got)
	}
	if got := w.diff(t, "{kind: ApiRegistration, name: c.example.com, sync_id: mine}"); !strings.Contains(got.out, "\n+sync_id: mine\n") {
		t.Errorf("%+v", got)
	}
}

// A failure is never taken for a difference.
func TestDiffFails(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]int{400: 2, 401: 3, 403: 3, 409: 5, 413: 2, 500: 2, 503: 6} {
		for _, only := range []string{"", "/apis"} {
			w := newTown(t)
			w.before = func(rw http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, only) || only == "" && r.URL.Path == "/apis" {
					return false
				}
				rw.WriteHeader(status)
				_, _ = fmt.Fprintf(rw, `{"status":%d,"detail":"no"}`, status)
				return true
			}
			if got := w.diff(t, "{kind: Namespace, name: a}\n---\n{kind: Namespace, name: b}"); got.code != want || got.out != "" {
				t.Errorf("%d of %q: %+v, want %d", status, only, got, want)
			}
		}
	}
}

func TestDiffIsColouredAtATerminal(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.do(t, "POST", "/apiregistrations", `{"name":"a.example.com","owner":"-x"}`)
	var out bytes.Buffer
	code := cli.Run(t.Context(), cli.Process{
		Args: []string{"kayra", "diff", "-f", "-"}, Environ: append([]string{"HOME=/nonexistent"}, w.env...),
		Streams: term.Streams{In: strings.NewReader("{kind: ApiRegistration, name: a.example.com, owner: y}"), Out: &out, Err: &out, Color: true},
		Now:     time.Now,
	})
	for _, want := range []string{
		"\x1b[1m--- apiregistrations/a.example.com\x1b[0m\n", "\x1b[1m@@ -6,7 +6,7 @@\x1b[0m\n", "\n paused: false\n",
		"\x1b[38;5;166m-owner: -x\x1b[0m\n", "\x1b[38;5;32m+owner: \"y\"\x1b[0m\n",
	} {
		if code != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("%d %q, without %q", code, out.String(), want)
		}
	}
}
