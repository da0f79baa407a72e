package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"kayra/server"
	"kayra/server/auth"
	"kayra/server/katalog"
	"kayra/server/rbac"
	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/local"
)

const (
	base      = "/apis/catalog.example.com/v1"
	regs      = base + "/apiregistrations"
	spaces    = base + "/namespaces"
	access    = "/apis/authorization.example.com/v1"
	compute   = "compute.example.com"
	rootToken = "root-token"
	annToken  = "ann-token"
)

// lab is a server on a real store, spoken to over HTTP.
type lab struct {
	t          testing.TB
	url        string
	handler    http.Handler
	http       *http.Client
	store      store.Store
	repository *catalog.Repository
	policy     *rbac.Policy
	server     *server.Server
	lent       store.Session
	close      func() // returns when every request has been logged
}

// onBoth runs a test on each backend.
func onBoth(t *testing.T, test func(*lab)) {
	t.Helper()
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		test(newLab(t, openLocal(t)))
	})
	t.Run("etcd", func(t *testing.T) {
		t.Parallel()
		test(newLab(t, openEtcd(t)))
	})
}

func openLocal(tb testing.TB) store.Store {
	tb.Helper()
	s, err := local.Open(tb.Context(), local.Options{Path: filepath.Join(tb.TempDir(), "kayra.db")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func openEtcd(tb testing.TB) store.Store {
	tb.Helper()
	srv := cluster.Server(tb)
	s, err := etcd.Open(tb.Context(), etcd.Options{Endpoints: srv.Endpoints(), Prefix: srv.Prefix(tb), RequestTimeout: time.Minute})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

func newLab(tb testing.TB, s store.Store, change ...func(*server.Options)) *lab {
	tb.Helper()
	repository := catalog.NewRepository(s, catalog.Scope{Platform: "sandbox", Region: "eu-west-1"})
	figures := katalog.New(repository.Scope(), nil)
	hub := startHub(tb, repository)
	policy := startPolicy(tb, s, 0, figures, hub)
	if err := policy.Wait(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	options := server.Options{
		Repository: repository, Authenticator: tokens(tb), Sysadmins: sysadmins(), Policy: policy,
		Domain: "example.com", Version: "v0", Katalog: figures, Watch: hub,
	}
	for _, c := range change {
		c(&options)
	}
	srv, err := server.New(options)
	if err != nil {
		tb.Fatal(err)
	}
	h := httptest.NewServer(srv.Handler())
	tb.Cleanup(h.Close)
	return &lab{
		t: tb, url: h.URL, handler: srv.Handler(), http: h.Client(), store: s, repository: repository, policy: policy, server: srv, close: h.Close,
	}
}

// startHub has a hub that runs until the end of the test.
func startHub(tb testing.TB, r *catalog.Repository) *watch.Hub {
	tb.Helper()
	h := watch.New(watch.Options{Repository: r, Pace: 50 * time.Millisecond})
	ctx, stop := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	tb.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			tb.Errorf("hub: %v", err)
		}
	})
	return h
}

// startPolicy has a policy that follows the store until the end of the test, and has others follow it, too. most is how old
// what it knows may be.
func startPolicy(tb testing.TB, s store.Store, most time.Duration, also ...store.Follower) *rbac.Policy {
	tb.Helper()
	p := rbac.New(rbac.Options{Scope: catalog.Scope{Platform: "sandbox", Region: "eu-west-1"}, MaxAge: most, Also: also})
	ctx, stop := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, s) }()
	tb.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			tb.Errorf("policy: %v", err)
		}
	})
	return p
}

func tokens(tb testing.TB) *auth.Tokens {
	tb.Helper()
	list, err := auth.NewTokens([]auth.Token{
		{Identity: auth.Identity{User: "root", Groups: []string{"sysadmin"}}, Digest: auth.DigestOf(rootToken)},
		{Identity: auth.Identity{User: "ann", Groups: []string{"tenants"}}, Digest: auth.DigestOf(annToken)},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return list
}

// answer is what the server said.
type answer struct {
	status int
	header http.Header
	raw    []byte
	body   map[string]any
}

// call sends a request as root. body is nil, text, or what is to be encoded as JSON.
func (l *lab) call(method, path string, body any, headers ...string) answer {
	l.t.Helper()
	a, err := l.try(l.t.Context(), method, path, body, headers...)
	if err != nil {
		l.t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func (l *lab) try(ctx context.Context, method, path string, body any, headers ...string) (answer, error) {
	var data io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		data = bytes.NewReader([]byte(b))
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			return answer{}, err
		}
		data = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(ctx, method, l.url+path, data)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+rootToken)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Del(headers[i])
		if headers[i+1] != "" {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := l.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	a := answer{status: res.StatusCode, header: res.Header}
	if a.raw, err = io.ReadAll(res.Body); err != nil {
		return answer{}, err
	}
	_ = json.Unmarshal(a.raw, &a.body)
	return a, nil
}

// want calls and insists on the status.
func (l *lab) want(status int, method, path string, body any, headers ...string) answer {
	l.t.Helper()
	a := l.call(method, path, body, headers...)
	if a.status != status {
		l.t.Fatalf("%s %s %v: status %d, want %d: %s", method, path, body, a.status, status, a.raw)
	}
	return a
}

// eventually asks until it is so.
func (l *lab) eventually(is func() bool) {
	l.t.Helper()
	for end := time.Now().Add(time.Minute); !is(); {
		if time.Now().After(end) {
			l.t.Fatal("it did not become so within a minute")
		}
	}
}

// world has compute.example.com, the namespaces, and their subscriptions to it.
func (l *lab) world(namespaces ...string) {
	l.t.Helper()
	l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com","short_name":"compute","owner":"sre-a"}`)
	l.want(http.StatusCreated, "POST", access+"/roles", `{"name":"viewer"}`)
	l.want(http.StatusCreated, "POST", access+"/rolebindings", `{"name":"viewers","role":"viewer"}`)
	for _, ns := range namespaces {
		l.want(http.StatusCreated, "POST", spaces, map[string]any{"name": ns})
		l.want(http.StatusCreated, "POST", spaces+"/"+ns+"/subscriptions", map[string]any{"api": compute})
	}
}

func (l *lab) registration() map[string]any {
	l.t.Helper()
	return l.want(http.StatusOK, "GET", regs+"/"+compute, nil).body
}

func sysadmins() auth.Sysadmins { return auth.Sysadmins{Groups: []string{"sysadmin"}} }
