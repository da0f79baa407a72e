package server_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/server"
	"kayra/server/auth"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

// authenticator is a function that authenticates.
type authenticator func(ctx context.Context, token string) (auth.Identity, error)

func (f authenticator) Authenticate(ctx context.Context, token string) (auth.Identity, error) {
	return f(ctx, token)
}

func TestSystem(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	for path, want := range map[string]string{
		"/-/healthz":  `{"status":"ok"}`,
		"/-/readyz":   `{"status":"ok"}`,
		"/-/metadata": `{"name":"kayra","version":"v0","domain":"example.com","platform":"sandbox","region":"eu-west-1"}`,
	} {
		if a := l.want(http.StatusOK, "GET", path, nil, "Authorization", ""); string(a.raw) != want+"\n" {
			t.Errorf("%s: %s", path, a.raw)
		}
	}
	if a := l.want(http.StatusOK, "HEAD", regs, nil); len(a.raw) != 0 || a.header.Get("Content-Length") == "" {
		t.Errorf("HEAD: %q, %v", a.raw, a.header)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	others := prometheus.NewCounter(prometheus.CounterOpts{Name: "others_total"})
	registry.MustRegister(others)
	l := newLab(t, openLocal(t), func(o *server.Options) { o.Registry = registry })
	l.world()
	l.want(http.StatusOK, "GET", regs+"/"+compute, nil)
	l.want(http.StatusNotFound, "GET", regs+"/no.example.com", nil)
	l.want(http.StatusNotFound, "GET", "/wp-login.php", nil)
	l.want(http.StatusMethodNotAllowed, "BREW", regs, nil)
	text := l.metrics(
		`kayra_http_requests_total{code="200",method="GET",route="`+regs+`/{name}"} 1`,
		`kayra_http_requests_total{code="404",method="GET",route="`+regs+`/{name}"} 1`,
		`kayra_http_requests_total{code="404",method="other",route="none"} 1`,
		`kayra_http_requests_total{code="405",method="other",route="none"} 1`,
		`kayra_http_request_duration_seconds_count{method="GET",route="`+regs+`/{name}"} 2`,
		"others_total 0",
	)
	for line := range strings.Lines(text) {
		for _, never := range []string{compute, "no.example.com", "wp-login", "BREW"} {
			if figure := strings.HasPrefix(line, "kayra_gateway_") && never == compute; strings.Contains(line, never) && !figure {
				t.Errorf("a label has %q, which a client chose: %s", never, line)
			}
		}
	}
	if _, err := server.New(server.Options{Repository: l.repository, Authenticator: tokens(t), Policy: l.policy, Registry: registry}); err == nil {
		t.Error("two servers share a registry")
	}
}

// metrics waits until all of them are there: a request is counted once it is answered.
func (l *lab) metrics(want ...string) string {
	l.t.Helper()
	var text string
	l.eventually(func() bool {
		text = string(l.want(http.StatusOK, "GET", "/-/metrics", nil).raw)
		return !slices.ContainsFunc(want, func(line string) bool { return !strings.Contains(text, line) })
	})
	return text
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	given := l.want(http.StatusOK, "GET", "/-/healthz", nil, "X-Request-Id", "abc-1.2:3_4").header.Get("X-Request-Id")
	if given != "abc-1.2:3_4" {
		t.Errorf("a decent id was answered as %q", given)
	}
	seen := map[string]bool{}
	for _, strange := range []string{"", "a b", "é", strings.Repeat("x", 129), `"`} {
		id := l.want(http.StatusOK, "GET", "/-/healthz", nil, "X-Request-Id", strange).header.Get("X-Request-Id")
		if id == "" || id == strange || seen[id] {
			t.Errorf("%q was answered as %q", strange, id)
		}
		seen[id] = true
	}
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world()
	at := regs + "/" + compute
	for _, good := range []string{"", "application/json", "application/json; charset=utf-8", "Application/JSON; charset=UTF-8", "application/merge-patch+json"} {
		l.want(http.StatusOK, "PUT", at, `{}`, "Content-Type", good)
	}
	for _, bad := range []string{
		"text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/yaml",
		"json", ";",
	} {
		l.want(http.StatusUnsupportedMediaType, "PUT", at, `{}`, "Content-Type", bad)
	}
	l.want(http.StatusOK, "PUT", at, `{}`, "Content-Encoding", "identity")
	l.want(http.StatusUnsupportedMediaType, "PUT", at, "\x1f\x8b", "Content-Encoding", "gzip")
	l.want(http.StatusNoContent, "DELETE", at, "ignored", "Content-Type", "text/plain")
}

func TestFailures(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	l := newLab(t, openLocal(t), func(o *server.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		o.Authenticator = authenticator(func(_ context.Context, token string) (auth.Identity, error) {
			if token == "panic" {
				panic("the secret plan")
			}
			return auth.Identity{}, errors.New("the secret plan")
		})
	})
	for _, token := range []string{"panic", "fail"} {
		a := l.want(http.StatusInternalServerError, "GET", regs, nil, "Authorization", "Bearer "+token, "X-Request-Id", "id-of-"+token)
		if strings.Contains(string(a.raw), "secret") || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("the client is told too much: %s", a.raw)
		}
	}
	l.close()
	text := log.String()
	for _, want := range []string{"the secret plan", "id-of-panic", "id-of-fail", "route=" + regs, "status=500", "duration=", "stack="} {
		if !strings.Contains(text, want) {
			t.Errorf("the log has no %q: %s", want, text)
		}
	}
}

func TestLogHasNoToken(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	l := newLab(t, openLocal(t), func(o *server.Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	l.world()
	l.want(http.StatusForbidden, "GET", regs, nil, "Authorization", "Bearer "+annToken)
	l.want(http.StatusUnauthorized, "GET", regs, nil, "Authorization", "Bearer wrong-token")
	l.close()
	if found := regexp.MustCompile(`\w+-token`).FindString(log.String()); found != "" {
		t.Errorf("the log has %s", found)
	}
}

func TestStoreAway(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Start(t)
	s, err := etcd.Open(t.Context(), etcd.Options{Endpoints: cluster.Endpoints(), Prefix: cluster.Prefix(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	l := newLab(t, s)
	l.world()
	cluster.Stop()
	for method, path := range map[string]string{"GET": regs + "/" + compute, "PUT": regs + "/" + compute + "/sync"} {
		a := l.want(http.StatusServiceUnavailable, method, path, `{}`)
		if a.header.Get("Retry-After") == "" || a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %v", method, a.header)
		}
		if strings.Contains(string(a.raw), "whether a write") != (method == "PUT") {
			t.Errorf("%s: %s", method, a.raw)
		}
	}
	l.want(http.StatusServiceUnavailable, "GET", "/-/readyz", nil)
	l.want(http.StatusOK, "GET", "/-/healthz", nil)
	cluster.Restart(t)
	l.eventually(func() bool { return l.call("GET", "/-/readyz", nil).status == http.StatusOK })
	l.registration()
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), func(o *server.Options) {
		o.Ready = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	})
	l.want(http.StatusServiceUnavailable, "GET", "/-/readyz", nil)
}

func TestMissingOptions(t *testing.T) {
	t.Parallel()
	if _, err := server.New(server.Options{}); err == nil {
		t.Error("made of nothing")
	}
}
