package kordinator_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/reconciler/kordinator"
)

func TestCounts(t *testing.T) {
	t.Parallel()
	p := newPatient(1)
	s := p.Snapshot()
	same(t, "error rate before any attempt", s.ErrorRate(), 0)
	same(t, "last attempt before any", s.LastAttempt.IsZero(), true)
	for range 3 {
		p.attempt(time.Second, kordinator.Result{Message: "no answer"})
	}
	failed := p.now()
	s = p.Snapshot()
	same(t, "consecutive failures", s.Consecutive, 3)
	p.pass(time.Second)
	p.attempt(time.Second, kordinator.Result{OK: true})
	p.attempt(time.Second, kordinator.Result{Void: true, Message: "cut off"})
	s = p.Snapshot()
	same(t, "attempts", s.Attempts, 4)
	same(t, "failed", s.Failed, 3)
	same(t, "consecutive failures after a success", s.Consecutive, 0)
	same(t, "error rate", s.ErrorRate(), 0.75)
	same(t, "last error", s.LastError, kordinator.Failure{At: failed, Message: "no answer"})
	same(t, "last attempt", s.LastAttempt, failed.Add(2*time.Second))
	same(t, "recent attempts", s.Recent.Attempts, 4)
	near(t, "recent error rate", s.Recent.ErrorRatePercent, 75)
}

func TestMessageIsBounded(t *testing.T) {
	t.Parallel()
	p := newPatient(1)
	p.attempt(0, kordinator.Result{Message: "x" + strings.Repeat("é", 2_000)})
	got := p.Snapshot().LastError.Message
	same(t, "message", got, "x"+strings.Repeat("é", 511))
}

func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	p := newPatient(1)
	p.attempt(time.Second, kordinator.Result{OK: true, Panicked: true, Message: "it panicked", Stack: panicked(func() { panic("once") })})
	at := p.now()
	p.attempt(time.Second, kordinator.Result{Message: "no answer"})
	s := p.Snapshot()
	same(t, "panics", s.Panics, 1)
	same(t, "failed", s.Failed, 2)
	same(t, "recent error rate", s.Recent.ErrorRatePercent, 100)
	same(t, "error rate of the interval", s.Metrics.ErrorRatePercent, 100)
	same(t, "last error", s.LastError.Message, "no answer")
	same(t, "last error's stack", s.LastError.Stack, "")
	same(t, "last panic", s.LastPanic.Message, "it panicked")
	same(t, "last panic's time", s.LastPanic.At, at)
	if !strings.HasPrefix(s.LastPanic.Stack, "kayra/reconciler/kordinator_test.TestPanicIsAFailure.func1\n") {
		t.Errorf("stack:\n%s", s.LastPanic.Stack)
	}
}

func TestWorkers(t *testing.T) {
	t.Parallel()
	p := newPatient(3)
	want := func(what string, idle, processing int, states ...kordinator.WorkerState) {
		t.Helper()
		s := p.Snapshot()
		if !slices.Equal(s.States, states) {
			t.Errorf("%s: states %v, want %v", what, s.States, states)
		}
		same(t, what+": idle", s.Idle(), idle)
		same(t, what+": processing", s.Processing(), processing)
	}
	const idle, processing, stopped = kordinator.WorkerIdle, kordinator.WorkerProcessing, kordinator.WorkerStopped
	want("started", 3, 0, idle, idle, idle)
	first, third := p.Begin(0), p.Begin(2)
	want("two at work", 1, 2, processing, idle, processing)
	p.SetWorkers(1)
	want("a surplus one has yet to end", 0, 2, processing, stopped, processing)
	fifth := p.Begin(4)
	want("one of a higher number", 0, 3, processing, stopped, processing, stopped, processing)
	fifth(kordinator.Result{Void: true})
	third(kordinator.Result{OK: true})
	third(kordinator.Result{})
	want("it has ended, once", 0, 1, processing, stopped, stopped, stopped, stopped)
	same(t, "attempts", p.Snapshot().Attempts, 1)
	p.Stopped()
	want("stopped, and draining", 0, 1, processing, stopped, stopped, stopped, stopped)
	same(t, "workers of what is stopped", p.Snapshot().Workers, 0)
	same(t, "started at, of what is stopped", p.Snapshot().StartedAt.IsZero(), true)
	first(kordinator.Result{OK: true})
	p.pass(time.Minute)
	p.Started()
	want("started again", 1, 0, idle, stopped, stopped, stopped, stopped)
	same(t, "started at", p.Snapshot().StartedAt, p.now())
	same(t, "workers", p.Snapshot().Workers, 1)
}

func TestBusyIsWeightedByTime(t *testing.T) {
	t.Parallel()
	p := newPatient(2)
	p.pass(9 * time.Second)
	end := p.Begin(0)
	p.pass(3 * time.Second)
	m := p.Snapshot().Metrics
	near(t, "one of two for 3 s of 12 s", m.WorkersBusyPercent, 12.5)
	near(t, "the rest", m.WorkersIdlePercent, 87.5)
	p.SetWorkers(1)
	other := p.Begin(1)
	p.pass(15 * time.Second)
	m = p.Snapshot().Metrics
	near(t, "two where one may be", m.WorkersBusyPercent, 100)
	near(t, "none is idle", m.WorkersIdlePercent, 0)
	end(kordinator.Result{OK: true})
	other(kordinator.Result{OK: true})
	p.pass(16 * time.Second)
	near(t, "long idle", p.Snapshot().Metrics.WorkersBusyPercent, 0)
}

func TestNoWorkersAreNeitherBusyNorIdle(t *testing.T) {
	t.Parallel()
	w := newWatch()
	v := kordinator.NewVitals(w.now)
	v.SetWorkers(4)
	w.pass(time.Minute)
	same(t, "metrics", v.Snapshot().Metrics, kordinator.Metrics{})
	v.Begin(0)
	w.pass(time.Minute)
	same(t, "metrics", v.Snapshot().Metrics, kordinator.Metrics{})
	v.Started()
	w.pass(time.Second)
	near(t, "busy since the start", v.Snapshot().Metrics.WorkersBusyPercent, 25)
}

func TestDepthIsWeightedByTime(t *testing.T) {
	t.Parallel()
	p := newPatient(1)
	p.pass(5 * time.Second)
	p.Depth(30)
	p.Depth(30)
	p.pass(time.Second)
	p.Depth(6)
	p.pass(4 * time.Second)
	s := p.Snapshot()
	same(t, "depth", s.Depth, 6)
	near(t, "mean depth", s.Metrics.QueueDepth, (0*5+30*1+6*4)/10.0)
	p.pass(time.Hour)
	near(t, "mean of what stays", p.Snapshot().Metrics.QueueDepth, 6)
	p.Depth(0)
	p.pass(16 * time.Second)
	near(t, "mean of nothing", p.Snapshot().Metrics.QueueDepth, 0)
}

// What ended longer ago than the span, and a twentieth of it, is recent no more.
func TestRecentEnds(t *testing.T) {
	t.Parallel()
	p := newPatient(1)
	p.pass(time.Second)
	p.attempt(time.Second, kordinator.Result{Message: "no answer"})
	p.pass(15 * time.Second)
	s := p.Snapshot()
	same(t, "attempts of 5 min", s.Recent.Attempts, 1)
	same(t, "error rate of 15 s", s.Metrics.ErrorRatePercent, 100)
	p.pass(time.Second)
	s = p.Snapshot()
	same(t, "error rate of 15 s, later", s.Metrics.ErrorRatePercent, 0)
	same(t, "p95 of 15 s, later", s.Metrics.ReconcileDurationP95Ms, 0)
	p.pass(kordinator.RecentSpan - 18*time.Second)
	same(t, "error rate of 5 min", p.Snapshot().Recent.ErrorRatePercent, 100)
	p.pass(kordinator.RecentSpan/20 + 2*time.Second)
	s = p.Snapshot()
	same(t, "after more than 5 min", s.Recent, kordinator.Recent{})
	same(t, "lifetime error rate", s.ErrorRate(), 1)
}

// A quantile is the one in its place when all are sorted, neither the one before it nor the one after.
func TestQuantiles(t *testing.T) {
	t.Parallel()
	for place, quantile := range map[int]func(kordinator.Snapshot) time.Duration{
		500: func(s kordinator.Snapshot) time.Duration { return s.Recent.P50 },
		950: func(s kordinator.Snapshot) time.Duration { return s.Recent.P95 },
		990: func(s kordinator.Snapshot) time.Duration { return s.Recent.P99 },
	} {
		p := newPatient(1)
		for i := 1_000; i > 0; i-- {
			took := time.Second
			switch {
			case i < place:
				took = 10 * time.Millisecond
			case i > place:
				took = 100 * time.Second
			}
			p.Begin(0)(kordinator.Result{OK: true, Took: took})
		}
		s := p.Snapshot()
		if got := quantile(s); !middled(got, time.Second) {
			t.Errorf("place %d: got %s", place, got)
		}
		near(t, "p95 of the interval in ms", s.Metrics.ReconcileDurationP95Ms, float64(s.Recent.P95)/1e6)
	}
}

func TestDurationsOfAllSizes(t *testing.T) {
	t.Parallel()
	const longest = 73 * time.Minute
	for took := time.Duration(1); took < longest; took += took/7 + 1 {
		p := newPatient(1)
		p.Begin(0)(kordinator.Result{OK: true, Took: took})
		if got := p.Snapshot().Recent.P50; !middled(got, took) {
			t.Fatalf("got %s for %s", got, took)
		}
	}
	for _, took := range []time.Duration{-time.Second, 0, 1<<63 - 1} {
		p := newPatient(1)
		p.Begin(0)(kordinator.Result{OK: true, Took: took})
		if got := p.Snapshot().Recent.P99; !middled(got, min(max(took, 0), longest)) {
			t.Errorf("got %s for %s", got, took)
		}
	}
}

func TestIntervalChanges(t *testing.T) {
	t.Parallel()
	p := newPatient(1)
	p.attempt(time.Second, kordinator.Result{Message: "no answer"})
	p.pass(time.Second)
	p.SetInterval(0)
	same(t, "error rate of the interval there was", p.Snapshot().Metrics.ErrorRatePercent, 100)
	p.SetInterval(time.Hour)
	same(t, "error rate of another interval", p.Snapshot().Metrics.ErrorRatePercent, 0)
	near(t, "busy since the last change", p.Snapshot().Metrics.WorkersBusyPercent, 0)
	same(t, "error rate of 5 min", p.Snapshot().Recent.ErrorRatePercent, 100)
	p.attempt(time.Second, kordinator.Result{Message: "no answer"})
	p.pass(30 * time.Minute)
	same(t, "error rate of the hour", p.Snapshot().Metrics.ErrorRatePercent, 100)
	near(t, "busy in the hour", p.Snapshot().Metrics.WorkersBusyPercent, 100/1802.0)
	p.pass(33*time.Minute + 30*time.Second)
	same(t, "error rate after the hour", p.Snapshot().Metrics.ErrorRatePercent, 0)
	p.SetInterval(10 * time.Millisecond)
	end := p.Begin(0)
	p.pass(11 * time.Millisecond)
	near(t, "busy in a short interval", p.Snapshot().Metrics.WorkersBusyPercent, 100)
	end(kordinator.Result{OK: true})
}

// The windows of one that had nothing to do for long are the same when they are gone.
func TestIdleTakesNoMemory(t *testing.T) {
	t.Parallel()
	p := newPatient(4)
	p.pass(time.Hour)
	p.Snapshot()
	same(t, "windows before there was anything to do", p.Windowed(), false)
	same(t, "idle", p.Snapshot().Metrics, kordinator.Metrics{WorkersIdlePercent: 100})
	end := p.Begin(0)
	p.pass(3 * time.Second)
	near(t, "busy for 3 s of 15 s", p.Snapshot().Metrics.WorkersBusyPercent, 5)
	p.pass(time.Hour)
	p.Snapshot()
	same(t, "windows of what is busy for long", p.Windowed(), true)
	end(kordinator.Result{OK: true})
	p.pass(kordinator.RecentSpan)
	p.Snapshot()
	same(t, "windows while something is recent", p.Windowed(), true)
	p.pass(2 * kordinator.RecentSpan)
	before := p.Snapshot()
	same(t, "windows when nothing is", p.Windowed(), false)
	if after := p.Snapshot(); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("got %+v, want %+v", after, before)
	}
	p.Depth(1)
	p.pass(750 * time.Millisecond)
	near(t, "depth 1 for a twentieth", p.Snapshot().Metrics.QueueDepth, 0.05)
}

func TestClockThatGoesBack(t *testing.T) {
	t.Parallel()
	p := newPatient(1)
	p.pass(time.Minute)
	p.attempt(time.Second, kordinator.Result{OK: true})
	at := p.now()
	p.pass(-30 * time.Second)
	p.attempt(time.Second, kordinator.Result{OK: true})
	same(t, "last attempt", p.Snapshot().LastAttempt, at)
	p.pass(time.Minute)
	s := p.Snapshot()
	same(t, "recent attempts", s.Recent.Attempts, 2)
	near(t, "busy", s.Metrics.WorkersBusyPercent, 0)
}

func TestVitalsByMany(t *testing.T) {
	t.Parallel()
	const callers, each = 8, 500
	v := kordinator.NewVitals(time.Now)
	v.SetWorkers(callers)
	v.Started()
	var all sync.WaitGroup
	for worker := range callers {
		all.Go(func() {
			for i := range each {
				end := v.Begin(worker)
				v.Depth(i)
				end(kordinator.Result{OK: i%2 == 0, Took: time.Millisecond, Message: "no answer"})
			}
		})
	}
	all.Go(func() {
		for i := range each {
			v.SetWorkers(callers - i%2)
			v.SetInterval(time.Duration(i%3+1) * time.Millisecond)
			if s := v.Snapshot(); s.Failed > s.Attempts || s.Processing() > callers || s.Metrics.WorkersBusyPercent > 100+1e-9 {
				t.Errorf("impossible: %+v", s)
			}
		}
	})
	all.Wait()
	s := v.Snapshot()
	same(t, "attempts", s.Attempts, callers*each)
	same(t, "failed", s.Failed, callers*each/2)
	same(t, "processing", s.Processing(), 0)
}
