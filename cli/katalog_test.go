package cli_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"kayra/reconciler/katalog"
	"kayra/server/auth/oidctest"
	"kayra/store/catalog"
	"kayra/store/local"
	"kayra/tlsfiles/tlstest"
)

// asked is a reconciler that is asked how it is doing.
type asked struct {
	url   string
	trust *tls.Config
	stop  func() result
}

// startAsked starts a reconciler with more in its configuration, and waits until it has made itself known.
func startAsked(t *testing.T, more string, trust *tls.Config) *asked {
	t.Helper()
	dir := t.TempDir()
	path, config := filepath.Join(dir, "k.db"), filepath.Join(dir, "kayra.yaml")
	text := fmt.Sprintf("platform: p\nregion: r\nlog: {level: debug}\ndatabase: {local: {path: %q}}\n%s", path, more)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := local.Open(t.Context(), local.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan result, 1)
	go func() {
		ended <- runContext(ctx, nil, "", "kayra", "reconciler", "--config", config, "--listen", "127.0.0.1:0")
	}()
	a := &asked{trust: trust, stop: func() result {
		cancel()
		r := <-ended
		ended <- r
		return r
	}}
	t.Cleanup(func() { a.stop() })
	repo := catalog.NewRepository(s, catalog.Scope{Platform: "p", Region: "r"})
	for a.url == "" {
		alive, err := repo.Reconcilers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(alive) > 0 {
			a.url = alive[0].Endpoint
			break
		}
		select {
		case r := <-ended:
			ended <- r
			t.Fatalf("ended: %+v", r)
		case <-time.After(5 * time.Millisecond):
		}
	}
	return a
}

// answered is what somebody was answered.
type answered struct {
	status int
	header http.Header
	body   string
}

func (a *asked) get(t *testing.T, path, authorization string) answered {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, a.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: a.trust, DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close() //nolint:errcheck // only read from
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{res.StatusCode, res.Header, string(body)}
}

// Whoever is a sysadmin of the REST API may ask a reconciler, with and without TLS, and nobody else.
func TestWhoMayAskAReconciler(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		t.Run(fmt.Sprintf("TLS %t", secure), func(t *testing.T) {
			t.Parallel()
			key := oidctest.NewKey(t, "one", jose.ES256)
			issuer := oidctest.Start(t, key)
			more := fmt.Sprintf(`auth:
  tokens:
    - {user: root, groups: [sysadmin], token: token-of-root}
    - {user: ann, groups: [tenants], token: token-of-ann}
  oidc: {issuer: %q, audience: %q}
reconciler: {server: {url: "https://u:hunter2@kayra.example.com"}`, issuer.URL, oidctest.Audience)
			var trust *tls.Config
			if secure {
				ca := tlstest.New(t, "ca")
				cert, file := ca.Issue(tlstest.Leaf{Name: "kayra's"}).Write(t, t.TempDir(), "pair")
				more += fmt.Sprintf(", tls: {cert_file: %q, key_file: %q}", cert, file)
				trust = &tls.Config{RootCAs: ca.Pool(), MinVersion: tls.VersionTLS12}
			}
			a := startAsked(t, more+"}\n", trust)
			if scheme := map[bool]string{true: "https://", false: "http://"}[secure]; !strings.HasPrefix(a.url, scheme) {
				t.Fatalf("it is at %s", a.url)
			}
			admin, other := issuer.Token(key, map[string]any{"groups": []string{"sysadmin"}}), issuer.Token(key, nil)
			for _, c := range []struct {
				authorization, challenge string
				status                   int
			}{
				{"", `Bearer realm="kayra"`, 401},
				{"Basic cm9vdDpyb290", `Bearer realm="kayra"`, 401},
				{"Bearer token-of-nobody", `Bearer realm="kayra", error="invalid_token"`, 401},
				{"Bearer " + admin[:len(admin)-30], `Bearer realm="kayra", error="invalid_token"`, 401},
				{"Bearer token-of-ann", "", 403},
				{"Bearer " + other, "", 403},
				{"Bearer token-of-root", "", 200},
				{"Bearer " + admin, "", 200},
			} {
				for _, path := range []string{"/katalog", "/katalog/raw"} {
					a.check(t, path, c.authorization, c.challenge, c.status)
				}
			}
			a.check(t, "/katalog/none.example.com/cr", "Bearer token-of-ann", "", http.StatusForbidden)
			a.check(t, "/katalog/none.example.com/cr", "Bearer token-of-root", "", http.StatusNotFound)
			a.tells(t)
			if r := a.stop(); r.code != 0 || strings.Contains(r.err, "hunter2") || strings.Contains(r.err, "token-of") {
				t.Errorf("its end: %d, %s", r.code, r.err)
			}
		})
	}
}

func (a *asked) check(t *testing.T, path, authorization, challenge string, status int) {
	t.Helper()
	got := a.get(t, path, authorization)
	media := map[bool]string{true: "application/json", false: "application/problem+json"}[status == http.StatusOK]
	asks := got.header.Get("WWW-Authenticate")
	if got.status != status || got.header.Get("Content-Type") != media || !strings.HasPrefix(asks, challenge) || challenge == "" && asks != "" {
		t.Errorf("%s with %.20q: %+v", path, authorization, got)
	}
}

// tells checks what it says of itself, and that it asks nobody who asks what is open.
func (a *asked) tells(t *testing.T) {
	t.Helper()
	body := a.get(t, "/katalog", "Bearer token-of-root").body
	var k katalog.KatalogResponse
	if err := json.Unmarshal([]byte(body), &k); err != nil || k.Name != "kayra" || k.Version == "" || k.ClusterName != "p/r" ||
		k.GatewayEndpoint != "https://kayra.example.com" || k.CRDs == nil {
		t.Errorf("%v: %s", err, body)
	}
	for _, path := range []string{"/-/healthz", "/-/readyz", "/-/metrics"} {
		if got := a.get(t, path, ""); got.status != http.StatusOK {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

// A reconciler that nobody can ask says so, and runs.
func TestReconcilerThatNobodyMayAsk(t *testing.T) {
	t.Parallel()
	a := startAsked(t, "", nil)
	a.check(t, "/katalog", "", `Bearer realm="kayra"`, http.StatusUnauthorized)
	if r := a.stop(); !strings.Contains(r.err, "nobody can ask the reconciler") {
		t.Errorf("it does not say so: %s", r.err)
	}
}
