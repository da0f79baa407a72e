package kordinator_test

import (
	"cmp"
	"slices"
	"time"

	"kayra/reconciler/kordinator"
)

// naive does what Queues promise, with lists that it searches.
type naive struct {
	slots   int
	now     time.Duration
	clock   int
	queues  map[string]*naiveQueue
	getters int // so many wait for a turn
	rooms   []string
}

type naiveQueue struct {
	name           string
	open           bool
	limits         kordinator.Limits
	waits          []naiveJob // in the order of their standing in each lane
	delays         []naiveJob
	runs           []naiveTurn
	passed         int
	latest, opened int
	refused        uint64
	owed           bool
}

type naiveJob struct {
	job   string
	lane  kordinator.Lane
	at    time.Duration // when it was added, or is to be
	order int
}

type naiveTurn struct {
	job, queue string
	worker     int
	waited     time.Duration
	again      *naiveJob
	idle       []*naiveIdle
}

type naiveIdle struct {
	left int
	real <-chan struct{}
}

func (m *naive) tick() int {
	m.clock++
	return m.clock
}

func (q *naiveQueue) depth() int {
	n := len(q.waits)
	for _, r := range q.runs {
		if r.again != nil {
			n++
		}
	}
	return n
}

func (q *naiveQueue) full() bool { return q.limits.MaxDepth > 0 && q.depth() >= q.limits.MaxDepth }

func (m *naive) limit(name string, l kordinator.Limits, open bool) {
	q := m.queues[name]
	if q == nil {
		q = &naiveQueue{name: name, opened: m.tick()}
		m.queues[name] = q
	}
	if !open && !q.open {
		return
	}
	q.open, q.limits = true, l
	if q.owed && !q.full() {
		q.owed = false
		m.rooms = append(m.rooms, name)
	}
}

func (m *naive) close(name string, idles <-chan struct{}) *naiveIdle {
	idle := &naiveIdle{real: idles}
	q := m.queues[name]
	if q == nil {
		return idle
	}
	q.open, q.owed, q.refused, q.waits, q.delays = false, false, 0, nil, nil
	for i := range q.runs {
		q.runs[i].again = nil
		q.runs[i].idle = append(q.runs[i].idle, idle)
		idle.left++
	}
	m.release(q)
	return idle
}

func (m *naive) release(q *naiveQueue) {
	if !q.open && len(q.runs) == 0 {
		delete(m.queues, q.name)
	}
}

func (m *naive) add(name string, lane kordinator.Lane, job string) bool {
	q := m.queues[name]
	if q == nil || !q.open {
		return false
	}
	if i := slices.IndexFunc(q.waits, func(w naiveJob) bool { return w.job == job }); i >= 0 {
		if w := q.waits[i]; lane < w.lane {
			w.lane = lane
			q.waits = append(slices.Delete(q.waits, i, i+1), w)
		}
		return true
	}
	i := slices.IndexFunc(q.runs, func(r naiveTurn) bool { return r.job == job })
	if i >= 0 && q.runs[i].again != nil {
		q.runs[i].again.lane = min(q.runs[i].again.lane, lane)
		return true
	}
	if q.full() {
		q.refused++
		q.owed = true
		return false
	}
	w := naiveJob{job: job, lane: lane, at: m.now}
	if i >= 0 {
		q.runs[i].again = &w
	} else {
		q.waits = append(q.waits, w)
	}
	return true
}

func (m *naive) addAfter(name string, lane kordinator.Lane, job string, d time.Duration) {
	q := m.queues[name]
	if q == nil || !q.open {
		return
	}
	if d <= 0 {
		m.add(name, lane, job)
		return
	}
	w := naiveJob{job: job, lane: lane, at: m.now + d, order: m.tick()}
	i := slices.IndexFunc(q.delays, func(w naiveJob) bool { return w.job == job })
	if i < 0 {
		q.delays = append(q.delays, w)
		return
	}
	old := &q.delays[i]
	old.lane = min(old.lane, lane)
	if w.at < old.at {
		old.at, old.order = w.at, w.order
	}
}

// nextDelay is the first that ends until then.
func (m *naive) nextDelay(until time.Duration) (*naiveQueue, int) {
	var of *naiveQueue
	at := -1
	for _, q := range m.queues {
		for i, w := range q.delays {
			if w.at <= until && (of == nil || cmp.Or(cmp.Compare(w.at, of.delays[at].at), cmp.Compare(w.order, of.delays[at].order)) < 0) {
				of, at = q, i
			}
		}
	}
	return of, at
}

func (m *naive) done(t naiveTurn) {
	q := m.queues[t.queue]
	i := slices.IndexFunc(q.runs, func(r naiveTurn) bool { return r.job == t.job })
	t = q.runs[i]
	q.runs = slices.Delete(q.runs, i, i+1)
	if t.again != nil {
		q.waits = append(q.waits, *t.again)
	}
	for _, idle := range t.idle {
		idle.left--
	}
	m.release(q)
}

// begins is the turns that begin now.
func (m *naive) begins() []naiveTurn {
	var all []naiveTurn
	for ; m.getters > 0; m.getters-- {
		q := m.pick()
		if q == nil {
			break
		}
		all = append(all, m.begin(q))
	}
	return all
}

func (m *naive) pick() *naiveQueue {
	var best *naiveQueue
	running := 0
	for _, q := range m.queues {
		running += len(q.runs)
		if !q.open || len(q.waits) == 0 || q.limits.Workers > 0 && len(q.runs) >= q.limits.Workers {
			continue
		}
		if best == nil || cmp.Or(cmp.Compare(len(q.runs), len(best.runs)), cmp.Compare(q.latest, best.latest),
			cmp.Compare(q.opened, best.opened)) < 0 {
			best = q
		}
	}
	if running >= m.slots {
		return nil
	}
	return best
}

// order is the jobs that wait, in the order of their turns.
func (q *naiveQueue) order() []naiveJob {
	var lanes [2][]naiveJob
	for _, w := range q.waits {
		lanes[w.lane] = append(lanes[w.lane], w)
	}
	var all []naiveJob
	for passed := q.passed; len(lanes[live])+len(lanes[bulk]) > 0; {
		lane := live
		if len(lanes[live]) == 0 || len(lanes[bulk]) > 0 && passed == 3 {
			lane = bulk
		}
		passed++
		if lane == bulk || len(lanes[bulk]) == 0 {
			passed = 0
		}
		all = append(all, lanes[lane][0])
		lanes[lane] = lanes[lane][1:]
	}
	return all
}

func (m *naive) begin(q *naiveQueue) naiveTurn {
	w := q.order()[0]
	q.passed++
	if w.lane == bulk || !slices.ContainsFunc(q.waits, func(w naiveJob) bool { return w.lane == bulk }) {
		q.passed = 0
	}
	q.waits = slices.DeleteFunc(q.waits, func(o naiveJob) bool { return o.job == w.job })
	t := naiveTurn{job: w.job, queue: q.name, waited: m.now - w.at}
	for slices.ContainsFunc(q.runs, func(r naiveTurn) bool { return r.worker == t.worker }) {
		t.worker++
	}
	q.runs = append(q.runs, t)
	q.latest = m.tick()
	if q.owed && q.depth() <= q.limits.MaxDepth/2 {
		q.owed = false
		m.rooms = append(m.rooms, q.name)
	}
	return t
}
