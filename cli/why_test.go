package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"kayra/cli"
	"kayra/store/catalog"
	"kayra/store/local"
)

// A token goes to a reconciler over HTTPS, or within this machine, and a context's only if it was lent for that.
func TestWhomATokenIsShown(t *testing.T) {
	t.Parallel()
	const here, there = "http://localhost:8080", "https://kayra.example.com"
	for _, c := range []struct {
		server, endpoint string
		want             bool
	}{
		{here, "http://127.0.0.1:8081", true},
		{here, "http://[::1]:8081", true},
		{here, "https://localhost:8081", true},
		{there, "https://r1.example.com:8081", true},
		{there, "http://r1.example.com:8081", false},
		{there, "http://127.0.0.1:8081", false}, // which is another machine's, and here somebody else's
		{there, "https://localhost:8081", false},
		{here, "https://r1.example.com:8081", false},
		{here, "http://10.0.0.1:8081", false},
		{there, "https://us:er@r1.example.com", false},
		{there, "r1.example.com:8081", false},
		{there, "https://", false},
		{there, "", false},
		{there, "https://%zz", false},
		{"https://%zz", "https://r1.example.com", false},
	} {
		for _, lent := range []bool{false, true} {
			if err := cli.MayAsk(c.server, c.endpoint, lent, lent); (err == nil) != c.want {
				t.Errorf("%s of %s, lent %t: %v", c.endpoint, c.server, lent, err)
			}
		}
		err := cli.MayAsk(c.server, c.endpoint, true, false)
		if err == nil || c.want && !strings.Contains(err.Error(), "`kayra login --context prod --reconcilers`") {
			t.Errorf("%s of %s gets a context's token: %v", c.endpoint, c.server, err)
		}
	}
}

// A sysadmin is told what reconcilers know beyond the server: the one that knows most, and the events of all. Those that do
// not answer, or answer what they should not, are done without.
func TestWhyAsksReconcilers(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	serve := w.start("json", "serve")
	w.env = append(w.env, "KAYRA_CLIENT_SERVER="+serve.address)
	base := serve.address + "/apis/catalog.example.com/v1"
	w.want(http.StatusCreated, "POST", base+"/namespaces", `{"name": "sre"}`)
	w.want(http.StatusCreated, "POST", base+"/apiregistrations", `{"name": "compute.example.com", "sync_id": "v1"}`)
	w.want(http.StatusCreated, "POST", base+"/namespaces/sre/subscriptions", `{"api": "compute.example.com"}`)
	var asked atomic.Int32
	answers := func(message, event string) http.HandlerFunc {
		return func(rw http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			if r.Header.Get("Authorization") != "Bearer "+w.root {
				t.Errorf("asked with %q", r.Header.Get("Authorization"))
			}
			switch r.URL.Path {
			case "/katalog/compute.example.com/cr/sre":
				_, _ = fmt.Fprintf(rw, `{"readyReason": "queued", "readyMessage": %q, "status": {"expected_sync_id": "v1"}}`, message)
			case "/katalog/compute.example.com/cr/sre/events":
				_, _ = fmt.Fprintf(rw, `{"events": [%s]}`, event)
			default:
				t.Errorf("asked for %s", r.URL)
			}
		}
	}
	w.alive(
		answers("waiting for a reconciler", `{"reason": "Later", "message": "m", "count": 2, "lastSeen": "2026-11-30T03:09:00Z"}`),
		answers("waiting for a slot: it is number 3 of 9 jobs", `{"reason": "Sooner", "message": "m", "count": 1, "lastSeen": "2026-11-30T03:08:00Z"}`),
		func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound) },
		func(rw http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(rw, "no JSON") },
	)
	got := run(t, w.env, "", "kayra", "why", "compute.example.com", "-n", "sre", "--timeout", "1h") // which none of them is waited for
	for _, part := range []string{"\n  queue         BLOCKS  waiting for a slot: it is number 3 of 9 jobs\n", "as reconciler r1 knows it:\n  2026-11-30T03:09:00Z  Later, 2 times: m\n  2026-11-30T03:08:00Z  Sooner: m\n"} {
		if got.code != 1 || !strings.Contains(got.out, part) {
			t.Errorf("no %q in %+v", part, got)
		}
	}
	if asked.Load() != 4 {
		t.Errorf("asked %d times", asked.Load())
	}
	w.search(t, "why", got.out+got.err)

	env := append(slices.Clone(w.env), "XDG_CONFIG_HOME="+w.dir, "KAYRA_CONFIG="+tlsless(t, w.dir))
	if got := run(t, env, w.root+"\n", "kayra", "login", "--server", serve.address); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	got = run(t, env, "", "kayra", "why", "compute.example.com", "-n", "sre")
	if got.code != 1 || !strings.Contains(got.out, "waiting for its turn") || asked.Load() != 4 {
		t.Errorf("with a context's token %+v, asked %d times", got, asked.Load())
	}
	if got := run(t, env, w.root+"\n", "kayra", "login", "--reconcilers"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	got = run(t, env, "", "kayra", "why", "compute.example.com", "-n", "sre")
	if got.code != 1 || !strings.Contains(got.out, "it is number 3 of 9 jobs") || asked.Load() != 8 {
		t.Errorf("with a context's token that was lent %+v, asked %d times", got, asked.Load())
	}
}

// tlsless is a configuration without anything.
func tlsless(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "none.yaml")
	if err := os.WriteFile(path, []byte("platform: sandbox\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// alive announces reconcilers that answer so.
func (w *ward) alive(answers ...http.HandlerFunc) {
	w.t.Helper()
	s, err := local.Open(w.t.Context(), local.Options{Path: filepath.Join(w.dir, "kayra.db")})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = s.Close() })
	session, err := s.NewSession(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	repo := catalog.NewRepository(s, catalog.Scope{Platform: "sandbox", Region: "eu-west-1"})
	for i, answer := range answers {
		srv := httptest.NewServer(answer)
		w.t.Cleanup(srv.Close)
		if err := repo.Announce(w.t.Context(), catalog.Reconciler{ID: fmt.Sprintf("r%d", i), Endpoint: srv.URL}, session.ID()); err != nil {
			w.t.Fatal(err)
		}
	}
}
