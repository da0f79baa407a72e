package kordinator_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"kayra/reconciler/kordinator"
)

// forgotten waits until the garbage collector has freed so many.
func forgotten(t *testing.T, freed *atomic.Int32, want int32) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for freed.Load() < want {
		if ctx.Err() != nil {
			t.Fatalf("%d of %d are freed", freed.Load(), want)
		}
		runtime.GC()
		runtime.Gosched()
	}
}

// tracked is a job that is counted when it is freed.
type tracked [64]byte

func newTracked(freed *atomic.Int32) *tracked {
	j := new(tracked)
	runtime.AddCleanup(j, func(int) { freed.Add(1) }, 0)
	return j
}

// Nothing is kept of jobs that are done, refused or forgotten.
func TestJobsAreForgotten(t *testing.T) {
	t.Parallel()
	var freed atomic.Int32
	q := kordinator.NewQueues[*tracked](2, nil)
	t.Cleanup(q.ShutDown)
	q.Open("q", kordinator.Limits{MaxDepth: 1})
	q.Add("q", bulk, newTracked(&freed))
	q.Add("q", bulk, newTracked(&freed)) // refused
	q.AddAfter("q", bulk, newTracked(&freed), time.Microsecond)
	for q.Stats("q").Refused < 2 {
		runtime.Gosched()
	}
	turn, _ := q.Get()
	q.Add("q", bulk, turn.Job)
	q.Done(turn)
	turn, _ = q.Get()
	q.Done(turn)
	forgotten(t, &freed, 3)
	q.Open("q", kordinator.Limits{})
	q.Add("q", bulk, newTracked(&freed))
	q.Add("q", bulk, newTracked(&freed))
	q.AddAfter("q", bulk, newTracked(&freed), time.Hour)
	turn, _ = q.Get()
	q.Close("q")
	forgotten(t, &freed, 5)
	q.Done(turn)
	forgotten(t, &freed, 6)
	runtime.KeepAlive(q)
}

// Once nothing is delayed any more, no timer runs and keeps what it would wake.
func TestNoTimerIsLeft(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(q *kordinator.Queues[int]){
		"ShutDown": (*kordinator.Queues[int]).ShutDown,
		"Close":    func(q *kordinator.Queues[int]) { q.Close("q") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var freed atomic.Int32
			func() {
				q := kordinator.NewQueues[int](1, nil)
				runtime.AddCleanup(q, func(int) { freed.Add(1) }, 0)
				q.Open("q", kordinator.Limits{})
				q.AddAfter("q", bulk, 1, time.Hour)
				end(q)
			}()
			forgotten(t, &freed, 1)
		})
	}
}
