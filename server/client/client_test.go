package client_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kayra/server"
	"kayra/server/api"
	"kayra/server/auth"
	"kayra/server/client"
	"kayra/server/rbac"
	"kayra/store/catalog"
	"kayra/store/local"
	"kayra/tlsfiles"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	regs  = "/apis/catalog.example.com/v1/apiregistrations"
	token = "secret-token"
)

func connect(t *testing.T, o client.Options) *client.Client {
	t.Helper()
	c, err := client.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// answering is a server that is not Kayra.
func answering(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func kayra(t *testing.T) http.Handler {
	t.Helper()
	s, err := local.Open(t.Context(), local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	tokens, err := auth.NewTokens([]auth.Token{
		{Identity: auth.Identity{User: "root"}, Digest: auth.DigestOf(token)},
		{Identity: auth.Identity{User: "ann"}, Digest: auth.DigestOf("ann-token")},
	})
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
	return srv.Handler()
}

func TestDo(t *testing.T) {
	t.Parallel()
	url := answering(t, kayra(t).ServeHTTP)
	c := connect(t, client.Options{URL: url + "/", Token: token, Timeout: time.Minute})
	a, err := c.Do(t.Context(), "POST", regs, []byte(`{"name":"compute.example.com"}`))
	if err != nil || a.Status != http.StatusCreated || a.Header.Get("ETag") == "" || !json.Valid(a.Body) {
		t.Fatalf("POST: %+v, %v", a, err)
	}
	for _, r := range []struct {
		method, path, body string
		kind               error
		says               string
	}{
		{"GET", regs + "/no.example.com", "", catalog.ErrNotFound, "no.example.com"},
		{"GET", "/nowhere", "", catalog.ErrNotFound, "/-/openapi.json"},
		{"POST", regs, `{"name":"compute.example.com"}`, catalog.ErrConflict, "exists"},
		{"PUT", regs + "/compute.example.com", `{"active":1}`, catalog.ErrInvalid, "/active is a number"},
		{"PATCH", regs, `{}`, catalog.ErrInvalid, "method"},
	} {
		var body []byte
		if r.body != "" {
			body = []byte(r.body)
		}
		_, err := c.Do(t.Context(), r.method, r.path, body)
		if !errors.Is(err, r.kind) || !strings.Contains(err.Error(), r.says) {
			t.Errorf("%s %s: %v, want %v that says %q", r.method, r.path, err, r.kind, r.says)
		}
	}
	if a, err = c.Do(t.Context(), "DELETE", regs+"/compute.example.com", nil); err != nil || a.Status != http.StatusNoContent {
		t.Errorf("DELETE: %+v, %v", a, err)
	}
	for _, other := range []string{"", "wrong", "ann-token"} {
		_, err := connect(t, client.Options{URL: url, Token: other}).Do(t.Context(), "GET", regs, nil)
		if !errors.Is(err, client.ErrUnauthorized) {
			t.Errorf("token %q: %v", other, err)
		}
	}
}

// What is wrong with a field is said once, by whichever part of the problem says it.
func TestErrorText(t *testing.T) {
	t.Parallel()
	fields := []api.FieldError{{Pointer: "/a", Detail: "is wrong"}, {Pointer: "/b", Detail: "is, too"}}
	for detail, want := range map[string]string{
		"refused":                             "refused: /a is wrong; /b is, too",
		"refused: /a is wrong; and 1 more":    "refused: /a is wrong; and 1 more: /b is, too",
		"refused: /a is wrong; /b is, too":    "refused: /a is wrong; /b is, too",
		"refused without a word about either": "refused without a word about either: /a is wrong; /b is, too",
	} {
		err := &client.Error{Problem: api.Problem{Detail: detail, Errors: fields}}
		if got := err.Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Where the fault is the server's, the message has what its log can be searched for.
func TestRequestIDs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status   int
		id, says string
	}{
		{500, "abc-1", "sorry (request id abc-1)"},
		{503, "abc-1", "sorry (request id abc-1)"},
		{500, "", "sorry"},
		{500, strings.Repeat("x", 129), "sorry"},
		{500, "a b", "sorry"},
		{500, "é", "sorry"},
		{404, "abc-1", "sorry"},
		{429, "abc-1", "sorry"},
	} {
		url := answering(t, func(w http.ResponseWriter, r *http.Request) {
			if sent := r.Header.Get("X-Request-Id"); sent != "" {
				t.Errorf("the client sends %q", sent)
			}
			w.Header()["X-Request-Id"] = []string{c.id}
			w.WriteHeader(c.status)
			_ = json.NewEncoder(w).Encode(api.Problem{Status: c.status, Detail: "sorry"})
		})
		_, err := connect(t, client.Options{URL: url}).Do(t.Context(), http.MethodGet, "/", nil)
		if err == nil || err.Error() != c.says {
			t.Errorf("%d %q: %v", c.status, c.id, err)
		}
	}
}

func TestStrangeAnswers(t *testing.T) {
	t.Parallel()
	url := answering(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gateway":
			w.WriteHeader(http.StatusBadGateway)
			_, _ = w.Write([]byte("<html>"))
		case "/redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/precondition":
			w.WriteHeader(http.StatusPreconditionFailed)
		case "/lie":
			w.WriteHeader(http.StatusConflict)
			_, _ = w.Write([]byte(`{"status":404,"detail":"x"}`))
		case "/teapot":
			w.WriteHeader(http.StatusTeapot)
		default:
			t.Errorf("unexpected request for %s", r.URL)
		}
	})
	c := connect(t, client.Options{URL: url, Token: token})
	for path, kind := range map[string]error{
		"/gateway": client.ErrUnreachable, "/precondition": catalog.ErrPrecondition, "/lie": catalog.ErrConflict, "/redirect": nil, "/teapot": nil,
	} {
		_, err := c.Do(t.Context(), "GET", path, nil)
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Detail == "" || kind != nil && !errors.Is(err, kind) {
			t.Errorf("%s: %v", path, err)
		}
		if path == "/redirect" && !strings.Contains(err.Error(), "/elsewhere") {
			t.Errorf("where to is not said: %v", err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	for _, url := range []string{s.URL, "http://no-such-host.invalid:1"} {
		c := connect(t, client.Options{URL: url, Token: token, Timeout: time.Minute})
		_, err := c.Do(t.Context(), "GET", "/apis?x=secret-query", nil)
		if !errors.Is(err, client.ErrUnreachable) || !strings.Contains(err.Error(), url) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v", err)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	url := answering(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	_, err := connect(t, client.Options{URL: url, Timeout: 20 * time.Millisecond}).Do(t.Context(), "GET", "/", nil)
	if !errors.Is(err, client.ErrTimeout) || !strings.Contains(err.Error(), url) {
		t.Errorf("timeout: %v", err)
	}
	c := connect(t, client.Options{URL: url})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := c.Do(ctx, "GET", "/", nil); !errors.Is(err, client.ErrTimeout) {
		t.Errorf("deadline: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := c.Do(ctx, "GET", "/", nil); !errors.Is(err, context.Canceled) || errors.Is(err, client.ErrUnreachable) {
		t.Errorf("cancelled: %v", err)
	}
}

// That a write may have happened is said of writes, and only where it may: not where nothing was sent.
func TestWhatMayHaveHappened(t *testing.T) {
	t.Parallel()
	const unknown = "whether a write has happened is not known"
	breaks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}))
	t.Cleanup(breaks.Close)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then it is noticed that the client has gone
		<-r.Context().Done()
	}))
	t.Cleanup(hangs.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for url, want := range map[string]bool{breaks.URL: true, hangs.URL: true, gone.URL: false} {
		c, err := client.New(client.Options{URL: url, Timeout: 100 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		for _, method := range []string{"GET", "PUT", "POST", "PATCH", "DELETE"} {
			_, err := c.Do(t.Context(), method, "/", []byte("{}"))
			if err == nil || strings.Contains(err.Error(), unknown) != (want && method != "GET") {
				t.Errorf("%s of %s: %v", method, url, err)
			}
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(kayra(t))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(ca, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := connect(t, client.Options{URL: s.URL, Token: token, TLS: tlsfiles.Client{CAFile: ca}}).Do(t.Context(), "GET", regs, nil); err != nil {
		t.Errorf("with the CA: %v", err)
	}
	_, err := connect(t, client.Options{URL: s.URL, Token: token}).Do(t.Context(), "GET", regs, nil)
	if !errors.Is(err, client.ErrUnreachable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the CA: %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	opened := make(chan struct{}, 1000)
	s := httptest.NewUnstartedServer(kayra(t))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened <- struct{}{}
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := connect(t, client.Options{URL: s.URL, Token: token})
	failed := make(chan error, 30)
	for range cap(failed) {
		go func() {
			var err error
			for i := 0; i < 20 && err == nil; i++ {
				_, err = c.Do(t.Context(), "GET", regs, nil)
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	if n := len(opened); n > 60 {
		t.Errorf("600 requests of 30 goroutines opened %d connections", n)
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	urls := []string{
		"", "localhost:8080", "ftp://x", "http://", "http://user:secret@x", "http://x?secret=1", "http://x#secret", "http://[secret",
	}
	bad := []client.Options{{URL: "http://x", TLS: tlsfiles.Client{CAFile: empty}}, {URL: "http://x", TLS: tlsfiles.Client{CAFile: empty + "-not"}}}
	for _, url := range urls {
		bad = append(bad, client.Options{URL: url})
	}
	for _, o := range bad {
		_, err := client.New(o)
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
