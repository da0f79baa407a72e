package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"kayra/store/etcd/etcdtest"
	"kayra/tlsfiles/tlstest"
)

// TestScripts runs every script on a local store. Under the race detector it runs those in which much happens at once; what the
// others start, one after another, is started by these, too.
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if etcdtest.Racing {
		files = nil
		for _, name := range []string{"demo", "dev", "rollout", "signals", "start", "watch"} {
			files = append(files, filepath.Join("testdata", "script", name+".txtar"))
		}
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds:  commands(),
		Setup: func(e *testscript.Env) error { return setUp(e, "backend: local\n  local: {path: kayra.db}") },
	})
}

// TestScriptsOnEtcd runs those that are about what the store does for its users on etcd.
func TestScriptsOnEtcd(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	script := filepath.Join("testdata", "script")
	files := []string{filepath.Join("testdata", "etcd", "fleet.txtar")}
	if !etcdtest.Racing {
		files = append(files, filepath.Join(script, "registrations.txtar"), filepath.Join(script, "subscriptions.txtar"))
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds:  commands(),
		Setup: func(e *testscript.Env) error {
			return setUp(e, fmt.Sprintf("backend: etcd\n  etcd: {endpoints: [%q], prefix: %s, lease_ttl: 2s}", server.Endpoints()[0], server.Prefix(t)))
		},
	})
}

// TestScriptsFromOneStoreToTheOther runs processes on a local store and on its copy on etcd, and back.
func TestScriptsFromOneStoreToTheOther(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "etcd", "copy.txtar")},
		Cmds:  commands(),
		Setup: func(e *testscript.Env) error {
			endpoint := server.Endpoints()[0]
			e.Setenv("ETCD", endpoint)
			return setUp(e, fmt.Sprintf("local: {path: kayra.db}\n  etcd: {endpoints: [%q], prefix: %s, lease_ttl: 2s}", endpoint, server.Prefix(t)))
		},
	})
}

// TestScriptsOnGuardedEtcd runs processes on an etcd that wants a certificate and a password, and soon forgets whom it knows.
func TestScriptsOnGuardedEtcd(t *testing.T) {
	t.Parallel()
	ca := tlstest.New(t, "ca")
	server := etcdtest.Start(t, etcdtest.Guarded(ca))
	dir := filepath.Join("testdata", "etcd")
	files := []string{filepath.Join(dir, "guarded.txtar")}
	if !etcdtest.Racing {
		files = append(files, filepath.Join(dir, "fleet.txtar"))
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds:  commands(),
		Setup: func(e *testscript.Env) error {
			tlstest.Write(t, e.WorkDir, "etcd-ca.pem", ca.PEM())
			tlstest.Write(t, e.WorkDir, "password", []byte(etcdtest.Password+"\n"))
			ca.Issue(tlstest.Leaf{Name: "kayra's"}).Write(t, e.WorkDir, "etcd-client")
			return setUp(e, fmt.Sprintf("backend: etcd\n  etcd: {endpoints: [%q], prefix: %s, lease_ttl: 2s, username: %s, password_file: password, "+
				"ca_file: etcd-ca.pem, cert_file: etcd-client.crt, key_file: etcd-client.key}", server.Endpoints()[0], server.Prefix(t), etcdtest.User))
		},
	})
}

// setUp gives a script a configuration and, beside the processes that it starts, an app behind a gateway.
func setUp(e *testscript.Env, database string) error {
	gateway := httptest.NewServer(stub())
	e.Defer(gateway.Close)
	e.Setenv("GATEWAY", gateway.URL)
	e.Setenv("TOKEN", "root-token")
	e.Setenv("GORACE", "atexit_sleep_ms=0") // a program that was built to find races would linger for a second
	e.Setenv("KAYRA_CONFIG", filepath.Join(e.WorkDir, "kayra.yaml"))
	text := fmt.Sprintf(configuration, database, gateway.URL)
	if err := os.WriteFile(filepath.Join(e.WorkDir, "kayra.yaml"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return nil
}

const configuration = `domain: example.com
platform: sandbox
region: eu-west-1
log: {level: info, format: json}
server: {listen: "127.0.0.1:0"}
database:
  %[1]s
auth:
  tokens:
    - {user: root, groups: [sysadmin], token: root-token}
    - {user: ann, groups: [tenants], token: ann-token}
reconciler:
  listen: "127.0.0.1:0"
  gateway_url: "%[2]s"
  default_mode: api
  wait_poll_interval: 20ms
  drain_timeout: 2s
  mode:
    api:
      - method: post
        endpoint: "%[2]s/apis/{{ .Subscription.Api }}/v1/namespaces/{{ .Subscription.Namespace }}/sync"
        data: {sync_id: "{{ .Subscription.ExpectedSyncID }}"}
      - method: get
        endpoint: "%[2]s/apis/{{ .Subscription.Api }}/v1/namespaces/{{ .Subscription.Namespace }}/sync/{{ .Subscription.ExpectedSyncID }}"
        wait: [{key: .status, successes: [done], failures: [failed]}]
        timeout: 20s
client: {token: root-token}
`

// stub is a gateway with an app behind it for any name. The app serves machines, and finishes a sync at once, but never one
// of the namespace stuck; PUT and DELETE of /-/fails/NS have those of a namespace fail, and succeed again.
func stub() http.Handler {
	mux := http.NewServeMux()
	var fails sync.Map
	mux.HandleFunc("PUT /-/fails/{ns}", func(_ http.ResponseWriter, r *http.Request) { fails.Store(r.PathValue("ns"), true) })
	mux.HandleFunc("DELETE /-/fails/{ns}", func(_ http.ResponseWriter, r *http.Request) { fails.Delete(r.PathValue("ns")) })
	mux.HandleFunc("GET /apis/{api}/-/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		path := "/apis/" + r.PathValue("api") + "/v1/namespaces/{namespace}/machines"
		writeJSON(w, map[string]any{"openapi": "3.0.3", "paths": map[string]any{
			path: map[string]any{"get": map[string]any{}, "post": map[string]any{}}, path + "/{name}/restart": map[string]any{"post": map[string]any{}},
		}})
	})
	mux.HandleFunc("POST /apis/{api}/v1/namespaces/{ns}/sync", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices that a client has gone once it has read everything
		if r.PathValue("ns") == "stuck" {
			<-r.Context().Done()
		}
		writeJSON(w, map[string]any{})
	})
	mux.HandleFunc("GET /apis/{api}/v1/namespaces/{ns}/sync/{id}", func(w http.ResponseWriter, r *http.Request) {
		status := "done"
		if _, fail := fails.Load(r.PathValue("ns")); fail {
			status = "failed"
		}
		writeJSON(w, map[string]any{"status": status})
	})
	mux.HandleFunc("GET /apis/{api}/v1/namespaces/{ns}/machines", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"items": []any{map[string]any{"name": r.PathValue("ns") + "-1", "token": r.Header.Get("Authorization")}}})
	})
	mux.HandleFunc("GET /apis/{api}/v1/namespaces/{ns}/machines/{name}", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"name": r.PathValue("name"), "cores": 4, "disks": []any{map[string]any{"gb": 20}}})
	})
	mux.HandleFunc("POST /apis/{api}/v1/namespaces/{ns}/machines/{name}/restart", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, map[string]any{"name": r.PathValue("name"), "restarted": true})
	})
	return mux
}

func writeJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
