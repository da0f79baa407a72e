package kordinator

import "time"

// Stats is how a queue stands.
type Stats struct {
	Depth   int           // jobs that wait for a turn, those that run meanwhile too
	Running int           // turns
	Workers int           // that it may have at most
	Delayed int           // jobs whose delay has not ended
	Refused uint64        // jobs that were not taken since it was full, counted each time
	Oldest  time.Duration // how long the job waits that has waited longest; 0: none waits
}

// Stats tells how a queue stands. That of a queue which has never been opened, or has been closed and is idle, is zero.
func (q *Queues[J]) Stats(name string) Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if one == nil {
		return Stats{}
	}
	s := Stats{Depth: one.arrived.n, Running: one.running, Delayed: one.delayed.Len(), Refused: one.refused}
	if one.open {
		s.Workers = q.slots
		if l := one.limits.Workers; l > 0 {
			s.Workers = min(l, q.slots)
		}
	}
	if s.Depth > 0 {
		s.Oldest = q.now() - itemOf[J](one.arrived.front()).since
	}
	return s
}

// Running returns the workers of a queue whose turns run, by number. A number at or above Stats.Workers is that of a turn
// which began when there were more.
func (q *Queues[J]) Running(name string) []int {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if one == nil {
		return nil
	}
	running := make([]int, 0, one.running)
	for worker, it := range one.workers {
		if it != nil {
			running = append(running, worker)
		}
	}
	return running
}

// Position tells as which one of its queue a job would have its turn if no other job were added, from 1. It returns false
// for a job that does not wait, or runs.
func (q *Queues[J]) Position(name string, job J) (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if one == nil {
		return 0, false
	}
	it := one.items[job]
	if it == nil || !it.waits || it.turn != 0 {
		return 0, false
	}
	return one.position(it), true
}

// position plays the turns that come, up to the item's.
func (o *queue[J]) position(it *item[J]) int {
	ahead := 0
	for place := o.lanes[it.lane].front(); place != &it.standing; place = place.Next() {
		ahead++
	}
	left, passed := [2]int{o.lanes[Live].n, o.lanes[Bulk].n}, o.passed
	for n := 1; ; n++ {
		var lane Lane
		lane, passed = next(left[Live], left[Bulk], passed)
		left[lane]--
		if lane != it.lane {
			continue
		}
		if ahead == 0 {
			return n
		}
		ahead--
	}
}
