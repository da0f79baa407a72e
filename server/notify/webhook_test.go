package notify_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"kayra/notice"
	"kayra/server/notify"
)

func TestPlainWebhook(t *testing.T) {
	t.Parallel()
	r := receive(t, says(204))
	n := notifier(t, notify.Team{Webhook: r.hook()})
	delivered(t, n.Deliver(t.Context(), event(), nil), notice.Webhook)
	got := r.requests()[0]
	var body map[string]any
	if err := json.Unmarshal([]byte(got.body), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"team": "sre-a", "event": "degraded", "api": "compute.example.com", "message": "5 attempts in a row have failed.", "sync_id": "v2",
		"state": "degraded", "at": "2026-11-30T02:08:41Z", "reconciler": "r-1", "platform": "sandbox", "region": "eu-west-1", "id": body["id"],
	}
	if d := cmp.Diff(want, body); d != "" {
		t.Error(d)
	}
	if id := got.header.Get("Idempotency-Key"); len(id) != 32 || id != body["id"] {
		t.Errorf("idempotency key %q, id %v", id, body["id"])
	}
	if got.header.Get("Content-Type") != "application/json" || got.header.Get("User-Agent") != "kayra/v0" {
		t.Errorf("header %v", got.header)
	}
	if user, _, ok := (&http.Request{Header: got.header}).BasicAuth(); !ok || user != "user" {
		t.Errorf("the user of the URL is %q", user)
	}
	// the same event has the same id, and another one another
	other := event()
	other.SyncID = "v3"
	delivered(t, n.Deliver(t.Context(), event(), nil), notice.Webhook)
	delivered(t, n.Deliver(t.Context(), other, nil), notice.Webhook)
	all := r.requests()
	if all[1].header.Get("Idempotency-Key") != got.header.Get("Idempotency-Key") || all[2].header.Get("Idempotency-Key") == got.header.Get("Idempotency-Key") {
		t.Error("the id does not tell events apart")
	}
}

func TestSlack(t *testing.T) {
	t.Parallel()
	r := receive(t, says(200))
	e := event()
	e.Message = "<!channel> & <http://evil|click>\x1b[31m\u202ecod\nsecond line"
	delivered(t, notifier(t, notify.Team{SlackWebhook: r.hook()}).Deliver(t.Context(), e, nil), notice.Slack)
	var body map[string]any
	if err := json.Unmarshal([]byte(r.requests()[0].body), &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"mrkdwn": false, "unfurl_links": false, "unfurl_media": false, "text": `[sandbox/eu-west-1] compute.example.com is degraded

&lt;!channel&gt; &amp; &lt;http://evil|click&gt; [31mcod
second line

API: compute.example.com
Sync id: v2
State: degraded
At: 2026-11-30T02:08:41Z
Team: sre-a
Reconciler: r-1
`}
	if d := cmp.Diff(want, body); d != "" {
		t.Error(d)
	}
}

func TestEveryKindHasWords(t *testing.T) {
	t.Parallel()
	r := receive(t, says(200))
	n := notifier(t, notify.Team{SlackWebhook: r.hook()})
	seen := map[string]bool{}
	for i, kind := range notice.Kinds() {
		e := event()
		e.Kind = kind
		delivered(t, n.Deliver(t.Context(), e, nil), notice.Slack)
		line, _, _ := strings.Cut(r.requests()[i].body, `\n`)
		if seen[line] || !strings.Contains(line, "compute.example.com") || strings.Contains(line, "%!") {
			t.Errorf("%s: %q", kind, line)
		}
		seen[line] = true
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		tries   int
		why     string // "": delivered
	}{
		"500, then 200":      {[]http.HandlerFunc{says(500), says(200)}, 2, ""},
		"408 and 429":        {[]http.HandlerFunc{says(408), says(429), says(202)}, 3, ""},
		"cut off, then 200":  {[]http.HandlerFunc{hangUp, says(200)}, 2, ""},
		"503 for good":       {[]http.HandlerFunc{says(503)}, 4, "it answered 503"},
		"429 for good":       {[]http.HandlerFunc{says(429)}, 4, "it answered 429"},
		"cut off for good":   {[]http.HandlerFunc{hangUp}, 4, "it closed the connection without an answer"},
		"malformed for good": {[]http.HandlerFunc{garble}, 4, "what it answered is not of the protocol"},
		"404":                {[]http.HandlerFunc{says(404), says(200)}, 1, "it answered 404"},
		"400":                {[]http.HandlerFunc{says(400), says(200)}, 1, "it answered 400"},
		"a redirect": {
			[]http.HandlerFunc{says(307, "Location", "/elsewhere"), says(200)},
			1,
			"it answered 307, a redirect, and none is followed: configure the address that it leads to",
		},
		"429 that asks for more than there is": {
			[]http.HandlerFunc{says(429, "Retry-After", "3600"), says(200)}, 1, "it answered 429, and asks to wait 1h0m0s",
		},
		"503 until a date": {
			[]http.HandlerFunc{says(503, "Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)), says(200)}, 1, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, began := receive(t, c.answers...), time.Now()
			a := notifier(t, notify.Team{Webhook: r.hook()}).Deliver(t.Context(), event(), nil)
			switch {
			case strings.Contains(name, "date"):
				if why := failed(t, a); !strings.HasPrefix(why, "it answered 503, and asks to wait ") {
					t.Error(why)
				}
			case c.why == "":
				delivered(t, a, notice.Webhook)
			default:
				if why := failed(t, a); why != c.why {
					t.Errorf("got %q, want %q", why, c.why)
				}
			}
			if got := r.requests(); len(got) != c.tries || got[0].body != got[len(got)-1].body {
				t.Errorf("%d tries, want %d", len(got), c.tries)
			}
			if took := time.Since(began); took > time.Minute/2 {
				t.Errorf("took %s, as if there were something to wait for", took)
			}
		})
	}
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func garble(w http.ResponseWriter, _ *http.Request) {
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = rw.WriteString("s3cr3t is no HTTP\r\n\r\n")
	_ = rw.Flush()
	_ = c.Close()
}

// A receiver that asks to wait is not tried before.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	var first, second time.Time
	r := receive(t,
		func(w http.ResponseWriter, q *http.Request) {
			first = time.Now()
			says(429, "Retry-After", "1")(w, q)
		},
		func(w http.ResponseWriter, q *http.Request) {
			second = time.Now()
			says(200)(w, q)
		})
	delivered(t, notifier(t, notify.Team{Webhook: r.hook()}).Deliver(t.Context(), event(), nil), notice.Webhook)
	if waited := second.Sub(first); waited < time.Second-time.Millisecond {
		t.Errorf("tried again after %s", waited)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	dead := receive(t, says(200))
	dead.Close()
	hook, _ := dead.hook()()
	for address, why := range map[string]string{
		hook: "connection refused",
		strings.Replace(hook, "http:", "https:", 1): "connection refused",
		"http://u:s3cr3t@s3cr3t.invalid/":           "its host name cannot be resolved",
		"ftp://u:s3cr3t@127.0.0.1/":                 "its URL is none: it is not a URL with http:// or https:// and a host",
		"http://u:s3cr3t@127.0.0.1:1/%zz":           "its URL is none: it is not a URL with http:// or https:// and a host",
		"s3cr3t":                                    "its URL is none: it is not a URL with http:// or https:// and a host",
		"https:s3cr3t":                              "its URL is none: it is not a URL with http:// or https:// and a host",
	} {
		if got := failed(t, notifier(t, notify.Team{Webhook: secret(address)}).Deliver(t.Context(), event(), nil)); got != why {
			t.Errorf("%s: got %q, want %q", address, got, why)
		}
	}
	plain := receive(t, says(200))
	address, _ := plain.hook()()
	n := notifier(t, notify.Team{Webhook: secret(strings.Replace(address, "http:", "https:", 1))})
	if got := failed(t, n.Deliver(t.Context(), event(), nil)); got != "it does not speak TLS" {
		t.Error(got)
	}
}

// A receiver that does not answer is given up in time, and holds up nobody else.
func TestSlowReceiver(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	slow := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	})
	defer close(hold)
	quick := receive(t, says(200))
	n := notifier(t, notify.Team{Webhook: slow.hook(), SlackWebhook: quick.hook()}, func(o *notify.Options) { o.Timeout = 300 * time.Millisecond })
	a := n.Deliver(t.Context(), event(), nil)
	if len(a.Delivered) != 1 || a.Delivered[0] != notice.Slack || len(a.Failed) != 1 || a.Failed[0].Error != "it did not answer in time" {
		t.Errorf("%+v", a)
	}
	if len(slow.requests()) != 1 {
		t.Errorf("%d tries", len(slow.requests()))
	}
}

// A caller that goes away ends the delivery.
func TestCallerGoes(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{})
	r := receive(t, func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	why := failed(t, notifier(t, notify.Team{Webhook: r.hook()}).Deliver(ctx, event(), nil))
	if why != "the request was given up before it answered" || len(r.requests()) != 1 {
		t.Errorf("%q after %d tries", why, len(r.requests()))
	}
}

// However many events there are, a channel gets one at a time, and all receivers together get eight.
func TestFewAtOnce(t *testing.T) {
	t.Parallel()
	const teams, events, most = 12, 3, 8
	var now, peak atomic.Int32
	arrived, free := make(chan struct{}, teams*events), make(chan struct{})
	all := map[string]notify.Team{}
	for i := range teams {
		var mine atomic.Int32
		r := receive(t, func(w http.ResponseWriter, q *http.Request) {
			if mine.Add(1) > 1 {
				t.Error("a channel gets two events at once")
			}
			peak.Store(max(peak.Load(), now.Add(1)))
			arrived <- struct{}{}
			<-free
			now.Add(-1)
			mine.Add(-1)
			says(200)(w, q)
		})
		all[string(rune('a'+i))] = notify.Team{Webhook: r.hook()}
	}
	n := notifier(t, notify.Team{}, func(o *notify.Options) { o.Teams = all })
	answers := make(chan notice.Answer, teams*events)
	for team := range all {
		for range events {
			go func() {
				e := event()
				e.Team = team
				answers <- n.Deliver(t.Context(), e, nil)
			}()
		}
	}
	for range most {
		<-arrived
	}
	select {
	case <-arrived:
		t.Error("more than eight tries are made at once")
	case <-time.After(100 * time.Millisecond):
	}
	close(free)
	for range teams * events {
		delivered(t, <-answers, notice.Webhook)
	}
	if got := peak.Load(); got > most {
		t.Errorf("%d tries at once", got)
	}
}

func TestChosenChannelsAndMetrics(t *testing.T) {
	t.Parallel()
	good, bad := receive(t, says(200)), receive(t, says(403))
	registry := prometheus.NewRegistry()
	n := notifier(t, notify.Team{SlackWebhook: good.hook(), Webhook: bad.hook()}, func(o *notify.Options) { o.Registry = registry })
	delivered(t, n.Deliver(t.Context(), event(), []notice.Channel{notice.Slack, notice.Email}), notice.Slack)
	if why := failed(t, n.Deliver(t.Context(), event(), []notice.Channel{notice.Webhook})); why != "it answered 403" {
		t.Error(why)
	}
	unknown := event()
	unknown.Team = "SRE-A"
	delivered(t, n.Deliver(t.Context(), unknown, nil))
	want := []string{"kayra_notifications_total slack_webhook degraded delivered 1", "kayra_notifications_total webhook degraded failed 1"}
	if d := cmp.Diff(want, counted(t, registry)); d != "" {
		t.Error(d)
	}
	if len(good.requests()) != 1 || len(bad.requests()) != 1 {
		t.Errorf("%d and %d requests", len(good.requests()), len(bad.requests()))
	}
	if _, err := notify.New(notify.Options{Registry: registry}); err == nil {
		t.Error("two notifiers count in one registry")
	}
}
