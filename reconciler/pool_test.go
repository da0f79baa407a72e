package reconciler_test

import (
	"net/http"
	"runtime"
	"sync"
	"testing"

	"kayra/reconciler"
)

// gauge counts what runs at the same time. Nothing ends before it is opened.
type gauge struct {
	open chan struct{}

	mu        sync.Mutex
	now, most int
}

func (g *gauge) answer(c call) int {
	g.add(1)
	defer g.add(-1)
	select {
	case <-g.open:
	case <-c.gone:
	}
	return http.StatusOK
}

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now += n
	g.most = max(g.most, g.now)
}

func (g *gauge) seen() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.most
}

func TestPoolBoundsWhatRunsAtOnce(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		const slots = 5
		most := slots * w.fleet.processes
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = slots }
		w.start()
		g := &gauge{open: make(chan struct{})}
		w.app.behave(g.answer)
		names := w.crowd(100)
		w.eventually("all slots are used, and all others wait", func() bool {
			due := w.metric(`kayra_reconciler_jobs_due{api="compute.example.com"}`)
			return g.seen() >= most && due == float64((len(names)-most)*w.fleet.processes)
		})
		w.wantMetric("slots_in_use", float64(most))
		close(g.open)
		w.allSynced()
		w.settle()
		if got := g.seen(); got != most {
			t.Errorf("%d calls ran at once, not at most %d", got, most)
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
