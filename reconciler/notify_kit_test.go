package reconciler_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/notice"
	"kayra/reconciler"
	"kayra/store/catalog"
)

const team = "sre-a"

// bureau stands in for `kayra serve`: it takes events, and answers as it is told.
type bureau struct {
	url string

	mu     sync.Mutex
	asked  []notice.Request
	by     map[string]int   // requests, by the process that made them
	heard  []notice.Request // those that were delivered by some channel
	answer func(r notice.Request, gone <-chan struct{}) (status int, a notice.Answer)
}

func newBureau(t *testing.T) *bureau {
	t.Helper()
	b := &bureau{by: map[string]int{}}
	b.behave(delivers)
	srv := httptest.NewServer(http.HandlerFunc(b.handle))
	t.Cleanup(srv.Close)
	b.url = srv.URL
	return b
}

func (b *bureau) handle(w http.ResponseWriter, r *http.Request) {
	var asked notice.Request
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/notify" || r.Header.Get("Authorization") != "Bearer token" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	b.asked = append(b.asked, asked)
	b.by[r.UserAgent()]++
	answer := b.answer
	b.mu.Unlock()
	status, a := answer(asked, r.Context().Done())
	if status == http.StatusOK && len(a.Delivered) > 0 {
		b.mu.Lock()
		b.heard = append(b.heard, asked)
		b.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(a)
}

func (b *bureau) behave(answer func(r notice.Request, gone <-chan struct{}) (int, notice.Answer)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = answer
}

func delivers(notice.Request, <-chan struct{}) (int, notice.Answer) {
	return http.StatusOK, notice.Answer{Delivered: []notice.Channel{notice.Webhook}}
}

// stuck answers nothing until it is let go, and delivers then, if somebody still waits for the answer.
func (b *bureau) stuck(t *testing.T) (begun <-chan notice.Request, letGo func()) {
	t.Helper()
	requests, open := make(chan notice.Request, 10), make(chan struct{})
	letGo = sync.OnceFunc(func() { close(open) })
	t.Cleanup(letGo)
	b.behave(func(r notice.Request, gone <-chan struct{}) (int, notice.Answer) {
		requests <- r
		select {
		case <-open:
			return delivers(r, gone)
		case <-gone:
			return http.StatusServiceUnavailable, notice.Answer{}
		}
	})
	return requests, letGo
}

func (b *bureau) all() (asked, heard []notice.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]notice.Request{}, b.asked...), append([]notice.Request{}, b.heard...)
}

// kinds are those of the events that were delivered, in their order.
func (b *bureau) kinds() string {
	_, heard := b.all()
	names := make([]string, len(heard))
	for i, r := range heard {
		names[i] = string(r.Kind)
	}
	return strings.Join(names, " ")
}

// madeBy counts the requests that a process has made.
func (b *bureau) madeBy(id string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.by[id]
}

func noticesTo(url, id string) (*notice.Client, error) {
	return notice.NewClient(notice.Options{URL: url, UserAgent: id, Token: func() (string, error) { return "token", nil }})
}

// told has all processes tell of events, and two failed attempts degrade a registration.
func (w *world) told(change ...func(*reconciler.Options)) *bureau {
	w.t.Helper()
	b := newBureau(w.t)
	two := 2
	w.options = func(o *reconciler.Options) {
		client, err := noticesTo(b.url, o.Identity.ID)
		must(w.t, err)
		w.t.Cleanup(client.Close)
		o.Notifier, o.NotifyWithin, o.NotifyPause = client, time.Hour, time.Millisecond
		o.Operator = &catalog.Operator{FailureThreshold: &two}
		for _, c := range change {
			c(o)
		}
	}
	return b
}

// owned registers an API that the team owns, with subscribers that are synced.
func (w *world) owned(namespaces ...string) {
	w.t.Helper()
	owner := team
	_, err := w.CreateRegistration(w.t.Context(), compute, catalog.RegistrationChange{Owner: &owner})
	must(w.t, err)
	w.subscribe(compute, namespaces...)
	w.synced(namespaces...)
	w.becomes(compute, catalog.HealthHealthy)
	w.settle()
}

// degrade has the namespace sre fail until compute is degraded.
func (w *world) degrade() {
	w.t.Helper()
	w.app.behave(fails("sre"))
	w.resync(compute)
	w.becomes(compute, catalog.HealthDegraded)
}

func (w *world) recover() {
	w.t.Helper()
	w.app.behave(succeeds)
	w.resync(compute)
	w.becomes(compute, catalog.HealthHealthy)
}

// wantTold checks which events have been delivered, once nothing more happens.
func (w *world) wantTold(b *bureau, want string) {
	w.t.Helper()
	w.eventually("the team hears of "+want, func() bool { return b.kinds() == want || len(b.kinds()) > len(want) })
	w.settle()
	if got := b.kinds(); got != want {
		w.t.Errorf("the team has heard of %q, not of %q", got, want)
	}
	w.eventually("nothing is owed", func() bool {
		h, err := w.Health(w.t.Context(), compute)
		must(w.t, err)
		return len(h.Told.Owed) == 0
	})
}

func tellingFleets() []fleet { return []fleet{{"local", 1}, {"etcd", 1}, {"etcd", 2}} }
