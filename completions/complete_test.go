//go:build !windows && !race

package completions_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/server"
	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store/catalog"
	"kayra/store/local"
)

// serve serves Kayra's API with a few things in it.
func serve(t *testing.T) string {
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
	srv, err := server.New(server.Options{
		Repository:    catalog.NewRepository(s, catalog.Scope{Platform: "p", Region: "r"}),
		Authenticator: tokens, Sysadmins: auth.Sysadmins{Users: []string{"root"}}, Policy: rbac.New(rbac.Options{}),
	})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(srv.Handler())
	t.Cleanup(h.Close)
	const catalogV1, authorizationV1 = "/apis/catalog.example.com/v1/", "/apis/authorization.example.com/v1/"
	for _, thing := range [][2]string{
		{catalogV1 + "apiregistrations", `{"name": "compute.example.com", "short_name": "compute", "owner": "ops"}`},
		{catalogV1 + "apiregistrations", `{"name": "network.example.com", "short_name": "net", "owner": "ops", "paused": true}`},
		{catalogV1 + "namespaces", `{"name": "sre"}`},
		{catalogV1 + "namespaces", `{"name": "been"}`},
		{catalogV1 + "namespaces", `{"name": "beta"}`},
		{catalogV1 + "namespaces/sre/subscriptions", `{"api": "compute.example.com"}`},
		{catalogV1 + "namespaces/been/subscriptions", `{"api": "compute.example.com"}`},
		{authorizationV1 + "roles", `{"name": "team:a:reader", "rules": [{"apis": ["*"], "resources": ["*"], "verbs": ["get"]}]}`},
		{authorizationV1 + "roles", `{"name": "team:a:runner", "rules": [{"apis": ["*"], "resources": ["*"], "verbs": ["get"]}]}`},
	} {
		post(t, h.URL+thing[0], thing[1])
	}
	return h.URL
}

func post(t *testing.T, url, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer root-token")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s: %s", url, body, answer.Status)
	}
}

// contextsFile has names that a shell takes for more than a name, beside others.
const contextsFile = `current: prod
contexts:
- {name: prod, server: "http://127.0.0.1:1"}
- {name: "p$(touch$IFS$HOME/broken)1", server: "http://127.0.0.1:1"}
- {name: "p$(touch$IFS$HOME/broken)2", server: "http://127.0.0.1:1"}
- {name: "p(touch$IFS$HOME/broken)1", server: "http://127.0.0.1:1"}
- {name: "p;touch$IFS$HOME/broken;", server: "http://127.0.0.1:1"}
- {name: "host:8443", server: "http://127.0.0.1:1"}
- {name: "host:9443", server: "http://127.0.0.1:1"}
- {name: "böse@example.com", server: "http://127.0.0.1:1"}
`

// lines are typed, and become what stands behind them.
var lines = [][2]string{
	{"kayra comple\t", "<kayra><completion>"},
	{"kayra-cli serv\twho\t", "<kayra-cli><servwho>"}, // is no client's
	{"kayra get cat\tapir\tcomp\t", "<kayra><get><catalog><apiregistrations><compute.example.com>"},
	{"kayra get catalog apiregistrations compute.example.com/st\t", "<kayra><get><catalog><apiregistrations><compute.example.com/status>"},
	{"kayra why compute --namespace=be\t", "<kayra><why><compute><--namespace=been>"}, // beta does not subscribe
	{"kayra get authorization roles te\tunn\t", "<kayra><get><authorization><roles><team:a:runner>"},
	{"kayra-cli whoami --context ho\t9\t", "<kayra-cli><whoami><--context><host:9443>"},
	{"kayra whoami --context b\t", "<kayra><whoami><--context><böse@example.com>"},
	{"kayra whoami --context p\t", "<kayra><whoami><--context><prod>"},
	{"kayra sync compute --canary s\t,\t", "<kayra><sync><compute><--canary><sre,been>"},
	{"kayra get catalog subscriptions --field-selector state!=error,syn\tt\t", "<kayra><get><catalog><subscriptions><--field-selector><state!=error,synced=true>"},
	{"kayra get catalog apiregistrations --sort-by regi\t", "<kayra><get><catalog><apiregistrations><--sort-by><region>"},
	{"kayra whoami --conf\tsett\t", "<kayra><whoami><--config><settings.yaml>"},
	{"kayra get catalog namespaces --limit s\t", "<kayra><get><catalog><namespaces><--limit><s>"}, // is no file
}

// Each line is typed in a real shell, at a real server.
func TestShells(t *testing.T) {
	t.Parallel()
	url := serve(t)
	for _, k := range kinds() {
		t.Run(k.program, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "kayra"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "kayra", "contexts.yaml"), []byte(contextsFile), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "settings.yaml"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s := start(t, k, dir, "KAYRA_CLIENT_SERVER="+url, "KAYRA_CLIENT_TOKEN=root-token")
			for _, c := range lines {
				if got := s.line(c[0]); !strings.HasSuffix(got, c[1]) {
					t.Errorf("%q becomes %q, want %q", c[0], got, c[1])
				}
			}
			s.list("kayra why compute -n \t", "been", "init", "sre")
			if _, err := os.Stat(filepath.Join(dir, "broken")); err == nil {
				t.Error("a context's name was run as a command")
			}
		})
	}
}
