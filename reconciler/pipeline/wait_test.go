package pipeline_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

func status(successes, failures string) pipeline.Condition {
	return pipeline.Condition{Key: ".status", Successes: strings.Fields(successes), Failures: strings.Fields(failures)}
}

func waiting(endpoint string, conditions ...pipeline.Condition) pipeline.Step {
	s := get(endpoint)
	s.Wait, s.Timeout = conditions, time.Minute
	return s
}

func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// All that means "not yet", and then the conditions met one by one, but by one answer at last.
func TestWaitUntilAllConditionsAreMet(t *testing.T) {
	t.Parallel()
	huge := `{"status": "done", "deep": {"flag": true}, "fill": "` + strings.Repeat("x", 1<<20) + `"}`
	a := newApp(t, inTurn(
		says(200, "not json"), says(200, `{"status": "running"}`), says(503, `{"status": "failed"}`), says(429, `{"status": "done"}`),
		says(500, `{"status": "failed"}`), hangUp, says(200, ""), says(200, `{"status": null}`), says(200, huge),
		says(200, `{"status": "done"}`), says(200, `{"status": "running", "deep": {"flag": true}}`),
		says(200, `{"status": "done", "deep": {"flag": true}, "id": 9}`), says(200, ""),
	))
	poll := waiting(a.URL, status("done", "failed"), pipeline.Condition{Key: "deep.flag", Successes: []string{"true"}, Failures: []string{"false"}})
	poll.Outputs = map[string]string{"ID": ".id"}
	j, err := run(t, quick(), poll, get(a.URL+"/{{ .Previous.Outputs.ID }}"))
	if err != nil {
		t.Fatal(err)
	}
	if calls := a.seen(); len(calls) != 13 || calls[12].uri != "/9" {
		t.Errorf("%d calls", len(calls))
	}
	if line := j.next(t); line["attempts"] != 12.0 || line["status"] != 200.0 || line["msg"] != "step succeeded" {
		t.Errorf("logged %v", line)
	}
}

func TestWaitFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"a failure value":            {says(200, `{"status": "failed"}`), `answered .status = "failed", a failure`},
		"a failure beside a success": {says(200, `{"status": "failed", "other": 1}`), `.status = "failed"`},
		"a number as a failure":      {says(200, `{"status": 3}`), `.status = "3"`},
		"any other status":           {says(404, `{"status": "done"}`), "answered 404"},
		"unauthorized":               {says(401, ""), "answered 401"},
		"not modified":               {says(304, ""), "answered 304"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, c.answer)
			other := pipeline.Condition{Key: ".other", Successes: []string{"1"}}
			_, err := run(t, quick(), waiting(a.URL, other, status("done", "failed 3")))
			wantFailure(t, err, 0, pipeline.StepFailed, "step 1: GET "+a.URL+" ", c.says)
			if n := len(a.seen()); n != 1 {
				t.Errorf("%d polls", n)
			}
		})
	}
}

func TestWaitTimesOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"not yet":     {says(200, `{"status": "hunter2"}`), "timed out after 60ms: .status is not yet one of its successes"},
		"missing key": {says(200, `{"hunter2": 1}`), "timed out after 60ms: the last answer has no .status"},
		"not JSON":    {says(200, `hunter2`), "the last answer was not JSON"},
		"503":         {says(503, `hunter2`), "the last poll was answered 503"},
		"hanging":     {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "the last poll got no answer"},
		"dropped":     {hangUp, "the last poll got no answer, the connection was closed without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newApp(t, c.answer)
			step := waiting(a.URL, status("done", ""))
			step.Timeout = 60 * time.Millisecond
			opts := quick()
			opts.WaitPollInterval = 20 * time.Millisecond
			j, err := run(t, opts, step)
			wantFailure(t, err, 0, pipeline.Timeout, "step 1: GET "+a.URL)
			failure := failureOf(t, err)
			// The last of several polls may be the one that the timeout cuts.
			if !strings.Contains(failure.Message, c.says) && !strings.Contains(failure.Message, "the last poll got no answer") {
				t.Errorf("%q does not say %q", failure.Message, c.says)
			}
			if strings.Contains(failure.Message+j.String(), "hunter2") {
				t.Errorf("the answer is in %q or %s", failure.Message, j)
			}
		})
	}
}

// A server's Retry-After is kept to inside the step's time, and handed on when that is over.
func TestWaitHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	for _, code := range []int{429, 503} {
		busy := func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(code)
		}
		a := newApp(t, inTurn(busy, says(200, `{"status": "done"}`)))
		started := time.Now()
		if _, err := run(t, quick(), waiting(a.URL, status("done", ""))); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(started); took < time.Second || len(a.seen()) != 2 {
			t.Errorf("%d: polled again after %s", code, took)
		}
		step := waiting(a.URL, status("other", ""))
		a = newApp(t, busy)
		step.Endpoint, step.Timeout = a.URL, 500*time.Millisecond
		_, err := run(t, quick(), step)
		wantFailure(t, err, 0, pipeline.Timeout)
		if failure := failureOf(t, err); failure.RetryAfter != time.Second || len(a.seen()) != 1 {
			t.Errorf("%d: %s after %d polls", code, failure.RetryAfter, len(a.seen()))
		}
	}
}

func TestRetryAfterOfAFailedStep(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, "": 0, "soon": 0, "-1": 0, "99999999999999999": 24 * time.Hour, "Mon, 02 Jan 2006 15:04:05 GMT": 0,
		time.Now().Add(time.Hour).UTC().Format(http.TimeFormat): time.Hour,
	} {
		a := newApp(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", value)
			w.WriteHeader(http.StatusServiceUnavailable)
		})
		_, err := run(t, quick(), get(a.URL))
		wantFailure(t, err, 0, pipeline.StepFailed, "answered 503")
		failure := failureOf(t, err)
		if got := failure.RetryAfter.Round(time.Minute); got != want.Round(time.Minute) && failure.RetryAfter != want {
			t.Errorf("%q gives %s, want %s", value, failure.RetryAfter, want)
		}
	}
}

func TestWaitReadsSecretsAnew(t *testing.T) {
	t.Parallel()
	a := newApp(t, inTurn(says(200, ""), says(200, `{"status": "done"}`)))
	values := make(chan string, 2)
	values <- "old"
	values <- "new"
	step := waiting(a.URL, status("done", ""))
	step.Headers = map[string]pipeline.Header{"X-T": {Value: pipeline.From(func() (string, error) { return <-values, nil }, pipeline.Origin{})}}
	if _, err := run(t, quick(), step); err != nil {
		t.Fatal(err)
	}
	if c := a.seen(); c[0].header.Get("X-T") != "old" || c[1].header.Get("X-T") != "new" {
		t.Error("the secret was not read for each poll")
	}
}

func TestSyncStepFails(t *testing.T) {
	t.Parallel()
	a := newApp(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/hang" {
			<-r.Context().Done()
			return
		}
		hangUp(w, r)
	})
	closed := newApp(t, nil)
	closed.Close()
	raw, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = raw.Close() })
	go func() {
		for {
			c, err := raw.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 1))
			_, _ = c.Write([]byte("SSH-2.0\r\n"))
			_ = c.Close()
		}
	}()
	for endpoint, c := range map[string]struct {
		reason pipeline.Reason
		says   string
	}{
		a.URL + "/hang":                 {pipeline.Timeout, "timed out after 50ms"},
		a.URL + "/drop":                 {pipeline.StepFailed, "failed: the connection was closed without an answer"},
		closed.URL:                      {pipeline.StepFailed, "failed: connection refused"},
		"http://nope..invalid/":         {pipeline.StepFailed, "failed: its host name cannot be resolved"},
		"https://" + a.host():           {pipeline.StepFailed, "failed: it does not speak TLS"},
		"http://" + raw.Addr().String(): {pipeline.StepFailed, "failed: the request could not be carried out or its answer is not HTTP"},
	} {
		step := get(endpoint)
		if c.reason == pipeline.Timeout {
			step.Timeout = 50 * time.Millisecond
		}
		j, err := run(t, quick(), step)
		wantFailure(t, err, 0, c.reason, "step 1: GET "+endpoint+" ", c.says)
		if line := j.next(t); line["msg"] != "step failed" || line["level"] != "WARN" || line["status"] != nil || line["attempts"] != 1.0 {
			t.Errorf("logged %v", line)
		}
	}
}

// A connection that breaks while it is used again does not make net/http send the step twice.
func TestAStepIsSentOnce(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"GET", "POST"} {
		for _, data := range []any{nil, "x"} {
			a := newApp(t, inTurn(says(200, ""), hangUp))
			_, err := run(t, quick(), get(a.URL), pipeline.Step{Method: method, Endpoint: a.URL, Data: data})
			wantFailure(t, err, 1, pipeline.StepFailed, "closed without an answer")
			if n := len(a.seen()); n != 2 {
				t.Errorf("%s with %v was sent %d times", method, data, n-1)
			}
		}
	}
}

// A run whose context ends has no outcome, wherever it is.
func TestCancelledRunHasNoOutcome(t *testing.T) {
	t.Parallel()
	for name, async := range map[string]bool{"sync": false, "async": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reached := make(chan struct{}, 1)
			a := newApp(t, func(_ http.ResponseWriter, r *http.Request) {
				reached <- struct{}{}
				<-r.Context().Done()
			})
			opts := quick()
			opts.AsyncAckTimeout = time.Minute
			step := get(a.URL)
			step.Async = async
			p := parse(t, opts, step)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-reached
				cancel()
			}()
			j := newJournal()
			checkCancelled(t, p.Run(ctx, "m", input(j)))
			if line := j.next(t); line["error"] != "interrupted" {
				t.Errorf("logged %v", line)
			}
			checkCancelled(t, p.Run(ctx, "m", input(nil)))
			if n := len(a.seen()); n != 1 {
				t.Errorf("%d requests", n)
			}
		})
	}
	t.Run("waiting", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		a := newApp(t, func(http.ResponseWriter, *http.Request) { cancel() })
		opts := quick()
		opts.WaitPollInterval = time.Minute
		checkCancelled(t, parse(t, opts, waiting(a.URL, status("done", ""))).Run(ctx, "m", input(nil)))
	})
	t.Run("its own deadline", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		a := newApp(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		checkCancelled(t, parse(t, quick(), get(a.URL)).Run(ctx, "m", input(nil)))
	})
}

func checkCancelled(t *testing.T, err error) {
	t.Helper()
	if _, failed := errors.AsType[*pipeline.Error](err); failed || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
