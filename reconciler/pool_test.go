package reconciler_test

import (
	"net/http"
	"runtime"
	"sync"
	"testing"

	"kayra/reconciler"
)

// gauge counts what runs at the same time. The first calls wait until so many run.
type gauge struct {
	want    int
	reached chan struct{} // closed when they do

	mu        sync.Mutex
	now, most int
}

func newGauge(want int) *gauge { return &gauge{want: want, reached: make(chan struct{})} }

func (g *gauge) answer(c call) int {
	g.mu.Lock()
	g.now++
	if g.most = max(g.most, g.now); g.now == g.want && !ended(g.reached) {
		close(g.reached)
	}
	g.mu.Unlock()
	select {
	case <-g.reached:
	case <-c.gone:
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now--
	return http.StatusOK
}

func TestPoolBoundsWhatRunsAtOnce(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		const slots = 5
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = slots }
		w.start()
		g := newGauge(slots * w.fleet.processes)
		w.app.behave(g.answer)
		names := w.crowd(100)
		w.eventually("all slots are used", func() bool { return ended(g.reached) })
		w.allSynced()
		w.settle()
		if g.most > g.want {
			t.Errorf("%d calls ran at once, not at most %d", g.most, g.want)
		}
		for _, ns := range names {
			w.wantCalled(ns, 1)
		}
	})
}

// What waits costs no goroutine.
func TestNoGoroutineForASubscriber(t *testing.T) { //nolint:paralleltest // it counts the goroutines of the whole process
	w := newWorld(t, fleet{"local", 1})
	w.options = func(o *reconciler.Options) { o.MaxConcurrent = 2 }
	w.start()
	calls := w.hold(every)
	w.register(compute, "running-1", "running-2")
	first, second := w.next(calls), w.next(calls)
	before := runtime.NumGoroutine()
	for _, ns := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		for _, k := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
			w.subscribe(compute, ns+k)
		}
	}
	w.eventually("all wait", func() bool { return w.metric(`kayra_reconciler_jobs_due{api="compute.example.com"}`) == 100 })
	if after := runtime.NumGoroutine(); after > before+50 {
		t.Errorf("%d goroutines with two subscribers, %d with a hundred more", before, after)
	}
	w.app.behave(succeeds)
	first.answer(http.StatusOK)
	second.answer(http.StatusOK)
	w.allSynced()
}
