package pipeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kayra/reconciler/pipeline"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call is a request as a server saw it.
type call struct {
	method, uri, body string
	header            http.Header
	host              string
}

// app is a real server that records what it is asked.
type app struct {
	*httptest.Server
	mu    sync.Mutex
	calls []call
}

func newApp(t *testing.T, answer http.HandlerFunc) *app {
	t.Helper()
	a := &app{}
	a.Server = httptest.NewServer(a.record(answer))
	t.Cleanup(a.Close)
	return a
}

func (a *app) record(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a.mu.Lock()
		a.calls = append(a.calls, call{r.Method, r.RequestURI, string(body), r.Header.Clone(), r.Host})
		a.mu.Unlock()
		answer(w, r)
	}
}

func (a *app) seen() []call {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]call(nil), a.calls...)
}

func (a *app) host() string {
	return strings.TrimPrefix(strings.TrimPrefix(a.URL, "http://"), "https://")
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// inTurn answers each request with the next handler, and the last one from then on.
func inTurn(answers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		mu.Unlock()
		now(w, r)
	}
}

// journal is a log that can be read while it is written.
type journal struct {
	mu    sync.Mutex
	text  bytes.Buffer
	lines chan map[string]any
}

func newJournal() *journal { return &journal{lines: make(chan map[string]any, 1000)} }

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var line map[string]any
	if err := json.Unmarshal(p, &line); err != nil {
		return 0, err
	}
	j.lines <- line
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// next waits for a line.
func (j *journal) next(t *testing.T) map[string]any {
	t.Helper()
	select {
	case line := <-j.lines:
		return line
	case <-time.After(10 * time.Second):
		t.Fatal("no line was logged")
		return nil
	}
}

func (j *journal) logger() *slog.Logger {
	handler := slog.NewJSONHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug})
	return slog.New(handler).With(slog.Int("lock_id", 7), slog.String("sync_id", "s-2"))
}

func subscription() pipeline.Subscription {
	return pipeline.Subscription{
		Api: "compute.example.com", ShortName: "compute", Namespace: "sre", Platform: "sandbox", Region: "eu-west-1",
		CurrentSyncID: "s-1", ExpectedSyncID: "s-2",
	}
}

// quick are options with which nothing waits for long.
func quick() pipeline.Options {
	return pipeline.Options{
		AsyncAckTimeout: 50 * time.Millisecond, WaitPollInterval: time.Millisecond,
		LookupEnv: func(string) (string, bool) { return "", false },
	}
}

func parse(t *testing.T, opts pipeline.Options, steps ...pipeline.Step) *pipeline.Pipelines {
	t.Helper()
	p, err := pipeline.Parse(map[string][]pipeline.Step{"m": steps}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = p.Close(ctx)
	})
	return p
}

func input(j *journal) pipeline.Input {
	in := pipeline.Input{Subscription: subscription(), RunID: "run-1", Attempt: 1}
	if j != nil {
		in.Logger = j.logger()
	}
	return in
}

// run parses and runs steps as one mode.
func run(t *testing.T, opts pipeline.Options, steps ...pipeline.Step) (*journal, error) {
	t.Helper()
	j := newJournal()
	return j, parse(t, opts, steps...).Run(t.Context(), "m", input(j))
}

// failureOf gives the failure that a run ended with.
func failureOf(t *testing.T, err error) *pipeline.Error {
	t.Helper()
	failure, ok := errors.AsType[*pipeline.Error](err)
	if !ok {
		t.Fatalf("got %v, want a failed step", err)
	}
	return failure
}

// wantFailure checks a run's error.
func wantFailure(t *testing.T, err error, step int, reason pipeline.Reason, parts ...string) {
	t.Helper()
	failure := failureOf(t, err)
	if failure.Step != step || failure.Reason != reason || failure.Mode != "m" {
		t.Errorf("step %d, reason %s of mode %s: %s", failure.Step, failure.Reason, failure.Mode, failure.Message)
	}
	for _, part := range parts {
		if !strings.Contains(failure.Message, part) {
			t.Errorf("%q does not say %q", failure.Message, part)
		}
	}
}

func get(endpoint string) pipeline.Step { return pipeline.Step{Method: "GET", Endpoint: endpoint} }
