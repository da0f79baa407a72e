package reconciler_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/store/catalog"
)

// scales has the registration run with one worker, and with more while jobs wait.
func scales(workers int) catalog.Operator {
	return catalog.Operator{
		Workers: new(1),
		Autoscale: &catalog.Autoscale{
			Interval: new(catalog.Duration(time.Second)), Cooldown: new(catalog.Duration(0)),
			When: []catalog.ScaleCondition{{Metric: "queueDepth", Op: ">=", Value: 1}},
			Do:   &catalog.ScaleAdjustments{Workers: &workers},
		},
	}
}

// most is how many calls were in flight at most.
type most struct{ now, peak atomic.Int64 }

func (m *most) begin() {
	for n := m.now.Add(1); ; {
		if was := m.peak.Load(); n <= was || m.peak.CompareAndSwap(was, n) {
			return
		}
	}
}

// Workers grow while there is a load, shrink when it has gone also while jobs wait, and nothing is lost or done twice.
func TestAutoscale(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		w.operated(scales(4))
		var flight most
		release := make(chan struct{})
		w.app.behave(func(call) int {
			flight.begin()
			defer flight.now.Add(-1)
			<-release
			return http.StatusOK
		})
		w.start()
		names := make([]string, 20)
		for i := range names {
			names[i] = fmt.Sprintf("t%02d", i)
		}
		w.register(compute, names...)
		w.eventually("four workers run", func() bool { return flight.now.Load() == 4 })
		close(release)
		w.synced(names...)
		w.settle()
		if peak := flight.peak.Load(); peak != 4 {
			t.Errorf("%d calls were in flight at a time", peak)
		}
		for _, ns := range names {
			w.wantCalled(ns, 1)
		}
		w.eventually("the limits go back", func() bool { return slices.Equal(w.limitsSet(), []float64{1, 4, 1}) })
	})
}

// limitsSet are the limits on workers that there have been.
func (w *world) limitsSet() []float64 {
	var limits []float64
	for _, l := range w.logged() {
		if l.text("msg") == "limits set" {
			limits = append(limits, l["workers"].(float64))
		}
	}
	return limits
}

// A depth that is limited refuses no job for good: what had no room follows.
func TestMaxDepthLosesNothing(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(catalog.Operator{MaxDepth: new(3)})
		w.options = both(w.options, func(o *reconciler.Options) { o.MaxConcurrent = 2 })
		w.start()
		names := make([]string, 100)
		for i := range names {
			names[i] = fmt.Sprintf("t%02d", i)
		}
		w.register(compute, names...)
		w.synced(names...)
		w.sync(catalog.SyncRequest{})
		w.synced(names...)
		w.settle()
		for _, ns := range names {
			w.wantCalled(ns, 2)
		}
	})
}

func both(first, second func(*reconciler.Options)) func(*reconciler.Options) {
	return func(o *reconciler.Options) {
		first(o)
		second(o)
	}
}

// One registration with many slow jobs delays another's first job by one turn of a slot, however many of its own wait.
func TestNewcomerInAStorm(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		const slots = 2
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = slots }
		p := w.startOne()
		w.depends(apiB, nil, "sre")
		w.reaches(apiB, "sre")
		w.settle()
		calls := w.hold(every)
		names := make([]string, 200)
		for i := range names {
			names[i] = fmt.Sprintf("t%03d", i)
		}
		w.depends(apiA, nil, names...)
		first, second := w.next(calls), w.next(calls)
		w.eventually("the storm waits", func() bool { return p.Waiting(apiA) == len(names)-slots })
		w.resync(apiB)
		w.eventually("the newcomer waits", func() bool { return p.Waiting(apiB) == 1 })
		first.answer(http.StatusOK)
		next := w.next(calls)
		if want := apiB + "/sre"; next.namespace != want {
			t.Errorf("the slot that was freed went to %s, not to %s", next.namespace, want)
		}
		w.app.behave(func(call) int { return http.StatusOK })
		next.answer(http.StatusOK)
		second.answer(http.StatusOK)
		w.reaches(apiB, "sre")
	})
}
