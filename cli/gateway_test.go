package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestRegisteredAppsAreBehindTheGateway(t *testing.T) {
	t.Parallel()
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"name":"m","asked":"%s %s"}`, r.Method, r.URL.EscapedPath())
	}))
	t.Cleanup(gateway.Close)
	s := answering(t, http.NotFound)
	env := append(at(s.URL), "KAYRA_RECONCILER_GATEWAY_URL="+gateway.URL+"/base")
	got := run(t, env, "", "kayra", "create", "compute", "-n", "sre", "machines", "m%2/restart", "-d", "{}", "-o", "json")
	if got.code != 0 || !strings.Contains(got.out, "POST /base/apis/compute.example.com/v1/namespaces/sre/machines/m%252/restart") {
		t.Errorf("got %d %q %q", got.code, got.out, got.err)
	}
	got = run(t, at(s.URL), "", "kayra", "get", "compute", "-n", "sre", "machines")
	if got.code != 1 || !strings.Contains(got.err, "reconciler.gateway_url is not set") {
		t.Errorf("without a gateway: got %d %q", got.code, got.err)
	}
}

// TestFailuresBehindTheGateway: it is not Kayra that has refused, or that is away.
func TestFailuresBehindTheGateway(t *testing.T) {
	t.Parallel()
	gateway := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(gateway.Close)
	s := answering(t, http.NotFound)
	for url, want := range map[string]result{
		gateway.URL: {code: 4, err: "hint: compute.example.com was asked, behind reconciler.gateway_url: GET " + gateway.URL +
			"/apis/compute.example.com/v1/machines\n"},
		"http://127.0.0.1:1": {code: 6, err: "hint: reconciler.gateway_url in kayra.yaml or KAYRA_RECONCILER_GATEWAY_URL says where the gateway is\n"},
	} {
		got := run(t, append(at(s.URL), "KAYRA_RECONCILER_GATEWAY_URL="+url), "", "kayra", "get", "compute", "machines")
		if got.code != want.code || !strings.HasSuffix(got.err, want.err) {
			t.Errorf("%s: got %d %q, want %d %q", url, got.code, got.err, want.code, want.err)
		}
	}
}
