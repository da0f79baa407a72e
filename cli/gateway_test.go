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
		gateway.URL: {code: 4, err: "kayra: compute.example.com, which is behind the gateway, answered 404 Not Found without a reason\n" +
			"hint: all namespaces were asked for: name one with -n NAMESPACE; this was GET " + gateway.URL + "/apis/compute.example.com/v1/machines\n"},
		"http://127.0.0.1:1": {code: 6, err: "hint: reconciler.gateway_url in kayra.yaml or KAYRA_RECONCILER_GATEWAY_URL says where the gateway is\n"},
	} {
		got := run(t, append(at(s.URL), "KAYRA_RECONCILER_GATEWAY_URL="+url), "", "kayra", "get", "compute", "machines")
		if got.code != want.code || !strings.HasSuffix(got.err, want.err) {
			t.Errorf("%s: got %d %q, want %d %q", url, got.code, got.err, want.code, want.err)
		}
	}
}

// What an app answers is the app's, also where a namespace was named, and its own reason stands.
func TestWhatAnAppAnswers(t *testing.T) {
	t.Parallel()
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.WriteHeader(http.StatusForbidden)
			_, _ = fmt.Fprint(w, `{"status":403,"detail":"not yours"}`)
			return
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
	}))
	t.Cleanup(gateway.Close)
	s := answering(t, http.NotFound)
	was := " /apis/compute.example.com/v1/namespaces/sre/machines/a\n"
	for line, want := range map[string]result{
		"delete compute -n sre machines a": {1, "", "kayra: compute.example.com, which is behind the gateway, answered 405 Method Not Allowed without a reason\n" +
			"hint: compute.example.com was asked, behind reconciler.gateway_url: DELETE" + was},
		"get compute -n sre machines a": {3, "", "kayra: not yours\nhint: compute.example.com was asked, behind reconciler.gateway_url: GET" + was},
		"get compute machines":          {3, "", "kayra: not yours\nhint: all namespaces were asked for: name one with -n NAMESPACE; this was GET /apis/compute.example.com/v1/machines\n"},
	} {
		got := run(t, append(at(s.URL), "KAYRA_RECONCILER_GATEWAY_URL="+gateway.URL), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.err = strings.ReplaceAll(got.err, gateway.URL, ""); got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", line, got, want)
		}
	}
}

// Who may not list what is in all namespaces may be allowed to in one.
func TestARefusalOfAllNamespacesHintsAtOne(t *testing.T) {
	t.Parallel()
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		_, _ = fmt.Fprint(w, `{"status":403,"detail":"you may not"}`)
	})
	for line, want := range map[string]string{
		"get catalog subscriptions":        "hint: all namespaces were asked for: name one with -n NAMESPACE\n",
		"get catalog subscriptions -A":     "hint: all namespaces were asked for: name one with -n NAMESPACE\n",
		"get catalog subscriptions -n sre": "", "get catalog namespaces": "",
	} {
		got := run(t, at(s.URL), "", append([]string{"kayra"}, strings.Fields(line)...)...)
		if got.code != 3 || got.err != "kayra: you may not\n"+want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}
