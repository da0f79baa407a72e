package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"kayra/store"
	"kayra/store/etcd/etcdtest"
	"kayra/store/local"
)

// TestAPlanWritesNothing makes plans of all kinds, for a deployment with a secret in every place that can hold one: the
// store stays as it was, and no secret shows.
func TestAPlanWritesNothing(t *testing.T) {
	t.Parallel()
	if etcdtest.Racing {
		t.Skip("one command after another is run")
	}
	f := newFortress(t)
	path := filepath.Join(f.dir, "kayra.db")
	f.build(fmt.Sprintf("{backend: local, local: {path: %q}}", path))
	serve := f.start("json", "serve")
	f.env = append(f.env, "KAYRA_CLIENT_SERVER="+serve.address)
	catalog := serve.address + "/apis/catalog.example.com/v1"
	f.want(http.StatusCreated, "POST", catalog+"/namespaces", `{"name": "sre"}`)
	for mode := range f.modes() {
		f.want(http.StatusCreated, "POST", catalog+"/apiregistrations", fmt.Sprintf(`{"name": "%s.example.com", "mode": %q}`, mode, mode))
		f.want(http.StatusCreated, "POST", catalog+"/namespaces/sre/subscriptions", fmt.Sprintf(`{"api": "%s.example.com"}`, mode))
	}
	s, err := local.Open(t.Context(), local.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only read from
	before, err := s.List(t.Context(), "", store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sent := 0
	for mode, steps := range f.modes() {
		name := mode + ".example.com"
		for file, code := range map[string]int{
			fmt.Sprintf("name: %s\nsync_id: next\n", name):                                                                       0,
			fmt.Sprintf(`{"name": %q, "owner": "x", "operator": {"workers": 3}}`, name):                                          0,
			fmt.Sprintf(`{"name": "new-%s", "mode": %q, "depends_on": [{"name": %q, "condition": "synced"}]}`, name, mode, name): 0,
			fmt.Sprintf(`{"name": %q, "depends_on": [{"name": %q}]}`, name, name):                                                5,
			fmt.Sprintf(`{"name": %q, "sync_id": ".."}`, name):                                                                   1,
		} {
			for _, format := range []string{"", "json", "yaml"} {
				args := []string{"kayra", "plan", "-f", "-"}
				if format != "" {
					args = append(args, "-o", format)
				}
				got := run(t, f.env, file, args...)
				if got.code != code {
					t.Errorf("%s: exit code %d, want %d; %s", file, got.code, code, got.err)
				}
				f.search(t, fmt.Sprintf("plan -o %q of %s", format, file), got.out+got.err)
				if format == "json" && code == 0 {
					sent += checkRequests(t, got.out, strings.Count(steps, "method:"))
				}
			}
		}
	}
	if sent == 0 {
		t.Error("no request was shown, so nothing was proved of them")
	}
	after, err := s.List(t.Context(), "", store.ListOptions{})
	if err != nil || after.Revision != before.Revision || len(after.Entries) != len(before.Entries) {
		t.Errorf("the store is at revision %d after the plans, and was at %d: %v", after.Revision, before.Revision, err)
	}
	serve.end()
	f.search(t, "the server's log", serve.log.String())
}

// checkRequests counts the requests that a plan shows: all of the mode's, or none where nobody is due.
func checkRequests(t *testing.T, text string, steps int) int {
	t.Helper()
	var p struct {
		Action    string
		Reconcile struct{ Due []struct{ Namespace string } }
		Requests  struct {
			Namespace string
			Steps     []struct{ Method, URL, Problem string }
		}
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	want := steps
	if p.Action == "create" {
		want = 0
	}
	if len(p.Requests.Steps) != want || len(p.Reconcile.Due) != min(want, 1) {
		t.Errorf("%d requests for %+v, and %d steps are configured", len(p.Requests.Steps), p.Reconcile.Due, want)
	}
	for _, s := range p.Requests.Steps {
		if s.Problem != "" && !strings.Contains(s.Problem, "there is no .Previous.Outputs.Gone") {
			t.Errorf("%s %s: %s", s.Method, s.URL, s.Problem)
		}
	}
	return len(p.Requests.Steps)
}
