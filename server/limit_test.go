package server_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/server"
)

func limited(perSecond int) func(*server.Options) {
	return func(o *server.Options) {
		o.RateLimit = perSecond
		o.Registry = prometheus.NewRegistry()
	}
}

// exhaust sends until it is too much.
func (l *lab) exhaust(token string) answer {
	l.t.Helper()
	var a answer
	l.eventually(func() bool {
		a = l.call("GET", "/apis", nil, "Authorization", token)
		return a.status == http.StatusTooManyRequests
	})
	return a
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), limited(1))
	a := l.exhaust("Bearer " + rootToken)
	if a.header.Get("Retry-After") != "1" || a.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%v", a.header)
	}
	detail := fmt.Sprint(a.body["detail"])
	if !strings.Contains(detail, "1 requests per second") || !strings.Contains(detail, "wait") {
		t.Errorf("detail: %s", detail)
	}
	l.eventually(func() bool { return l.call("GET", "/apis", nil).status == http.StatusOK })
	for range 20 { // no gate, no limit
		l.want(http.StatusOK, "GET", "/-/healthz", nil)
		l.want(http.StatusOK, "GET", "/-/readyz", nil, "Authorization", "Bearer wrong")
	}
	l.metrics(`kayra_rate_limited_requests_total{caller="user"}`, `kayra_rate_limited_requests_total{caller="address"} 0`,
		`kayra_authentications_total{result="accepted"}`, `kayra_authentications_total{result="refused"} 0`)
}

// Neither a user nor someone unknown can use up what is another's, though all of them come from one address.
func TestRateLimitIsEachCallersOwn(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), limited(1))
	l.exhaust("Bearer wrong")
	l.want(http.StatusOK, "GET", "/apis", nil)
	l.exhaust("Bearer " + rootToken)
	l.want(http.StatusOK, "GET", "/apis", nil, "Authorization", "Bearer "+annToken)
	anonymous := l.exhaust("")
	if detail := fmt.Sprint(anonymous.body["detail"]); !strings.Contains(detail, "your address") {
		t.Errorf("detail: %s", detail)
	}
}

func TestNoRateLimit(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	for range 100 {
		l.want(http.StatusOK, "GET", "/apis", nil)
		l.want(http.StatusUnauthorized, "GET", "/apis", nil, "Authorization", "")
	}
}

// An address is what a client has as its own.
func TestRateLimitOfNetworks(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), limited(1))
	from := func(remote string) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/apis", nil)
		r.RemoteAddr = remote
		w := httptest.NewRecorder()
		l.handler.ServeHTTP(w, r)
		return w.Code
	}
	for _, remotes := range [][]string{
		{"192.0.2.1:1", "192.0.2.1:2", "[::ffff:192.0.2.1]:3"},
		{"[2001:db8::1]:1", "[2001:db8::2]:1", "[2001:db8:0:0:ffff::]:1"},
		{"[fe80::1%eth0]:1", "[fe80::1%eth1]:1"},
		{"@"},
	} {
		if status := from(remotes[0]); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", remotes[0], status)
		}
		n := 0
		l.eventually(func() bool {
			n++
			return from(remotes[n%len(remotes)]) == http.StatusTooManyRequests
		})
	}
	for _, other := range []string{"192.0.2.2:1", "[2001:db8:0:1::1]:1"} {
		if status := from(other); status != http.StatusUnauthorized {
			t.Errorf("%s: %d", other, status)
		}
	}
}

// However many callers there are, and whatever they ask for, there are no more series.
func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	l := newLab(t, openLocal(t), limited(1_000_000), func(o *server.Options) { o.Registry = registry })
	send := func(method, path, token string) {
		body := bytes.NewReader([]byte(`{"name":"` + token + `"}`))
		r := httptest.NewRequestWithContext(t.Context(), method, path, body)
		r.RemoteAddr = token + ":1"
		r.Header.Set("Authorization", "Bearer "+token)
		l.handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	round := func(name string) {
		for _, path := range []string{"/" + name, "/apis/" + name, "/-/" + name, regs + "/" + name + ".com", spaces + "/" + name + "/subscriptions"} {
			send(http.MethodGet, path, rootToken)
			send(http.MethodGet, path, name)
		}
		send(http.MethodPost, spaces, rootToken)
		send("M"+strings.ToUpper(name), "/apis", name)
		send(http.MethodPut, regs+"/"+name+".com/sync", annToken)
	}
	round("first")
	round("second") // what is there already is refused
	before := count(t, registry)
	for i := range 100 {
		round(fmt.Sprintf("x%d", i))
	}
	if after := count(t, registry); after != before {
		t.Errorf("%d series, %d before", after, before)
	}
}

func count(t *testing.T, registry *prometheus.Registry) int {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range families {
		n += len(f.GetMetric())
	}
	return n
}
