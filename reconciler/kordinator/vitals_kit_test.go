package kordinator_test

import (
	"math"
	"sync"
	"testing"
	"time"

	"kayra/reconciler/kordinator"
)

// watch is a clock that somebody sets.
type watch struct {
	mu sync.Mutex
	at time.Time
}

func newWatch() *watch { return &watch{at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

func (w *watch) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.at
}

func (w *watch) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = w.at.Add(d)
}

// patient are vitals of a registration that has started, with their clock.
type patient struct {
	*kordinator.Vitals
	*watch
}

func newPatient(workers int) *patient {
	w := newWatch()
	p := &patient{Vitals: kordinator.NewVitals(w.now), watch: w}
	p.SetWorkers(workers)
	p.Started()
	return p
}

// attempt has worker 0 be busy for a time.
func (p *patient) attempt(took time.Duration, r kordinator.Result) {
	end := p.Begin(0)
	p.pass(took)
	r.Took = took
	end(r)
}

func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !nearly(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func nearly(got, want float64) bool { return math.Abs(got-want) <= 1e-6*max(1, math.Abs(want)) }

// middled tells whether a duration is as near to the true one as is promised.
func middled(got, want time.Duration) bool {
	return (got - want).Abs() <= max(want/16, 33*time.Microsecond)
}
