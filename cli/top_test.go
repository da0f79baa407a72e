package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/contexts"
	"kayra/config"
	"kayra/tui"
	"kayra/tui/theme"
)

// Without a terminal there is no dashboard, and nothing is read or asked to find that out.
func TestTopNeedsATerminal(t *testing.T) {
	t.Parallel()
	s := answering(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) })
	for _, line := range []string{"top", "top compute.example.com -n sre", "top --read-only --theme light"} {
		got := run(t, append(at(s.URL), "KAYRA_CONFIG=/no/such/file"), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != 2 || got.out != "" || !strings.Contains(got.err, "the standard input is none: `kayra top --once` prints what there is once\n") {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestTopUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"top a.b c.d":            `"c.d" is one more`,
		"top a.b --api c.d":      `which API: "a.b" or "c.d"?`,
		"top Compute":            `"Compute" is not the name of an API`,
		"top -n SRE":             `"SRE" is not the name of a namespace`,
		"top -o json":            "the dashboard prints nothing",
		"top --no-headers":       "the dashboard prints nothing",
		"top --once --theme no":  `flag --theme: client.theme: "no" is not allowed: use auto, dark, light, mono or contrast`,
		"top --once -o xml":      `"xml" is not an output format`,
		"top --interval 2s":      "unknown flag: --interval",
		"top --once --context x": `there is no context "x"`,
	} {
		if got := run(t, nil, "", append([]string{"kayra"}, strings.Fields(line)...)...); got.code != 2 || !strings.Contains(got.err, want) {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
}

// Every theme that there is can be configured, and no other.
func TestThemes(t *testing.T) {
	t.Parallel()
	for _, name := range append(theme.Names(), "auto") {
		if _, _, err := config.Load(config.Options{Env: []string{"KAYRA_CLIENT_THEME=" + name}}); err != nil {
			t.Error(err)
		}
	}
}

// downtown is a server that has an API, three subscriptions to it and a reconciler that cannot be asked; who is ann may see
// the subscriptions alone.
func downtown(t *testing.T) *httptest.Server {
	t.Helper()
	const base = "/apis/catalog.example.com/v1/"
	lists := map[string]string{
		base + "apiregistrations": `{"name":"compute.example.com","short_name":"compute","sync_id":"b","released_sync_id":"a","canary_namespaces":["sre"]}`,
		base + "subscriptions": `{"api":"compute.example.com","namespace":"sre","active":true,"synced":true,"reason":"synced","state":"success","current_sync_id":"b"},` +
			`{"api":"compute.example.com","namespace":"apps","active":true,"reason":"canary_hold","state":"success","current_sync_id":"a","message":"\u001b[2J"},` +
			`{"api":"compute.example.com","namespace":"core","reason":"step_failed","state":"error"}`,
		base + "reconcilers": `{"id":"r1","endpoint":"http://10.0.0.1:8081","queues":{"compute.example.com":{"waiting":4,"running":2}}}`,
	}
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		items, list := lists[r.URL.Path]
		switch {
		case r.Header.Get("Authorization") == "":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status":401,"detail":"who are you?"}`)
		case r.URL.Query().Get("watch") != "":
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"status":400,"detail":"the query parameter watch is not known"}`)
		case r.Header.Get("Authorization") == "Bearer ann" && r.URL.Path != base+"subscriptions":
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"status":403,"detail":"user \"ann\" may not: ask a sysadmin"}`)
		case r.URL.Path == "/katalog":
			_, _ = io.WriteString(w, `{"crds":[{"name":"compute.example.com","state":"degraded","degradedReason":"it failed\u001b","admission":{"validationDenied":7},"deletionProtection":{"blocked":2},"namespaceProtection":{"blocked":1}}]}`)
		case list:
			_, _ = fmt.Fprintf(w, `{"items":[%s],"continue":""}`, items)
		default:
			t.Errorf("asked for %s", r.URL)
		}
	})
}

func TestTopOnce(t *testing.T) {
	t.Parallel()
	s := downtown(t)
	env := append(at(s.URL), "KAYRA_CLIENT_TOKEN=root")
	got := run(t, env, "", "kayra", "top", "--once")
	want := "NAME                  HEALTH     SYNCED   FAILING   ROLLOUT      HELD   RUNNING   WAITING   WORKERS   QUEUE\n" +
		"compute.example.com   degraded   1/3      1         canary sre   1      0         0         ?         4\n"
	if got.code != 0 || got.out != want || !strings.Contains(got.err, "note: reconciler r1: it is on another machine, and the server on this one") {
		t.Errorf("%d\n%s\n%s", got.code, got.out, got.err)
	}
	for _, line := range []string{"top --once compute.example.com", "top --once --api compute"} {
		got = run(t, env, "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != 0 || strings.Count(got.out, "compute.example.com") != 3 || !strings.HasPrefix(got.out, "NAMESPACE ") {
			t.Errorf("%s: %+v", line, got)
		}
	}
	got = run(t, env, "", "kayra", "top", "--once", "compute", "-n", "apps", "-o", "name")
	if got.code != 0 || got.out != "subscriptions/compute.example.com\n" {
		t.Errorf("one tenant: %+v", got)
	}
	if got = run(t, env, "", "kayra", "top", "--once", "-o", "name"); got.out != "apiregistrations/compute.example.com\n" {
		t.Errorf("names: %+v", got)
	}
}

// What is printed in a pipe, byte by byte, obeys nobody, and data alone is on the standard output.
func TestTopOnceInAPipe(t *testing.T) {
	t.Parallel()
	s := downtown(t)
	env := append(at(s.URL), "KAYRA_CLIENT_TOKEN=root", "TERM=xterm-256color", "COLORTERM=truecolor")
	for _, format := range []string{"table", "wide", "json", "yaml", "name"} {
		for _, api := range []string{"", "compute"} {
			got := run(t, env, "", "kayra", "top", "--once", "-o", format, "--api", api)
			for i, c := range []byte(got.out + got.err) {
				if c == 0x1b || c == 0x9b || c < ' ' && c != '\n' {
					t.Fatalf("%s %s: byte %d is %#x: %+v", format, api, i, c, got)
				}
			}
			if got.code != 0 || got.out == "" {
				t.Errorf("%s %s: %+v", format, api, got)
			}
		}
	}
}

func TestTopOnceAsADocument(t *testing.T) {
	t.Parallel()
	s := downtown(t)
	got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=root"), "", "kayra", "top", "--once", "-o", "json")
	var doc map[string]any
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil || got.err != "" {
		t.Fatalf("%v: %+v", err, got)
	}
	item := doc["items"].([]any)[0].(map[string]any)
	for key, want := range map[string]any{
		"name": "compute.example.com", "sync_id": "b", "released_sync_id": "a", "paused": false, "health": "degraded", "health_reason": "it failed\x1b",
		"subscribed": 3.0, "active": 2.0, "synced": 1.0, "failing": 1.0, "held": 1.0, "running": 0.0, "waiting": 0.0, "paused_subscriptions": 0.0,
		"workers": nil, "workers_busy": nil, "queue": 4.0, "denied": 7.0, "blocked": 3.0,
	} {
		if got, there := item[key]; !there || got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	reconciler := doc["reconcilers"].([]any)[0].(map[string]any)
	if reconciler["id"] != "r1" || reconciler["workers_busy"] != nil || reconciler["queue"] != 4.0 || len(doc["problems"].([]any)) != 1 {
		t.Errorf("%v, %v", reconciler, doc["problems"])
	}
	// What is in the document is in the help.
	help := run(t, nil, "", "kayra", "top", "--help").out
	for _, keys := range []map[string]any{doc, item, reconciler} {
		for key := range keys {
			if !strings.Contains(help, key) {
				t.Errorf("the help does not tell of %s", key)
			}
		}
	}
}

func TestTopOnceFails(t *testing.T) {
	t.Parallel()
	s := downtown(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	for _, c := range []struct {
		name, url, token, args string
		code                   int
		says                   string
	}{
		{"nobody", s.URL, "", "", 3, "there is no token for"},
		{"unreachable", gone.URL, "root", "", 6, "is unreachable"},
		{"silent", silent.URL, "root", "--timeout 50ms", 7, "--timeout allows for more"},
		{"no such API", s.URL, "root", "--api comput.example.com", 4, "did you mean compute.example.com?"},
		{"no such tenant", s.URL, "root", "--api compute -n nobody", 4, `namespace "nobody" does not subscribe to compute.example.com`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := at(c.url)
			if c.token != "" {
				env = append(env, "KAYRA_CLIENT_TOKEN="+c.token)
			}
			got := run(t, env, "", append([]string{"kayra", "top", "--once"}, strings.Fields(c.args)...)...)
			if got.code != c.code || !strings.Contains(got.err, c.says) || got.out != "" {
				t.Errorf("%+v, want %d and %q", got, c.code, c.says)
			}
		})
	}
	got := run(t, append(at(s.URL), "KAYRA_CLIENT_TOKEN=ann"), "", "kayra", "top", "--once")
	if got.code != 0 || !strings.Contains(got.out, "compute.example.com   -") || strings.Count(got.err, "ask a sysadmin") != 3 {
		t.Errorf("for who may not see all: %+v", got)
	}
}

// Another context is another connection: to its server, with its token, marked as it is.
func TestSwitchingContexts(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	s := answering(t, func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path + " " + r.Header.Get("Authorization")
	})
	dir := t.TempDir()
	file := contexts.File{Path: dir + "/kayra/contexts.yaml"}
	err := file.Change(t.Context(), func(all *contexts.Contexts) error {
		all.Put(contexts.Context{Name: "prod", Server: s.URL, Token: config.SecretOf("token-of-prod"), Label: "Production"})
		all.Put(contexts.Context{Name: "dev", Server: "http://127.0.0.1:1", Token: config.SecretOf("token-of-dev"), Label: "dev"})
		all.Current = "dev"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	first, err := cli.Connection([]string{"XDG_CONFIG_HOME=" + dir}, "--context", "dev")
	if err != nil {
		t.Fatal(err)
	}
	if first.Context != "dev" || first.Label != "dev" || first.Production || fmt.Sprint(first.Contexts) != "[dev prod]" {
		t.Errorf("%+v", first)
	}
	if _, err := first.Switch(t.Context(), "pro"); err == nil || !strings.Contains(err.Error(), "did you mean prod?") {
		t.Errorf("to what is none: %v", err)
	}
	next, err := first.Switch(t.Context(), "prod")
	if err != nil {
		t.Fatal(err)
	}
	if next.Context != "prod" || next.Server != s.URL || next.Label != "Production" || !next.Production || fmt.Sprint(next.Place.Flags) != "[--context prod]" {
		t.Errorf("%+v", next)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	const base, token = "/apis/catalog.example.com/v1/", " Bearer token-of-prod"
	for action, want := range map[tui.Action]string{
		{Verb: tui.Resync, API: "compute.example.com", Namespace: "sre"}: "PUT " + base + "namespaces/sre/subscriptions/compute.example.com/sync" + token,
		{Verb: tui.Pause, API: "compute.example.com"}:                    "PUT " + base + "apiregistrations/compute.example.com" + token,
		{Verb: tui.Resume, API: "compute.example.com"}:                   "PUT " + base + "apiregistrations/compute.example.com" + token,
	} {
		if err := next.Act(ctx, action); err != nil {
			t.Errorf("%+v: %v", action, err)
		}
		if got := <-asked; got != want {
			t.Errorf("%+v asked for %q, want %q", action, got, want)
		}
	}
	if err := first.Act(ctx, tui.Action{Verb: tui.Pause, API: "a.b"}); err == nil || !strings.Contains(err.Error(), "unreachable") {
		t.Errorf("at a server that is not there: %v", err)
	}
	if engine, err := next.Rollouts(ctx); err != nil || engine == nil {
		t.Errorf("rollouts: %v", err)
	}
}
