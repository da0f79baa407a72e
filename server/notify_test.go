package server_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"kayra/notice"
	"kayra/server"
	"kayra/server/notify"
)

const hookSecret = "s3cr3t-hook"

// hook is a receiver of webhooks, which answers by the path, such as /403.
type hook struct {
	*httptest.Server

	mu   sync.Mutex
	seen []string
}

func newHook(t *testing.T) *hook {
	t.Helper()
	h := &hook{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.seen = append(h.seen, string(body))
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.WriteHeader(status)
	}))
	t.Cleanup(h.Close)
	return h
}

func (h *hook) bodies() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string{}, h.seen...)
}

// notifies has a server with one team, "SRE.a", which is told by Slack and fails to be told by its own webhook.
func notifies(t *testing.T, h *hook, change ...func(*server.Options)) *lab {
	t.Helper()
	secret := func(text string) notify.Secret { return func() (string, error) { return text, nil } }
	registry := prometheus.NewRegistry()
	n, err := notify.New(notify.Options{
		Teams: map[string]notify.Team{"SRE.a": {
			SlackWebhook: secret(h.URL + "/200?" + hookSecret), Webhook: secret(h.URL + "/403?" + hookSecret),
		}},
		Platform: "sandbox", Region: "eu-west-1", Registry: registry, Pause: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	return newLab(t, openLocal(t), append(change, func(o *server.Options) { o.Notifier, o.Registry = n, registry })...)
}

func happened() map[string]any {
	return map[string]any{
		"team": "SRE.a", "event": "degraded", "api": compute, "message": "5 attempts in a row have failed.",
		"sync_id": "v2", "state": "degraded", "at": "2026-11-30T03:08:41Z", "reconciler": "r-1",
	}
}

func TestNotify(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	var log, audit journal
	l := notifies(t, h, auditTo(&audit), func(o *server.Options) { o.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	a := l.want(http.StatusOK, "POST", "/notify", happened())
	want := map[string]any{
		"delivered": []any{"slack_webhook"}, "failed": []any{map[string]any{"channel": "webhook", "error": "it answered 403"}},
	}
	if d := cmp.Diff(want, a.body); d != "" {
		t.Error(d)
	}
	again := happened()
	again["channels"] = []string{"webhook", "email"}
	delete(want, "delivered")
	want["delivered"] = []any{}
	if d := cmp.Diff(want, l.want(http.StatusOK, "POST", "/notify", again).body); d != "" {
		t.Error(d)
	}
	if got := h.bodies(); len(got) != 3 {
		t.Errorf("%d requests", len(got))
	}
	for _, team := range []string{"sre.a", "none"} {
		other := happened()
		other["team"] = team
		if got := l.want(http.StatusOK, "POST", "/notify", other); string(got.raw) != `{"delivered":[],"failed":[]}`+"\n" {
			t.Errorf("team %s: %s", team, got.raw)
		}
	}
	text := l.metrics(`kayra_notifications_total{channel="webhook",event="degraded",result="failed"} 2`)
	if lines := l.entries(&audit); len(lines) != 0 {
		t.Errorf("nothing was written, and audited: %v", lines)
	}
	if got := log.String(); strings.Count(got, `"a team was not told","team":"SRE.a","event":"degraded","api":"compute.example.com","channel":"webhook","error":"it answered 403"`) != 2 {
		t.Errorf("log: %s", got)
	}
	if strings.Contains(log.String()+text+string(a.raw), hookSecret) {
		t.Error("the URL of a webhook shows")
	}
}

func TestNotifyWithoutTeams(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	if got := l.want(http.StatusOK, "POST", "/notify", happened()); string(got.raw) != `{"delivered":[],"failed":[]}`+"\n" {
		t.Errorf("%s", got.raw)
	}
}

func TestRefusedEvents(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	l := notifies(t, h)
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, test := range []struct {
		key   string
		value any // nil: left out
		want  string
	}{
		{"team", nil, "/team is missing"},
		{"team", "", "/team is empty; it must say something"},
		{"team", 5, "/team is a number; a string is allowed"},
		{"team", long(64<<10 + 1), "/team is 65537 bytes long; at most 65536 are allowed"},
		{"event", nil, "/event is missing"},
		{"event", "Degraded", `/event "Degraded" is not allowed; [degraded recovered rollout_started rollout_released rollout_aborted rolled_back] are`},
		{"event", nullValue{}, "/event is null; a string is allowed"},
		{"api", nil, "/api is missing"},
		{"api", "x", `/api "x" cannot be the name of an API registration`},
		{"message", nil, "/message is missing"},
		{"message", long(4097), "/message is 4097 bytes long; at most 4096 are allowed"},
		{"sync_id", 1, "/sync_id is a number; a string is allowed, or null"},
		{"state", long(513), "/state is 513 bytes long; at most 512 are allowed"},
		{"reconciler", []string{}, "/reconciler is an array; a string is allowed, or null"},
		{"at", nil, "/at is missing"},
		{"at", "yesterday", `/at "yesterday" is not a time of RFC 3339, such as 2026-11-30T03:08:41Z`},
		{"channels", []string{}, "/channels is empty: name one at least, or leave it out"},
		{"channels", []string{"email", "fax"}, `/channels/1 "fax" is not a channel: [slack_webhook webhook email] are`},
		{"channels", "email", "/channels is a string; an array is allowed, or null"},
		{"colour", "red", `/colour is not a key that is known here: leave "colour" out`},
	} {
		body := happened()
		body[test.key] = test.value
		if test.value == nil {
			delete(body, test.key)
		}
		a := l.want(http.StatusBadRequest, "POST", "/notify", body)
		if got := a.body["detail"]; got != "the body has fields that are wrong; nothing was changed: "+test.want {
			t.Errorf("%s %.40v: got %v, want %s", test.key, test.value, got, test.want)
		}
	}
	for _, body := range []string{"", "[]", "{"} {
		l.want(http.StatusBadRequest, "POST", "/notify", body)
	}
	l.want(http.StatusMethodNotAllowed, "GET", "/notify", nil)
	if got := h.bodies(); len(got) != 0 {
		t.Errorf("something was delivered: %v", got)
	}
	least := map[string]any{"team": "SRE.a", "event": "recovered", "api": compute, "message": "m", "at": "2026-11-30T03:08:41+02:00", "channels": []string{"slack_webhook"}}
	l.want(http.StatusOK, "POST", "/notify", least)
}

type nullValue struct{}

func (nullValue) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// The client speaks to the server as a reconciler does.
func TestNoticeClient(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	l := notifies(t, h)
	token := rootToken
	c, err := notice.NewClient(notice.Options{URL: l.url + "/", Token: func() (string, error) { return token, nil }})
	l.must(err)
	t.Cleanup(c.Close)
	event := notice.Event{
		Team: "SRE.a", Kind: notice.RolledBack, API: compute, Message: "m", SyncID: "v2", State: "healthy", At: time.Now(), Reconciler: "r-1",
	}
	got, err := c.Send(t.Context(), notice.Request{Event: event})
	l.must(err)
	want := notice.Answer{Delivered: []notice.Channel{notice.Slack}, Failed: []notice.Failure{{Channel: notice.Webhook, Error: "it answered 403"}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	got, err = c.Send(t.Context(), notice.Request{Event: event, Channels: []notice.Channel{notice.Slack}})
	l.must(err)
	if d := cmp.Diff(notice.Answer{Delivered: []notice.Channel{notice.Slack}, Failed: []notice.Failure{}}, got); d != "" {
		t.Error(d)
	}

	token = annToken
	if _, err := c.Send(t.Context(), notice.Request{Event: event}); err == nil || !strings.Contains(err.Error(), `the server answered 403: user "ann" may not create notifications`) {
		t.Error(err)
	}
	none, err := notice.NewClient(notice.Options{URL: l.url, Token: func() (string, error) { return "", errors.New("no token") }})
	l.must(err)
	t.Cleanup(none.Close)
	if _, err := none.Send(t.Context(), notice.Request{Event: event}); err == nil || err.Error() != `send rolled_back of "compute.example.com": nobody was told: no token` {
		t.Error(err)
	}
}

func TestNoticeClientWithoutServer(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	for path, want := range map[string]string{
		"/404": `send degraded of "": nobody was told: the server answered 404`,
		"/307": `send degraded of "": nobody was told: the server answered 307`,
		"/200": `send degraded of "": the answer is not one of Kayra's: is the URL that of ` + "`kayra serve`?",
	} {
		c, err := notice.NewClient(notice.Options{URL: h.URL + path, Token: func() (string, error) { return "s3cr3t-token", nil }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Send(t.Context(), notice.Request{Event: notice.Event{Kind: notice.Degraded}}); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
		c.Close()
	}
	h.Close()
	c, err := notice.NewClient(notice.Options{
		URL: strings.Replace(h.URL, "http://", "http://u:s3cr3t-url@", 1), Token: func() (string, error) { return "s3cr3t-token", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), notice.Request{}); err == nil || strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), "http:") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
	for _, wrong := range []notice.Options{{URL: "kayra"}, {URL: "ftp://kayra", Token: func() (string, error) { return "", nil }}, {URL: "http://kayra"}} {
		if _, err := notice.NewClient(wrong); err == nil {
			t.Errorf("%v is taken", wrong.URL)
		}
	}
}
