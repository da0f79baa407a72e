package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// queried keeps the queries of requests.
type queried struct {
	mu      sync.Mutex
	queries []string
}

func (a *queried) note(r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	query, _ := url.QueryUnescape(r.URL.RawQuery)
	a.queries = append(a.queries, query)
}

// listing answers a list in pages of two, with what was asked noted.
func listing(t *testing.T, a *queried, items ...string) *httptest.Server {
	t.Helper()
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		a.note(r)
		from, next := 0, ""
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		to := min(from+2, len(items))
		if to < len(items) {
			next = strconv.Itoa(to)
		}
		_, _ = fmt.Fprintf(w, `{"items":[%s],"continue":%q}`, strings.Join(items[from:to], ","), next)
	})
}

func subscription(namespace, state string, synced bool) string {
	return fmt.Sprintf(`{"api":"a.b","namespace":%q,"state":%q,"synced":%v,"updated_at":"2026-01-0%dT00:00:00Z"}`, namespace, state, synced, len(namespace))
}

func TestSortAndSelect(t *testing.T) {
	t.Parallel()
	items := []string{
		subscription("ns10", "error", false), subscription("ns2", "success", true), subscription("b", "error", true),
		subscription("a", "init", false), subscription("ns1", "error", false),
	}
	const names = " -o custom-columns=N:.namespace --no-headers"
	for line, c := range map[string]struct{ out, sent, told string }{
		"catalog subscriptions":                                               {"ns10 ns2 b a ns1", "", ""},
		"catalog subscriptions --sort-by namespace":                           {"a b ns1 ns2 ns10", "", ""},
		"catalog subscriptions --sort-by -NAMESPACE":                          {"ns10 ns2 ns1 b a", "", ""},
		"catalog subscriptions --sort-by {.updated_at}":                       {"b a ns2 ns1 ns10", "", ""},
		"catalog subscriptions --sort-by state --limit 2":                     {"ns10 b", "", "there are more than 2"},
		"catalog subscriptions --limit 2":                                     {"ns10 ns2", "limit=2", "there are more than 2"},
		"catalog subscriptions --field-selector state=error":                  {"ns10 ns2 b a ns1", "state=error", ""}, // the server has not done it
		"catalog subscriptions --field-selector namespace!=b,state!=error":    {"ns2 a", "", ""},
		"catalog subscriptions --field-selector synced=true,namespace=b":      {"b", "synced=true", ""},
		"catalog -n x subscriptions --field-selector state=error,synced=true": {"b", "", ""},
		"catalog -n x subscriptions --field-selector state=error --limit 2":   {"ns10 b", "", "there are more than 2"},
		"catalog -n x subscriptions --field-selector state=error --limit 3":   {"ns10 b ns1", "", ""},
		"catalog subscriptions --field-selector message=x":                    {"", "", "none of them has the key"},
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			a := &queried{}
			s := listing(t, a, items...)
			got := run(t, at(s.URL), "", append([]string{"kayra", "get"}, strings.Fields(line+names)...)...)
			if out := strings.Join(strings.Fields(got.out), " "); got.code != 0 || out != c.out {
				t.Errorf("got %d %q %q, want %q", got.code, out, got.err, c.out)
			}
			if a.queries[0] != c.sent {
				t.Errorf("sent %q, want %q", a.queries[0], c.sent)
			}
			if (c.told == "") != (got.err == "") || !strings.Contains(got.err, c.told) {
				t.Errorf("told %q, want %q", got.err, c.told)
			}
		})
	}
}

// A key that none of them can have is refused before anything is asked for.
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"subscriptions --field-selector stat=error":         "did you mean state?",
		"subscriptions --field-selector state=error,foo=1":  `names the key "foo", and subscriptions have none of that name`,
		"subscriptions --field-selector state=eror":         `"eror" for state`,
		"-n sre subscriptions --field-selector state!=eror": "one of init, success, error",
		"-n sre subscriptions --field-selector synced=yes":  "one of true, false",
		"subscriptions --field-selector reason=queud":       `"queud" for reason`,
		"subscriptions --field-selector api=compute":        `the API "compute"`,
		"apiregistrations --field-selector paused=maybe":    `"maybe" for paused`,
		"namespaces --sort-by namee":                        "did you mean name?",
		"namespaces --sort-by .nosuch":                      "they have active, name",
		"subscriptions --sort-by {.nosuch} --watch":         "none of that name",
	} {
		a := &queried{}
		s := listing(t, a)
		got := run(t, at(s.URL), "", append([]string{"kayra", "get", "catalog"}, strings.Fields(line)...)...)
		if got.code != 2 || !strings.Contains(got.err, want) || len(a.queries) > 0 {
			t.Errorf("%s: got %d %q after %v, want %q", line, got.code, got.err, a.queries, want)
		}
	}
}

// In every format it is the same things in the same order, and the rest of the document stays as it is.
func TestSortedDocuments(t *testing.T) {
	t.Parallel()
	const status = `{"name":"a.b","sync_id":"s","n":1.50,"subscriptions":[{"namespace":"b","state":"error"},{"namespace":"a","state":"error","x":"<é>"},{"namespace":"c","state":"init"}]}`
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, status) })
	line := "kayra get catalog apiregistrations a.b/status --sort-by namespace --field-selector state=error -o "
	for format, want := range map[string]string{
		"json":                                   `{ "name": "a.b", "sync_id": "s", "n": 1.50, "subscriptions": [ { "namespace": "a", "state": "error", "x": "<é>" }, { "namespace": "b", "state": "error" } ] }`,
		"jsonpath={.subscriptions[*].namespace}": "a b",
		"table":                                  "NAMESPACE STATE SYNCED REASON CURRENT TARGET a error - - - s b error - - - s",
	} {
		got := run(t, at(s.URL), "", strings.Fields(line+format)...)
		if out := strings.Join(strings.Fields(got.out), " "); got.code != 0 || out != want {
			t.Errorf("%s: got %d %q %q, want %q", format, got.code, out, got.err, want)
		}
	}
}

// What an app answers is sorted and selected, too.
func TestSortAndSelectBehindTheGateway(t *testing.T) {
	t.Parallel()
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery != "" {
			t.Errorf("the app was sent %q", r.URL.RawQuery)
		}
		_, _ = fmt.Fprint(w, `{"items":[{"name":"m10","spec":{"cores":4}},{"name":"m9","spec":{"cores":16}},{"name":"m1","spec":{"cores":2}}]}`)
	}))
	t.Cleanup(gateway.Close)
	s := answering(t, http.NotFound)
	env := append(at(s.URL), "KAYRA_RECONCILER_GATEWAY_URL="+gateway.URL)
	for line, want := range map[string]string{
		"--sort-by spec.cores":                    "m1 m10 m9",
		"--sort-by -name":                         "m10 m9 m1",
		"--field-selector spec.cores!=4,name!=m1": "m9",
		"--field-selector state=error":            "",
	} {
		got := run(t, env, "", append(strings.Fields("kayra get compute -n sre machines -o jsonpath={.items[*].name}"), strings.Fields(line)...)...)
		if got.code != 0 || got.out != want {
			t.Errorf("%s: got %d %q %q, want %q", line, got.code, got.out, got.err, want)
		}
	}
}
