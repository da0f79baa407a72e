package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/reconciler/pipeline"
)

// watcher keeps what it is told of a run.
type watcher struct {
	mu   sync.Mutex
	told []pipeline.Progress
	on   func(pipeline.Progress)
}

func (w *watcher) observe(p pipeline.Progress) {
	w.mu.Lock()
	w.told = append(w.told, p)
	w.mu.Unlock()
	if w.on != nil {
		w.on(p)
	}
}

// lines are what was told, in short.
func (w *watcher) lines() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, p := range w.told {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d/%d %s %d %d %s", p.Index, p.Steps, p.State, p.Calls, p.Status, p.Reason)))
	}
	return lines
}

func (w *watcher) want(t *testing.T, lines ...string) {
	t.Helper()
	if got := w.lines(); strings.Join(got, "\n") != strings.Join(lines, "\n") {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(lines, "\n"))
	}
}

func watched(w *watcher) pipeline.Input {
	in := input(nil)
	in.Observe = w.observe
	return in
}

func TestProgress(t *testing.T) {
	t.Parallel()
	a := newApp(t, inTurn(says(201, `{"id": 7}`), says(200, `{"status": "LEAK"}`), says(503, ""), hangUp, says(200, `{"status": "done"}`), says(500, "")))
	first := pipeline.Step{Name: "start", Method: "post", Endpoint: a.URL + "/x?t=LEAK", Outputs: map[string]string{"ID": ".id"}}
	w := &watcher{}
	err := parse(t, quick(), first, waiting(a.URL+"/{{ .Previous.Outputs.ID }}", status("done", "")), get(a.URL), get(a.URL)).Run(t.Context(), "m", watched(w))
	wantFailure(t, err, 2, pipeline.StepFailed)
	w.want(t,
		"0/4 running 0 0", "0/4 ok 1 201",
		"1/4 running 0 0", "1/4 running 1 200 .status is not yet one of its successes", "1/4 running 2 503 the last poll was answered 503",
		"1/4 running 3 0 the last poll got no answer, the connection was closed without an answer", "1/4 ok 4 200",
		"2/4 running 0 0", "2/4 failed 1 500 answered 500",
	)
	for _, p := range w.told {
		if p.StartedAt.IsZero() || p.Took < 0 || p.Took > time.Since(p.StartedAt) || p.Async {
			t.Errorf("told %+v", p)
		}
	}
	began, polled := w.told[0], w.told[2]
	if began.Name != "start" || began.Method != http.MethodPost || began.Endpoint != a.URL+"/x?t=***" || polled.Endpoint != a.URL+"/***" {
		t.Errorf("told %+v and %+v", began, polled)
	}
	if text := fmt.Sprintf("%+v", w.told); strings.Contains(text, "LEAK") {
		t.Errorf("a secret was told: %s", text)
	}
}

// What cannot be rendered has begun and failed, without a call.
func TestProgressWithoutACall(t *testing.T) {
	t.Parallel()
	w := &watcher{}
	err := parse(t, quick(), get(`http://h.example.com/{{ env "NOPE" }}`)).Run(t.Context(), "m", watched(w))
	wantFailure(t, err, 0, pipeline.StepFailed)
	w.want(t, "0/1 running 0 0", "0/1 failed 0 0 endpoint: environment variable NOPE is not set; nothing was sent")
}

func TestProgressOfAnInterruptedRun(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]func(url string) pipeline.Step{
		"call":  get,
		"wait":  func(url string) pipeline.Step { return waiting(url, status("done", "")) },
		"async": async,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHeld()
			a := newApp(t, h.answer(200))
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-h.reached
				cancel()
			}()
			w := &watcher{}
			if err := parse(t, patient(), step(a.URL), get(a.URL)).Run(ctx, "m", watched(w)); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			w.want(t, "0/2 running 0 0", "0/2 interrupted 1 0 interrupted")
			w = &watcher{}
			if err := parse(t, quick(), get(a.URL)).Run(ctx, "m", watched(w)); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			w.want(t)
		})
	}
}

// An async step that goes on is told of twice: when the run leaves it behind, and when its call ends, however late.
func TestProgressOfAsyncSteps(t *testing.T) {
	t.Parallel()
	h := newHeld()
	a := newApp(t, inTurn(h.answer(500), says(200, "")))
	p := parse(t, quick(), async(a.URL), get(a.URL))
	w := &watcher{}
	if err := p.Run(t.Context(), "m", watched(w)); err != nil {
		t.Fatal(err)
	}
	run := []string{"0/2 running 0 0", "0/2 pending 1 0", "1/2 running 0 0", "1/2 ok 1 200"}
	w.want(t, run...)
	close(h.free)
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.want(t, append(run, "0/2 failed 1 500 answered 500")...)
	if !w.told[0].Async {
		t.Errorf("told %+v", w.told[0])
	}
}

func TestProgressOfAnIgnoredFailure(t *testing.T) {
	t.Parallel()
	w := &watcher{}
	a := newApp(t, inTurn(says(http.StatusConflict, ""), says(200, "")))
	if err := parse(t, patient(), async(a.URL), get(a.URL)).Run(t.Context(), "m", watched(w)); err != nil {
		t.Fatal(err)
	}
	w.want(t, "0/2 running 0 0", "0/2 failed 1 409 answered 409", "1/2 running 0 0", "1/2 ok 1 200")
}

func TestProgressWhenTheProcessStops(t *testing.T) {
	t.Parallel()
	h := newHeld()
	a := newApp(t, h.answer(200))
	p := parse(t, quick(), async(a.URL))
	w := &watcher{}
	if err := p.Run(t.Context(), "m", watched(w)); err != nil {
		t.Fatal(err)
	}
	<-h.reached
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w.want(t, "0/1 running 0 0", "0/1 pending 1 0", "0/1 interrupted 1 0 was cut off: the process stops")
}

// A run costs nothing more while nobody looks.
func TestNobodyLooks(t *testing.T) {
	t.Parallel()
	a := newApp(t, says(200, ""))
	if _, err := run(t, quick(), get(a.URL)); err != nil {
		t.Fatal(err)
	}
}
