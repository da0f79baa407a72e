package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/term"
)

// catalogue is a server with some of everything. What is behind the gateway is there, too.
func catalogue(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"apis":[
 {"name":"catalog.corp.example","short_name":"catalog","builtin":true,"resources":[
  {"name":"namespaces","namespaced":false,"verbs":["create","delete","get","list","update"]},
  {"name":"apiregistrations","namespaced":false,"verbs":["create","delete","get","list","patch","update"]},
  {"name":"apiregistrations/sync","namespaced":false,"verbs":["patch"]},
  {"name":"apiregistrations/status","namespaced":false,"verbs":["get"]},
  {"name":"subscriptions","namespaced":true,"verbs":["create","delete","get","list","update"]},
  {"name":"reconcilers","namespaced":false,"verbs":["list"]}]},
 {"name":"compute.example.com","short_name":"compute","builtin":false,"resources":[
  {"name":"machines","namespaced":true,"verbs":["get","list"]},{"name":"machines/restart","namespaced":true,"verbs":["create"]},
  {"name":"jobs:batch","namespaced":false,"verbs":["list"]}]},
 {"name":"catalog.example.com","short_name":"catalog","builtin":false,"resources":[]},
 {"name":"young.example.com","short_name":"","builtin":false,"resources":[]}]}`)
	})
	for path, answer := range map[string]string{
		"catalog.corp.example/v1/namespaces": `{"items":[{"name":"apps","active":false},{"name":"sre","active":true}]}`,
		"catalog.corp.example/v1/apiregistrations": `{"items":[
			{"name":"compute.example.com","owner":"ops","active":true,"paused":false,"canary_namespaces":[]},
			{"name":"dns.example.com","owner":"","active":false,"paused":true,"canary_namespaces":["sre"]}]}`,
		"catalog.corp.example/v1/subscriptions": `{"items":[
			{"api":"compute.example.com","namespace":"sre","state":"success","synced":true,"reason":"synced"},
			{"api":"compute.example.com","namespace":"sre-b","state":"error","synced":false,"reason":"step_failed"},
			{"api":"compute.example.com","namespace":"young","state":"init","synced":false,"reason":"init"}]}`,
		"catalog.corp.example/v1/namespaces/sre/subscriptions":         `{"items":[{"api":"compute.example.com","namespace":"sre","state":"success","synced":true}]}`,
		"compute.example.com/v1/namespaces/sre/machines":               `{"items":[{"name":"m:1","state":"up"},{"id":"m$(reboot)"},{"name":7},{"id":"m2","status":"down\u001b[2J","state":{}},{"name":"a/b"}]}`,
		"compute.example.com/v1/jobs:batch":                            `<html>`,
		"catalog.corp.example/v1/apiregistrations/compute.example.com": `{"name":"compute.example.com","sync_id":"build:7"}`,
	} {
		mux.HandleFunc("GET /apis/"+path, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(path, "v1/subscriptions") != (r.URL.Query().Get("api") == "compute.example.com") {
				w.WriteHeader(http.StatusBadRequest)
			}
			_, _ = io.WriteString(w, answer)
		})
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// tab has a shell ask what could come next. The last field of the line is what has been typed of it; ' is nothing.
func tab(t *testing.T, env []string, line string) string {
	t.Helper()
	fields := strings.Fields(line)
	if last := len(fields) - 1; fields[last] == "'" {
		fields[last] = ""
	}
	got := run(t, env, "of-the-standard-input", append([]string{"kayra", "__complete"}, fields...)...)
	if got.code != 0 || got.err != "" {
		t.Errorf("%s: exit code %d, and on the standard error: %q", line, got.code, got.err)
	}
	return got.out
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	s := catalogue(t)
	h := newHome(t)
	h.store(t, "current: prod\ncontexts:\n- {name: prod, server: 'https://kayra.example.com', token: hidden}\n- {name: test, server: 'http://127.0.0.1:1'}\n")
	env := append(h.env, "KAYRA_CLIENT_SERVER="+s.URL, "KAYRA_RECONCILER_GATEWAY_URL="+s.URL, "KAYRA_UNKNOWN=1") // which is warned of
	const (
		words, nospace, nothing, files = ":4\n", ":6\n", ":6\n", ":0\n"

		subscribers = "sre\tsuccess, synced\nsre-b\terror, step failed\nyoung\tinit\n"
		apis        = "compute.example.com\tops\ndns.example.com\tpaused, canary of sre, inactive\n"
		spaces      = "apps\tnot active\nsre\tactive\n"
	)
	for line, want := range map[string]string{
		"get '":                                          "catalog\tcatalog.corp.example, of Kayra\ncompute\tcompute.example.com\ncatalog.example.com\tcatalog.example.com\nyoung.example.com\tyoung.example.com\n" + words,
		"get compute.":                                   "compute.example.com\tcompute.example.com\n" + words,
		"get catalog s":                                  "subscriptions\tcreate, delete, get, list, update; in a namespace\n" + words,
		"get nosuch '":                                   words,
		"get catalog nosuch '":                           words,
		"get catalog namespaces '":                       spaces + words,
		"get catalog namespace a":                        "apps\tnot active\n" + words,
		"get catalog namespaces sre '":                   words,
		"wait catalog namespaces sre '":                  "apps\tnot active\n" + words,
		"wait catalog namespaces sre --for a":            "active\tits first sync has succeeded\n" + words,
		"get catalog -n sre namespaces '":                words,
		"get catalog subscriptions '":                    words,
		"get catalog -n sre subscriptions '":             "compute.example.com\tsuccess, synced\n" + words,
		"get catalog apiregistrations x/":                "x/status\tget\n" + words,
		"update catalog apiregistrations x/":             "x/sync\tpatch\n" + words,
		"update catalog '":                               "namespaces\tcreate, delete, get, list, update\napiregistrations\tcreate, delete, get, list, patch, update\nsubscriptions\tcreate, delete, get, list, update; in a namespace\n" + words,
		"create catalog namespaces '":                    words,
		"get compute -n sre machines '":                  "m:1\tup\nm2\tdown\\x1b[2J\n" + words,
		"create compute -n sre machines m":               "m:1/\tup\nm2/\tdown\\x1b[2J\n" + nospace,
		"create compute -n sre machines m:1/":            "m:1/restart\tcreate\n" + words,
		"get compute j":                                  "jobs:batch\tlist\n" + words,
		"get compute jobs:batch '":                       words,
		"get catalog namespaces -n '":                    spaces + words,
		"get catalog subscriptions compute -n '":         subscribers + words,
		"why '":                                          apis + words,
		"why compute.example.com '":                      words,
		"why compute -n '":                               subscribers + words,
		"why compute --namespace=sre-":                   "sre-b\terror, step failed\n" + words,
		"why nosuch -n '":                                spaces + words,
		"why -n '":                                       spaces + words,
		"check '":                                        "catalog\tcatalog.corp.example, of Kayra\ncompute\tcompute.example.com\ncatalog.example.com\tcatalog.example.com\nyoung.example.com\tyoung.example.com\n" + words,
		"check compute m":                                "machines\tget, list\nmachines/restart\tcreate\n" + words,
		"check compute machines l":                       "list\n" + words,
		"whoami --context '":                             "prod\thttps://kayra.example.com, current\ntest\thttp://127.0.0.1:1\n" + words,
		"context use p":                                  "prod\thttps://kayra.example.com, current\n" + words,
		"context use prod '":                             words,
		"get -o j":                                       "json\ta document\njsonpath=\twhat a JSON path finds\njsonpath-file=\tlikewise, of a file\n" + words,
		"get -o g":                                       "go-template=\ta template of Go\ngo-template-file=\tlikewise, of a file\n" + nospace,
		"get catalog namespaces --field-selector a":      "active=\n" + nospace,
		"get catalog namespaces --field-selector '":      "active=\nname=\n" + nospace,
		"get catalog subscriptions --field-selector sta": "state=\n" + nospace,
		"get catalog subscriptions --field-selector state=error,synced!=t":   "state=error,synced!=true\n" + nospace,
		"get catalog subscriptions --field-selector api=d":                   "api=dns.example.com\tpaused, canary of sre, inactive\n" + nospace,
		"get catalog subscriptions --field-selector namespace=s":             "namespace=sre\tactive\n" + nospace,
		"get catalog subscriptions --field-selector state=error,reason=step": "state=error,reason=step_failed\n" + nospace,
		"get catalog subscriptions --field-selector state=":                  "state=init\nstate=success\nstate=error\n" + nospace,
		"get catalog subscriptions --field-selector message=":                nothing,
		"sync compute --expect-sync-id '":                                    "build:7\twhere compute.example.com is now\n" + words,
		"sync compute --canary sre,s":                                        "sre,sre-b\terror, step failed\n" + nospace,
		"sync compute --canary sre,":                                         "sre,sre-b\terror, step failed\nsre,young\tinit\n" + nospace,
		"rollout start compute --canary '":                                   subscribers + nospace,
		"sync nosuch --canary '":                                             nothing,
		"get catalog namespaces --sort-by '":                                 "active\nname\n" + words,
		"get --color n":                                                      "never\n" + words,
		"delete --dry-run c":                                                 "client\tshows what would be sent\n" + words,
		"why -o '":                                                           "json\ta document\nyaml\ta document\n" + words,
		"get --limit '":                                                      words,
		"get --server '":                                                     words,
		"create -f '":                                                        files,
		"create -d '":                                                        words,
		"get --token-file '":                                                 files,
		"get --config '":                                                     files,
		"get --config /no/such catalog namespaces '":                         words,
		"get --token-file - catalog namespaces '":                            words,
		"get --token-file /no/such catalog namespaces '":                     words,
		"get --context nosuch catalog namespaces '":                          words,
		"completion '":                                                       "bash\nzsh\nfish\npowershell\n" + words,
		"completion bash '":                                                  words,
		"version '":                                                          words,
		"serve '":                                                            words,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if got := tab(t, env, line); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// Who may not read the registrations is told which APIs there are.
func TestCompletionForTenants(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	if got, want := tab(t, at(s.URL), "why '"), "compute.example.com\tcompute\nyoung.example.com\n:4\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := tab(t, at(s.URL), "why compute -n '"); got != ":4\n" {
		t.Errorf("namespaces: %q", got)
	}
}

// A server that refuses, answers nonsense, or is not there leads to silence.
func TestCompletionInSilence(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, h := range map[string]http.HandlerFunc{
		"refuses":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"fails":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"nonsense": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"nothing":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") },
		"is gone":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := gone.URL
			if h != nil {
				s := httptest.NewServer(h)
				t.Cleanup(s.Close)
				url = s.URL
			}
			for _, line := range []string{"get '", "get catalog '", "get catalog namespaces '", "why '", "why compute -n '", "check catalog '"} {
				if got := tab(t, append(at(url), "XDG_CACHE_HOME="+t.TempDir()), line); got != ":4\n" {
					t.Errorf("%s: %q", line, got)
				}
			}
		})
	}
}

// A server that hangs is waited for once, and then left alone for as long as an answer would be remembered.
func TestCompletionDoesNotWait(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	env := append(at(s.URL), "XDG_CACHE_HOME="+t.TempDir(), "KAYRA_CLIENT_TIMEOUT=10m")
	for range 3 {
		began := time.Now()
		if got := tab(t, env, "get '"); got != ":4\n" {
			t.Errorf("got %q", got)
		}
		if took := time.Since(began); took > patience { // one second is promised; this is no clock
			t.Errorf("it took %s", took)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the server was asked %d times", n)
	}
}

// Who takes a connection and never answers is waited for within the second that is promised, all in all. A machine that is busy
// may need several tries.
func TestCompletionWithinASecond(t *testing.T) {
	t.Parallel()
	address := silence(t)
	for _, url := range []string{"http://" + address, "https://" + address} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			for began := time.Now(); ; {
				try := time.Now()
				if got := tab(t, append(at(url), "XDG_CACHE_HOME="+t.TempDir(), "KAYRA_CLIENT_TIMEOUT=10m"), "get catalog subscriptions '"); got != ":4\n" {
					t.Fatalf("got %q", got)
				}
				took := time.Since(try)
				if took < time.Second {
					return
				}
				if time.Since(began) > patience {
					t.Fatalf("it takes %s", took)
				}
			}
		})
	}
}

// What a server has answered is remembered for 10 seconds, for each context and each source of a token, without the token.
func TestCompletionRemembers(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		if r.URL.Path == "/apis" {
			_, _ = io.WriteString(w, groups)
			return
		}
		_, _ = fmt.Fprintf(w, `{"items":[{"name":"n%d"}]}`, n)
	}))
	t.Cleanup(s.Close)
	cache := t.TempDir()
	h := newHome(t)
	h.store(t, "contexts:\n- {name: a, server: '"+s.URL+"', token: secret-of-a}\n- {name: b, server: '"+s.URL+"', token: secret-of-b}\n")
	now := time.Now()
	ask := func(line string, env ...string) string {
		var out strings.Builder
		cli.Run(t.Context(), cli.Process{
			Args: append([]string{"kayra", "__complete"}, append(strings.Fields(line), "")...), Environ: append(append(h.env, "HOME=/nonexistent", "XDG_CACHE_HOME="+cache), env...),
			Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: io.Discard}, Now: func() time.Time { return now },
		})
		return strings.TrimSuffix(out.String(), "\n:4\n")
	}
	for i, c := range []struct {
		later         time.Duration
		line, env, is string
	}{
		{0, "get --context a catalog namespaces", "", "n2"},
		{9 * time.Second, "get --context a catalog namespaces", "", "n2"},
		{0, "get --context b catalog namespaces", "", "n4"},
		{0, "get --context a --token-file /dev/null catalog namespaces", "", ":4"},
		{0, "get --server " + s.URL + " catalog namespaces", "KAYRA_CLIENT_TOKEN=secret-of-the-environment", "n6"},
		{2 * time.Second, "get --context a catalog namespaces", "", "n8"},
	} {
		now = now.Add(c.later)
		if got := strings.TrimSpace(ask(c.line, c.env)); got != c.is {
			t.Errorf("%d: %s: %q, want %q", i, c.line, got, c.is)
		}
	}
	file := filepath.Join(cache, "kayra", "completion.json")
	content, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(content), "secret") || !strings.Contains(string(content), "n8") {
		t.Errorf("the file has %s (%v)", content, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v (%v)", info.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ask("get --context a catalog namespaces"); got != "n10" {
		t.Errorf("with a broken file: %q", got)
	}
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"completion": "which shell?", "completion tcsh": `there is no script for "tcsh"`, "completion bash zsh": `"zsh" is one more`,
	} {
		got := run(t, nil, "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != 2 || !strings.Contains(got.err, want) || !strings.Contains(got.err, "bash, zsh, fish, powershell") {
			t.Errorf("%s: got %d %q", line, got.code, got.err)
		}
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		with := run(t, nil, "", "kayra", "completion", shell)
		without := run(t, nil, "", "kayra", "completion", shell, "--no-descriptions")
		if with.code != 0 || without.code != 0 || strings.Contains(with.out, "__completeNoDesc") || !strings.Contains(without.out, "__completeNoDesc") {
			t.Errorf("%s: exit codes %d and %d", shell, with.code, without.code)
		}
	}
}

func TestCompletionOfCommands(t *testing.T) {
	t.Parallel()
	if got := tab(t, nil, "comp"); !strings.HasPrefix(got, "completion\t") {
		t.Errorf("got %q", got)
	}
	got := run(t, nil, "", "kayra-cli", "__complete", "")
	if strings.Contains(got.out, "\nserve\t") || !strings.Contains(got.out, "whoami") {
		t.Errorf("of the client: %q", got.out)
	}
}
