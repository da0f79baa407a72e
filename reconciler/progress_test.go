package reconciler_test

import (
	"net/http"
	"strings"
	"testing"

	"kayra/reconciler"
	"kayra/store/catalog"
)

// A run whose step takes a while tells which one it is, to everyone who reads the subscription.
func TestRunningStepIsTold(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		release := make(chan struct{})
		w.app.behave(func(call) int { <-release; return http.StatusOK })
		w.start()
		w.register(compute, "sre")
		w.eventually("the step is told", func() bool {
			v := w.sub("sre")
			return v.Reason == catalog.ReasonRunning && strings.Contains(v.Message, "step 1 of 1 since ")
		})
		close(release)
		w.synced("sre")
		if n := len(w.app.of("sre")); n != 1 {
			t.Errorf("%d calls: to note a step disturbed the run", n)
		}
	})
}

// Those that wait for a slot tell how many do.
func TestQueueIsTold(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		release := make(chan struct{})
		w.app.behave(func(call) int { <-release; return http.StatusOK })
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = 1 }
		w.start()
		w.register(compute, "apps", "ops", "sre", "web", "x", "y")
		w.eventually("the length of the queue is told", func() bool {
			for _, ns := range []string{"apps", "ops", "sre", "web", "x", "y"} {
				if v := w.sub(ns); v.Reason == catalog.ReasonQueued && strings.Contains(v.Message, "waiting for a slot") {
					return true
				}
			}
			return false
		})
		close(release)
		w.synced("apps", "ops", "sre", "web", "x", "y")
	})
}
