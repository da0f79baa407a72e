package kordinator_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kayra/reconciler/kordinator"
)

// hammered is a job that many goroutines add.
type hammered struct {
	added, seen atomic.Int64 // how often, and how much of that a turn has begun after
	runs        atomic.Int32
}

// hammer has workers, and clients that do all that may be done at once.
type hammer struct {
	*kordinator.Queues[int]

	jobs    map[string][]hammered
	workers sync.WaitGroup
	over    atomic.Int32 // turns that ran beside one of the same job, or beyond the slots
	running atomic.Int32
}

const (
	hammerSlots = 8
	hammerJobs  = 40
)

func newHammer(queues int) *hammer {
	h := &hammer{jobs: map[string][]hammered{}}
	h.Queues = kordinator.NewQueues[int](hammerSlots, h.room)
	for i := range queues {
		name := fmt.Sprint("q", i)
		h.jobs[name] = make([]hammered, hammerJobs)
		h.Open(name, kordinator.Limits{})
	}
	for range hammerSlots + 3 {
		h.workers.Go(h.work)
	}
	return h
}

func (h *hammer) work() {
	for {
		turn, ok := h.Get()
		if !ok {
			return
		}
		j := &h.jobs[turn.Queue][turn.Job]
		if j.runs.Add(1) > 1 || h.running.Add(1) > hammerSlots {
			h.over.Add(1)
		}
		j.seen.Store(j.added.Load())
		h.running.Add(-1)
		j.runs.Add(-1)
		h.Done(turn)
	}
}

// room adds those that have not been seen since they were added.
func (h *hammer) room(name string) {
	for i := range h.jobs[name] {
		if j := &h.jobs[name][i]; j.seen.Load() < j.added.Load() {
			h.Add(name, bulk, i)
		}
	}
}

// client does n things.
func (h *hammer) client(seed uint64, n int) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		name, job := fmt.Sprint("q", r.IntN(len(h.jobs))), r.IntN(hammerJobs)
		switch r.IntN(12) {
		case 0:
			h.Limit(name, kordinator.Limits{Workers: r.IntN(4), MaxDepth: r.IntN(hammerJobs)})
		case 1:
			h.Stats(name)
			h.Position(name, job)
			h.Running(name)
		case 2:
			h.jobs[name][job].added.Add(1)
			h.AddAfter(name, kordinator.Lane(r.IntN(2)), job, time.Duration(r.IntN(3_000))*time.Microsecond)
		case 3:
			h.Open(name, kordinator.Limits{Workers: r.IntN(4), MaxDepth: r.IntN(hammerJobs)})
		default:
			h.jobs[name][job].added.Add(1)
			h.Add(name, kordinator.Lane(r.IntN(2)), job)
		}
	}
}

// idle waits until nothing waits, runs or is delayed.
func (h *hammer) idle(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		left := 0
		for name := range h.jobs {
			s := h.Stats(name)
			left += s.Depth + s.Running + s.Delayed
		}
		if left == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("there is no end of turns")
		}
	}
}

// Whatever is limited meanwhile, each job that is added has a turn that begins after that, none runs beside itself, and no
// more run than there are slots.
func TestNothingIsDropped(t *testing.T) {
	t.Parallel()
	h := newHammer(5)
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() { h.client(uint64(i), 5_000) })
	}
	clients.Wait()
	for name := range h.jobs {
		h.Limit(name, kordinator.Limits{})
	}
	h.idle(t)
	h.ShutDown()
	h.workers.Wait()
	equal(t, "the number of turns that should not have begun", h.over.Load(), 0)
	for name, jobs := range h.jobs {
		for i := range jobs {
			if added, seen := jobs[i].added.Load(), jobs[i].seen.Load(); seen != added {
				t.Errorf("job %d of %s was added %d times, and the last turn began after %d", i, name, added, seen)
			}
		}
	}
}

// Queues come and go while others work, and each tells when it is idle.
func TestQueuesComeAndGo(t *testing.T) {
	t.Parallel()
	h := newHammer(5)
	var clients, closers sync.WaitGroup
	stop := make(chan struct{})
	for i := range 4 {
		clients.Go(func() { h.client(uint64(i), 5_000) })
	}
	for i := range 2 {
		closers.Go(func() {
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				case <-h.Close(fmt.Sprint("q", n%5)):
				}
			}
		})
	}
	clients.Wait()
	close(stop)
	closers.Wait()
	for name := range h.jobs {
		<-h.Close(name)
		equal(t, "what is left", h.Stats(name), kordinator.Stats{})
	}
	h.ShutDown()
	h.workers.Wait()
	equal(t, "the number of turns that should not have begun", h.over.Load(), 0)
}
