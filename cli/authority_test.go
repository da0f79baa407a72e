package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kayra/server/api"
)

// authority is a server that takes any token for the name of a user, except for one that is "wrong". It lets check pass for
// the verb get alone, and gives what it was asked as its reason.
func authority(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(authorize())
	t.Cleanup(s.Close)
	return s
}

func authorize() http.Handler {
	const path = "/apis/authorization.corp.example/v1/"
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Replace(groups, `{"apis":[`, `{"apis":[{"name":"authorization.corp.example","short_name":"authorization",
			"builtin":true,"resources":[{"name":"roles","namespaced":false,"verbs":["get"]}]},`, 1))
	})
	mux.HandleFunc("GET "+path+"whoami", func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, api.Caller{User: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), Groups: []string{"tenants", "ops"}})
	})
	mux.HandleFunc("POST "+path+"check", func(w http.ResponseWriter, r *http.Request) {
		var asked api.Check
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &asked)
		writeJSON(w, api.Decision{Allowed: asked.Verb == "get", Reason: strings.TrimSpace(string(body))})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"status":409,"detail":"no: `+r.Method+`"}`)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := r.Header.Get("Authorization"); token == "" || token == "Bearer wrong" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"status":401,"detail":"nobody has this token"}`)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// home is a user's folder: the environment that says where it is, and the file of the contexts in it.
type home struct {
	env  []string
	file string
}

func newHome(t *testing.T) home {
	t.Helper()
	dir := t.TempDir()
	return home{env: []string{"XDG_CONFIG_HOME=" + dir}, file: filepath.Join(dir, "kayra", "contexts.yaml")}
}

// store writes the file of the contexts.
func (h home) store(t *testing.T, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (h home) content(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(h.file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(content)
}

// run runs a command line, given as one text, with more of an environment.
func (h home) run(t *testing.T, in, line string, env ...string) result {
	t.Helper()
	return run(t, append(h.env, env...), in, append([]string{"kayra"}, strings.Fields(line)...)...)
}
