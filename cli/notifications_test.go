package cli_test

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"kayra/server/notify/smtptest"
	"kayra/tlsfiles/tlstest"
)

// ward is a deployment of real processes, with an app that fails for whom it is told to, and a team with a webhook and an
// e-mail address.
type ward struct {
	*fortress

	mail *smtptest.Server

	mu    sync.Mutex
	fails func(namespace, syncID string) bool
	heard []heard // by the webhook
}

// heard is what a plain webhook gets.
type heard struct {
	Event, API, Team, Message, State, Reconciler, ID string
	SyncID                                           string `json:"sync_id"`
}

func newWard(t *testing.T) *ward {
	t.Helper()
	w := &ward{fortress: newFortress(t), fails: func(string, string) bool { return false }}
	ca := tlstest.New(t, "mail")
	w.mail = smtptest.Start(t, smtptest.Options{
		TLS:      &tls.Config{Certificates: []tls.Certificate{ca.Certificate(tlstest.Leaf{})}, MinVersion: tls.VersionTLS12},
		Username: "kayra", Password: w.plant("password of SMTP"),
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /apis/{api}/-/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"openapi": "3.0.3", "paths": {}}`)
	})
	mux.HandleFunc("POST /sync/{ns}/{id}", w.sync)
	mux.HandleFunc("POST /hook", w.hook)
	app := httptest.NewServer(mux)
	t.Cleanup(app.Close)
	w.root = w.plant("token of a sysadmin")
	w.env = []string{
		"KAYRA_CONFIG=" + w.config, "GORACE=atexit_sleep_ms=0", "PATH=" + os.Getenv("PATH"), "HOME=" + w.dir,
		"HOOK=" + app.URL + "/hook?key=" + w.plant("query of a webhook"), "ROOT=" + w.root, "SMTP=" + w.at["password of SMTP"],
	}
	text := fmt.Sprintf(`platform: sandbox
region: eu-west-1
server: {listen: "127.0.0.1:0"}
database: {backend: local, local: {path: %q}}
auth: {tokens: [{user: root, groups: [sysadmin], token: {env: ROOT}}]}
client: {token: {env: ROOT}}
reconciler:
  listen: "127.0.0.1:0"
  server: {token: {env: ROOT}}
  gateway_url: %q
  default_mode: api
  mode:
    api: [{method: post, endpoint: "%s/sync/{{ .Subscription.Namespace }}/{{ .Subscription.ExpectedSyncID }}"}]
notification:
  teams: {sre-a: {webhook: {env: HOOK}, email: [ann@example.com]}}
  smtp: {host: %q, port: %d, from: kayra@example.com, username: kayra, password: {env: SMTP}, ca_file: %q}
`, filepath.Join(w.dir, "kayra.db"), app.URL, app.URL, w.mail.Host, w.mail.Port, tlstest.Write(t, w.dir, "mail-ca.pem", ca.PEM()))
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// sync is the app's.
func (w *ward) sync(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fails(r.PathValue("ns"), r.PathValue("id")) {
		rw.WriteHeader(http.StatusInternalServerError)
	}
}

// hook is the team's.
func (w *ward) hook(rw http.ResponseWriter, r *http.Request) {
	var h heard
	if err := json.NewDecoder(r.Body).Decode(&h); err != nil || h.ID != r.Header.Get("Idempotency-Key") || h.ID == "" {
		rw.WriteHeader(http.StatusBadRequest)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = append(w.heard, h)
}

func (w *ward) failing(which func(namespace, syncID string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fails = which
}

// of is what was heard of an API, in its order.
func (w *ward) of(api string) []heard {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.heard), func(h heard) bool { return h.API != api })
}

// hears waits until a team has heard of events of an API, and of no others.
func (w *ward) hears(api string, events ...string) heard {
	w.t.Helper()
	var got []heard
	w.until(fmt.Sprintf("the team to hear %v of %s", events, api), func() bool {
		got = w.of(api)
		return len(got) >= len(events)
	})
	for i, h := range got {
		if i >= len(events) || h.Event != events[i] || h.Team != "sre-a" || h.SyncID == "" || h.Reconciler == "" {
			w.t.Errorf("of %s was heard %+v, not %v", api, got, events)
			break
		}
	}
	return got[len(got)-1]
}

// register creates a registration that the team owns, with subscribers that are synced.
func (w *ward) register(catalog, api string, namespaces ...string) {
	w.t.Helper()
	w.want(http.StatusCreated, "POST", catalog+"/apiregistrations", fmt.Sprintf(
		`{"name": %q, "owner": "sre-a", "operator": {"failure_threshold": 2, "rollback": {"consecutive_failures": 2}}}`, api))
	for _, ns := range namespaces {
		w.want(http.StatusCreated, "POST", catalog+"/namespaces/"+ns+"/subscriptions", fmt.Sprintf(`{"api": %q}`, api))
	}
	w.until(api+" to be synced", func() bool {
		var status struct {
			Subscriptions []struct{ Synced bool }
		}
		text := w.want(http.StatusOK, "GET", catalog+"/apiregistrations/"+api+"/status", "")
		return json.Unmarshal([]byte(text), &status) == nil && len(status.Subscriptions) == len(namespaces) &&
			!strings.Contains(text, `"synced":false`)
	})
}

// TestTeamsAreTold has a team told of all that can happen by real processes: a reconciler, which sees it, and a server, which
// knows the webhook and the mail server.
func TestTeamsAreTold(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	serve := w.start("json", "serve")
	w.env = append(w.env, "KAYRA_RECONCILER_SERVER_URL="+serve.address)
	reconciler := w.start("json", "reconciler")
	catalog := serve.address + "/apis/catalog.example.com/v1"
	for _, ns := range []string{"ops", "sre"} {
		w.want(http.StatusCreated, "POST", catalog+"/namespaces", fmt.Sprintf(`{"name": %q}`, ns))
	}
	sync := func(api, body string) string {
		var reg struct {
			SyncID string `json:"sync_id"`
		}
		if err := json.Unmarshal([]byte(w.want(http.StatusOK, "PUT", catalog+"/apiregistrations/"+api+"/sync", body)), &reg); err != nil {
			t.Fatal(err)
		}
		return reg.SyncID
	}
	const sick, fine, spoilt, bad = "sick.example.com", "fine.example.com", "spoilt.example.com", "bad.example.com"
	for _, api := range []string{sick, fine, spoilt, bad} {
		w.register(catalog, api, "ops", "sre")
	}

	w.failing(func(string, string) bool { return true })
	w.want(http.StatusOK, "PUT", catalog+"/namespaces/sre/subscriptions/"+sick+"/sync", "{}")
	if h := w.hears(sick, "degraded"); h.State != "degraded" || !strings.Contains(h.Message, "1 of 2 subscriptions has failed") {
		t.Errorf("%+v", h)
	}
	w.failing(func(string, string) bool { return false })
	w.want(http.StatusOK, "PUT", catalog+"/namespaces/sre/subscriptions/"+sick+"/sync", "{}")
	if h := w.hears(sick, "degraded", "recovered"); h.State != "healthy" {
		t.Errorf("%+v", h)
	}

	id := sync(fine, `{"canary_namespaces": ["sre"]}`)
	if h := w.hears(fine, "rollout_started"); h.SyncID != id {
		t.Errorf("%+v is not about %s", h, id)
	}
	sync(fine, `{"release": true}`)
	w.hears(fine, "rollout_started", "rollout_released")
	id = sync(spoilt, `{"canary_namespaces": ["sre"]}`)
	w.hears(spoilt, "rollout_started")
	sync(spoilt, `{"abort": true}`)
	if h := w.hears(spoilt, "rollout_started", "rollout_aborted"); h.SyncID != id {
		t.Errorf("%+v is not about %s", h, id)
	}

	id = "bad"
	w.failing(func(_, syncID string) bool { return syncID == id })
	w.want(http.StatusOK, "PUT", catalog+"/apiregistrations/"+bad, `{"sync_id": "bad"}`)
	w.until("a rollback to be told of", func() bool {
		return slices.ContainsFunc(w.of(bad), func(h heard) bool { return h.Event == "rolled_back" && h.SyncID == id })
	})

	w.mu.Lock()
	told := len(w.heard)
	w.mu.Unlock()
	w.until("as many mails", func() bool { return len(w.mail.Mails()) >= told })
	for _, m := range w.mail.Mails() {
		if !m.TLS || m.User != "kayra" || !slices.Equal(m.To, []string{"ann@example.com"}) || !strings.Contains(m.Data, "Subject: [sandbox/eu-west-1] ") {
			t.Errorf("%+v", m)
		}
	}
	reconciler.end()
	serve.end()
	w.search(t, "the reconciler's log", reconciler.log.String())
	w.search(t, "the server's log", serve.log.String())
	if log := reconciler.log.String(); strings.Contains(log, "WARN") && strings.Contains(log, "not told") {
		t.Errorf("the reconciler warns: %s", log)
	}
}

// A reconciler that tells nobody although there are teams says so, and so does one whose token cannot be had.
func TestTellingNobodyIsSaid(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	reconciler := w.start("json", "reconciler")
	reconciler.end()
	if log := reconciler.log.String(); strings.Count(log, "no team is told of anything") != 1 {
		t.Error(log)
	}
	env := append(slices.Clone(w.env), "KAYRA_RECONCILER_SERVER_URL=http://127.0.0.1:1")
	for variable, want := range map[string]string{
		"KAYRA_RECONCILER_SERVER_CA_FILE=/nope": "reconciler.server.ca_file: read \"/nope\"",
		"KAYRA_RECONCILER_SERVER_TOKEN=a b":     "reconciler.server.token: it is no token",
		"ROOT=":                                 "reconciler.server.token: ",
	} {
		got := run(t, append(slices.Clone(env), variable), "", "kayra", "reconciler")
		if got.code != 2 || !strings.Contains(got.err, want) {
			t.Errorf("%s: %+v, want %q", variable, got, want)
		}
	}
}
