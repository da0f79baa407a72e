package kordinator_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing/synctest"

	"pgregory.net/rapid"

	"kayra/reconciler/kordinator"
)

// check compares what both show.
func (m *model) check(r *rapid.T) {
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkTurns(r)
	agree(r, "the calls of room", m.realRooms, m.rooms)
	for _, name := range []string{"a", "b", "c", "d"} {
		q := m.queues[name]
		if q == nil {
			q = &naiveQueue{}
		}
		if got, want := m.real.Stats(name), m.stats(q); got != want {
			r.Fatalf("%s has %+v, not %+v", name, got, want)
		}
		workers := make([]int, 0, len(q.runs))
		for _, t := range q.runs {
			workers = append(workers, t.worker)
		}
		slices.Sort(workers)
		agree(r, "the workers of "+name, m.real.Running(name), workers)
		m.checkPositions(r, name, q)
	}
	for _, idle := range m.idles {
		select {
		case <-idle.real:
			agree(r, "what an idle queue runs", []int{idle.left}, []int{0})
		default:
			if idle.left == 0 {
				r.Fatal("a queue is not idle when its last turn is done")
			}
		}
	}
}

func (m *model) checkTurns(r *rapid.T) {
	want := make([]turn, 0, len(m.realTurns))
	for _, t := range m.begins() {
		want = append(want, turn{Queue: t.queue, Job: t.job, Worker: t.worker, Waited: t.waited})
	}
	text := func(turns []turn) []string {
		var all []string
		for _, t := range turns {
			all = append(all, fmt.Sprint(t.Queue, " ", t.Job, " ", t.Worker, " ", t.Waited))
		}
		slices.Sort(all)
		return all
	}
	agree(r, "the turns that begin", text(m.realTurns), text(want))
	m.running = append(m.running, m.realTurns...)
	m.realTurns = nil
}

func (m *model) checkPositions(r *rapid.T, name string, q *naiveQueue) {
	order := q.order()
	for job := range 13 {
		at, waits := m.real.Position(name, strconv.Itoa(job))
		want := 1 + slices.IndexFunc(order, func(w naiveJob) bool { return w.job == strconv.Itoa(job) })
		if at != want || waits != (want > 0) {
			r.Fatalf("the position of %d in %s is %d, %t, not %d", job, name, at, waits, want)
		}
	}
}

func (m *model) stats(q *naiveQueue) kordinator.Stats {
	s := kordinator.Stats{Depth: q.depth(), Running: len(q.runs), Delayed: len(q.delays), Refused: q.refused}
	if q.open {
		if s.Workers = m.slots; q.limits.Workers > 0 {
			s.Workers = min(m.slots, q.limits.Workers)
		}
	}
	oldest := m.now
	for _, w := range q.waits {
		oldest = min(oldest, w.at)
	}
	for _, t := range q.runs {
		if t.again != nil {
			oldest = min(oldest, t.again.at)
		}
	}
	if s.Depth > 0 {
		s.Oldest = max(0, m.now-oldest)
	}
	return s
}

func agree[T comparable](r *rapid.T, what string, got, want []T) {
	r.Helper()
	if !slices.Equal(got, want) {
		r.Fatalf("%s: %v, not %v", what, got, want)
	}
}
