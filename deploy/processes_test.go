package deploy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// patience is how long a test waits for what has to happen.
const patience = time.Minute

// process is a server or a reconciler that runs.
type process struct {
	url string
	log *lockedBuffer
}

// lockedBuffer is what a process writes, to be read meanwhile.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t *testing.T, dir, name string, env ...string) *process {
	t.Helper()
	p := &process{log: &lockedBuffer{}}
	cmd := exec.CommandContext(t.Context(), "kayra", name)
	cmd.Dir, cmd.Stderr = dir, p.log
	cmd.Env = append([]string{"HOME=" + dir, "GORACE=atexit_sleep_ms=0"}, env...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	until(t, name+" listens", func() bool {
		for line := range strings.Lines(p.log.String()) {
			var said struct{ Address string }
			if json.Unmarshal([]byte(line), &said) == nil && said.Address != "" {
				p.url = "http://" + strings.TrimPrefix(said.Address, "http://")
			}
		}
		return p.url != ""
	}, p.log.String)
	return p
}

func until(t *testing.T, what string, done func() bool, more func() string) {
	t.Helper()
	deadline := time.After(patience)
	for !done() {
		select {
		case <-deadline:
			t.Fatalf("waited for this in vain: %s\n%s", what, more())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// ask makes a request as a sysadmin, unless it is without a token, and gives the status and the body.
func ask(t *testing.T, token, method, url, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	content, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(content)
}

const processesYAML = `platform: p
region: r
log: {format: json}
server: {listen: "127.0.0.1:0", rate_limit: 40, audit_log: audit.log}
auth: {tokens: [{user: root, groups: [sysadmin], token: root}]}
reconciler:
  listen: "127.0.0.1:0"
  gateway_url: %[1]s
  server: {token: root}
  default_mode: api
  mode:
    api: [{method: post, endpoint: "%[1]s/{{ .Subscription.Namespace }}"}]
  operator:
    failure_threshold: 2
    retry: {max_attempts: 1, initial: 1ms}
notification:
  teams: {ops: {webhook: "%[1]s/hook"}}
`

// outside is a gateway, an app that fails for the tenant bad, and a team's webhook.
func outside(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/{api}/-/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"openapi":"3.1.0","paths":{}}`)
	})
	mux.HandleFunc("POST /bad", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	mux.HandleFunc("POST /", func(http.ResponseWriter, *http.Request) {})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// metrics has a server and a reconciler do some of everything, and gives the metrics of both by name.
func metrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kayra.yaml"), fmt.Appendf(nil, processesYAML, outside(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, dir, "serve")
	reconciler := start(t, dir, "reconciler", "KAYRA_RECONCILER_SERVER_URL="+server.url)
	const registrations = "/apis/catalog.example.com/v1/apiregistrations"
	for _, c := range [][3]string{
		{"POST", registrations, `{"name":"compute.example.com","owner":"ops"}`},
		{"POST", "/apis/catalog.example.com/v1/namespaces", `{"name":"good"}`},
		{"POST", "/apis/catalog.example.com/v1/namespaces", `{"name":"bad"}`},
		{"POST", "/apis/catalog.example.com/v1/namespaces/good/subscriptions", `{"api":"compute.example.com"}`},
		{"POST", "/apis/catalog.example.com/v1/namespaces/bad/subscriptions", `{"api":"compute.example.com"}`},
		{"DELETE", registrations + "/compute.example.com", ""},
	} {
		if status, body := ask(t, "root", c[0], server.url+c[1], c[2]); status >= http.StatusBadRequest && status != http.StatusConflict {
			t.Fatalf("%v: %d %s", c, status, body)
		}
	}
	for status := 0; status != http.StatusTooManyRequests; {
		status, _ = ask(t, "", "GET", server.url+"/apis", "")
	}
	all := map[string]*dto.MetricFamily{}
	has := func(names ...string) func() bool {
		return func() bool {
			scrape(t, all, server, reconciler)
			return !slices.ContainsFunc(names, func(name string) bool { return all["kayra_"+name] == nil })
		}
	}
	logs := func() string { return server.log.String() + reconciler.log.String() }
	until(t, "there are attempts and retries", has("reconciler_attempts_total", "reconciler_attempt_duration_seconds", "reconciler_retries_total"), logs)
	told := has("notifications_total", "reconciler_notifications_total")
	until(t, "a team is told", func() bool {
		// Of a registration that the konductor has not seen yet nothing is told: have something happen until it has.
		_, _ = ask(t, "root", "PUT", server.url+registrations+"/compute.example.com/sync", `{"canary_namespaces":["good"]}`)
		return told()
	}, logs)
	http.DefaultClient.CloseIdleConnections()
	return all
}

// scrape adds the metrics of processes to those that are there.
func scrape(t *testing.T, all map[string]*dto.MetricFamily, from ...*process) {
	t.Helper()
	for _, p := range from {
		_, text := ask(t, "", "GET", p.url+"/-/metrics", "")
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, families)
	}
}
