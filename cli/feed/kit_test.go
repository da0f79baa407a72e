package feed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/feed"
	"kayra/cli/term"
	"kayra/server/api"
	"kayra/server/client"
	"kayra/tui/fleet"
)

const (
	patience = 30 * time.Second

	compute = "compute.example.com"
	group   = "/apis/catalog.example.com/v1/"
	regs    = group + "apiregistrations"
	spaces  = group + "namespaces"
)

// town is a deployment: real processes' insides on a real store, with an app that takes its time when it is told to.
type town struct {
	t      *testing.T
	config string
	server *service
	hold   chan struct{} // the app answers while it can be received from
}

// onBoth runs a test on each backend.
func onBoth(t *testing.T, test func(*town)) {
	t.Helper()
	t.Run("local", func(t *testing.T) {
		t.Parallel()
		test(newTown(t, fmt.Sprintf("{local: {path: %q}}", filepath.Join(t.TempDir(), "k.db"))))
	})
	t.Run("etcd", func(t *testing.T) {
		t.Parallel()
		test(newTown(t, onEtcd(t)))
	})
}

func onEtcd(t *testing.T) string {
	t.Helper()
	srv := cluster.Server(t)
	return fmt.Sprintf("{backend: etcd, etcd: {endpoints: [%q], prefix: %s, lease_ttl: 2s}}", srv.Endpoints()[0], srv.Prefix(t))
}

func newTown(t *testing.T, database string) *town {
	t.Helper()
	w := &town{t: t, config: filepath.Join(t.TempDir(), "kayra.yaml"), hold: make(chan struct{})}
	close(w.hold)
	app := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/-/openapi.json") {
			_, _ = rw.Write([]byte(`{"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": {}}`))
			return
		}
		select {
		case <-w.hold:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(app.Close)
	text := fmt.Sprintf(`platform: sandbox
region: eu-west-1
log: {level: info, format: json}
database: %s
auth:
  tokens:
    - {user: root, groups: [sysadmin], token: root-token}
    - {user: ann, groups: [tenants], token: ann-token}
reconciler:
  gateway_url: %q
  default_mode: api
  drain_timeout: 1s
  max_concurrent_reconciles: 5
  mode: {api: [{name: tell, method: post, endpoint: "%s/sync"}]}
`, database, app.URL, app.URL)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	w.server = w.start("serve", "127.0.0.1:0")
	return w
}

// service is a process.
type service struct {
	address string // URL
	stop    func()
}

// start starts a process and waits until it listens.
func (w *town) start(verb, listen string) *service {
	w.t.Helper()
	log, ctx := &shared{}, context.WithoutCancel(w.t.Context())
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, cli.Process{
			Args:    []string{"kayra", verb, "--config", w.config, "--listen", listen},
			Streams: term.Streams{In: strings.NewReader(""), Out: log, Err: log}, Now: time.Now,
		})
	}()
	s := &service{stop: sync.OnceFunc(func() {
		cancel()
		if code := <-ended; code != 0 {
			w.t.Errorf("%s ended with %d:\n%s", verb, code, log)
		}
	})}
	w.t.Cleanup(s.stop)
	until(w.t, verb+" listens", func() bool {
		for line := range strings.Lines(log.String()) {
			var said struct{ Address string }
			if json.Unmarshal([]byte(line), &said) == nil && said.Address != "" {
				s.address = said.Address
			}
		}
		return s.address != ""
	})
	return s
}

// shared is what several write to.
type shared struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.After(patience)
	for !is() {
		select {
		case <-deadline:
			t.Fatalf("waited for it in vain: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (w *town) client(token string) *client.Client {
	w.t.Helper()
	c, err := client.New(client.Options{URL: w.server.address, Token: token, Timeout: patience})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}

// do has root make a request.
func (w *town) do(method, path, body string) client.Answer {
	w.t.Helper()
	var sent []byte
	if body != "" {
		sent = []byte(body)
	}
	answer, err := w.client("root-token").Do(w.t.Context(), method, path, sent)
	if err != nil {
		w.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// populate makes namespaces that subscribe to compute.
func (w *town) populate(n int) {
	w.t.Helper()
	w.do("POST", regs, `{"name": "compute.example.com"}`)
	for i := range n {
		w.do("POST", spaces, fmt.Sprintf(`{"name": "t%d"}`, i))
		w.do("POST", fmt.Sprintf("%s/t%d/subscriptions", spaces, i), `{"api": "compute.example.com"}`)
	}
}

// feed is one that is as a token has it.
func (w *town) feed(token string, change ...func(*feed.Options)) *feed.Feed {
	o := feed.Options{
		Server: w.client(token), Explain: func(err error) string { return "because " + err.Error() },
		Open: func(endpoint string) (feed.Asker, error) {
			return client.New(client.Options{URL: endpoint, Token: token, Timeout: patience})
		},
		Ask: 20 * time.Millisecond, Batch: time.Millisecond,
	}
	for _, c := range change {
		c(&o)
	}
	return feed.New(o)
}

// onlooker has a copy that a feed keeps up to date.
type onlooker struct {
	t   *testing.T
	now chan struct{}

	mu      sync.Mutex
	fleet   fleet.Fleet
	batches int
	least   int // subscriptions that there ever were, once it was complete
}

// look has somebody look on until the end of the test.
func (w *town) look(f *feed.Feed) *onlooker {
	w.t.Helper()
	o := &onlooker{t: w.t, now: make(chan struct{}), least: -1}
	ctx, stop := context.WithCancel(context.WithoutCancel(w.t.Context()))
	out := make(chan []fleet.Update)
	var all sync.WaitGroup
	all.Go(func() {
		if err := f.Follow(ctx, out, o.now); err == nil || ctx.Err() == nil {
			w.t.Errorf("Follow ended with %v", err)
		}
		close(out)
	})
	all.Go(func() {
		for batch := range out {
			o.apply(batch)
		}
	})
	w.t.Cleanup(func() {
		stop()
		all.Wait()
	})
	return o
}

func (o *onlooker) apply(batch []fleet.Update) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fleet.Apply(batch...)
	o.fleet.Advance(time.Now())
	o.batches++
	if a := o.fleet.API(compute); a != nil && o.fleet.Complete() && (o.least < 0 || a.Counts.Subscribed < o.least) {
		o.least = a.Counts.Subscribed
	}
}

// sees waits until something is so of the copy.
func (o *onlooker) sees(what string, is func(*fleet.Fleet) bool) {
	o.t.Helper()
	until(o.t, what, func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		return is(&o.fleet)
	})
}

func (o *onlooker) seesAPI(what string, is func(*fleet.API) bool) {
	o.t.Helper()
	o.sees(what, func(f *fleet.Fleet) bool {
		a := f.API(compute)
		return a != nil && is(a)
	})
}

// checkEqual wants the copy to be what the server lists.
func (w *town) checkEqual(o *onlooker) {
	w.t.Helper()
	var subs api.List[api.Subscription]
	var all api.List[api.Registration]
	if err := json.Unmarshal(w.do("GET", group+"subscriptions", "").Body, &subs); err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(w.do("GET", regs, "").Body, &all); err != nil {
		w.t.Fatal(err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, want := range subs.Items {
		if got := o.fleet.Subscription(want.API, want.Namespace); got == nil || got.Subscription != want {
			w.t.Errorf("the copy has %+v, and the list %+v", got, want)
		}
	}
	if n := len(o.fleet.APIs()); n != len(all.Items) {
		w.t.Errorf("%d APIs in the copy, %d in the list", n, len(all.Items))
	}
	for _, a := range o.fleet.APIs() {
		var of fleet.Counts
		for i := range subs.Items {
			if s := &subs.Items[i]; s.API == a.Name {
				of.Subscribed++
				if s.Synced {
					of.Synced++
				}
			}
		}
		if a.Counts.Subscribed != of.Subscribed || a.Counts.Synced != of.Synced {
			w.t.Errorf("%s is counted %+v, the list has %+v", a.Name, a.Counts, of)
		}
	}
}
