package pipeline_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

func async(endpoint string) pipeline.Step {
	return pipeline.Step{Method: "POST", Endpoint: endpoint, Async: true, Timeout: time.Minute}
}

// patient are options for answers that have to come before the ack timeout.
func patient() pipeline.Options {
	opts := quick()
	opts.AsyncAckTimeout = time.Minute
	return opts
}

// held answers when it is let go, and says when it was reached.
type held struct {
	reached chan struct{}
	free    chan struct{}
}

func newHeld() *held { return &held{make(chan struct{}, 10), make(chan struct{})} }

func (h *held) answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h.reached <- struct{}{}
		select {
		case <-h.free:
		case <-r.Context().Done():
		}
		w.WriteHeader(status)
	}
}

// A quick answer's outputs are there, although the step is async, and its wait conditions do not count.
func TestAsyncQuickAnswer(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(201, `{"id": 12345678901}`))
	first := async(a.URL)
	first.Outputs = map[string]string{"ID": ".id"}
	first.Wait = []pipeline.Condition{status("done", "failed")}
	j, err := run(t, patient(), first, get(a.URL+"/{{ .Previous.Outputs.ID }}"))
	if err != nil || len(a.seen()) != 2 || a.seen()[1].uri != "/12345678901" {
		t.Fatalf("%v after %v", err, a.seen())
	}
	if line := j.next(t); line["async"] != true || line["status"] != 201.0 || line["msg"] != "step succeeded" {
		t.Errorf("logged %v", line)
	}
}

func TestAsyncFailureIsIgnored(t *testing.T) {
	t.Parallel()
	a := newApp(t, inTurn(says(500, ""), hangUp, says(200, "")))
	j, err := run(t, patient(), async(a.URL), async(a.URL), get(a.URL))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"answered 500", "failed: the connection was closed without an answer"} {
		if line := j.next(t); line["msg"] != "step failed" || line["error"] != want || line["async"] != true {
			t.Errorf("logged %v", line)
		}
		if line := j.next(t); line["msg"] != "ignoring the failure of an async step" || line["error"] != nil || line["lock_id"] == nil {
			t.Errorf("logged %v", line)
		}
	}
}

// An async step that does not answer holds the pipeline for the ack timeout; it is not cut when the run's context ends,
// and its late outcome is logged as the run's lines are.
func TestAsyncGoesOnInTheBackground(t *testing.T) {
	t.Parallel()
	h := newHeld()
	a := newApp(t, inTurn(h.answer(500), says(200, "")))
	p := parse(t, quick(), async(a.URL), get(a.URL))
	ctx, cancel := context.WithCancel(t.Context())
	j := newJournal()
	if err := p.Run(ctx, "m", input(j)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if line := j.next(t); line["msg"] != "step has no answer yet and goes on in the background" || line["index"] != 0.0 {
		t.Errorf("logged %v", line)
	}
	if line := j.next(t); line["msg"] != "step succeeded" || line["index"] != 1.0 {
		t.Errorf("logged %v", line)
	}
	close(h.free)
	line := j.next(t)
	if line["msg"] != "step failed" || line["index"] != 0.0 || line["status"] != 500.0 || line["lock_id"] != 7.0 || line["sync_id"] != "s-2" {
		t.Errorf("logged %v", line)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAsyncEndsWithItsOwnTimeout(t *testing.T) {
	t.Parallel()
	h := newHeld()
	a := newApp(t, h.answer(200))
	step := async(a.URL)
	step.Timeout = 400 * time.Millisecond
	p := parse(t, quick(), step)
	j := newJournal()
	if err := p.Run(t.Context(), "m", input(j)); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
	j.next(t)
	if line := j.next(t); line["error"] != "timed out after 400ms" {
		t.Errorf("logged %v", line)
	}
}

func TestBackgroundIsBounded(t *testing.T) {
	t.Parallel()
	h := newHeld()
	a := newApp(t, h.answer(200))
	opts := quick()
	opts.MaxBackground = 1
	p := parse(t, opts, async(a.URL), async(a.URL))
	j := newJournal()
	if err := p.Run(t.Context(), "m", input(j)); err != nil {
		t.Fatal(err)
	}
	j.next(t)
	if line := j.next(t); line["error"] != "was cut off after 50ms: there is no room for it in the background" {
		t.Errorf("logged %v", line)
	}
	j.next(t) // is ignored
	close(h.free)
	if line := j.next(t); line["msg"] != "step succeeded" || line["index"] != 0.0 {
		t.Errorf("logged %v", line)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestCloseCutsWhatStillRuns(t *testing.T) {
	t.Parallel()
	h := newHeld()
	a := newApp(t, h.answer(200))
	p := parse(t, quick(), async(a.URL))
	j := newJournal()
	if err := p.Run(t.Context(), "m", input(j)); err != nil {
		t.Fatal(err)
	}
	j.next(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := p.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if line := j.next(t); line["error"] != "was cut off: the process stops" {
		t.Errorf("logged %v", line)
	}
	// Nothing goes on in the background any more.
	if err := p.Run(t.Context(), "m", input(j)); err != nil {
		t.Error(err)
	}
	if line := j.next(t); line["error"] == nil {
		t.Errorf("logged %v", line)
	}
	if err := p.Close(ctx); err != nil {
		t.Error(err)
	}
}
