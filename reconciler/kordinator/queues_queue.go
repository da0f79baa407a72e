package kordinator

import (
	"slices"
	"time"
)

// shrinkAt is how many jobs a queue must have held for its memory to be given back once it holds none.
const shrinkAt = 1_000

// queue is the jobs of one name. It is guarded by the lock of its Queues. All moments are counted from their beginning.
type queue[J comparable] struct {
	name    string
	open    bool
	limits  Limits
	items   map[J]*item[J] // those that wait, run or are delayed
	most    int            // so many at a time, since there were none
	arrived line           // those that are to have a turn, in the order in which they were added
	lanes   [2]line        // those of them that do not run
	passed  int            // turns in a row in which a Bulk job had to let a Live one pass
	delayed pile[*item[J]] // the earliest first

	workers []*item[J] // what they do, by number; nil: nothing
	running int
	latest  uint64 // its latest turn; 0: it has had none
	opened  uint64
	endings []*ending

	refused uint64
	owed    bool // somebody was refused, and has not been told that there is room

	readyAt, alarmAt int
}

// ending is what waits for the end of the turns up to one.
type ending struct {
	last uint64
	left int // so many of them run
	idle chan struct{}
}

func newQueue[J comparable](name string, opened uint64) *queue[J] {
	return &queue[J]{
		name: name, opened: opened, items: map[J]*item[J]{},
		delayed: pile[*item[J]]{before: (*item[J]).before, place: (*item[J]).delayPlace},
	}
}

func (o *queue[J]) readyPlace() *int { return &o.readyAt }
func (o *queue[J]) alarmPlace() *int { return &o.alarmAt }

// before tells whether a free slot goes to this queue rather than to the other.
func (o *queue[J]) before(other *queue[J]) bool {
	switch {
	case o.running != other.running:
		return o.running < other.running
	case o.latest != other.latest:
		return o.latest < other.latest
	default:
		return o.opened < other.opened
	}
}

// ready tells whether the queue has use for a free slot.
func (o *queue[J]) ready() bool {
	return o.open && o.lanes[Live].n+o.lanes[Bulk].n > 0 && (o.limits.Workers < 1 || o.running < o.limits.Workers)
}

func (o *queue[J]) full() bool { return o.limits.MaxDepth > 0 && o.arrived.n >= o.limits.MaxDepth }

// drained tells whether the queue is far enough from full that jobs it has refused should come.
func (o *queue[J]) drained() bool { return o.arrived.n <= o.limits.MaxDepth/2 }

// item returns the job's item, a new one if there is none.
func (o *queue[J]) item(job J) *item[J] {
	it := o.items[job]
	if it == nil {
		it = newItem(job)
		o.items[job] = it
		o.most = max(o.most, len(o.items))
	}
	return it
}

// drop forgets an item that nothing is to happen to any more.
func (o *queue[J]) drop(it *item[J]) {
	if it.waits || it.turn != 0 || it.delayAt != 0 {
		return
	}
	delete(o.items, it.job)
	if len(o.items) == 0 && o.most >= shrinkAt {
		o.items, o.most = map[J]*item[J]{}, 0
	}
}

// add has a job wait, and tells whether it does.
func (o *queue[J]) add(lane Lane, job J, now time.Duration) bool {
	it := o.items[job]
	switch {
	case it != nil && it.waits:
		o.hurry(it, lane)
		return true
	case o.full():
		o.refused++
		o.owed = true
		return false
	}
	it = o.item(job)
	it.waits, it.lane, it.since = true, lane, now
	o.arrived.push(&it.arrival)
	if it.turn == 0 {
		o.lanes[lane].push(&it.standing)
	}
	return true
}

// hurry moves an item that waits as Bulk to Live, if that is the lane.
func (o *queue[J]) hurry(it *item[J], lane Lane) {
	if lane >= it.lane {
		return
	}
	if it.turn == 0 {
		o.lanes[it.lane].remove(&it.standing)
		o.lanes[lane].push(&it.standing)
	}
	it.lane = lane
}

// begin begins a turn of the next job. There must be one.
func (o *queue[J]) begin(serial uint64, now time.Duration) Turn[J] {
	lane, passed := next(o.lanes[Live].n, o.lanes[Bulk].n, o.passed)
	o.passed = passed
	it := itemOf[J](o.lanes[lane].front())
	o.lanes[lane].remove(&it.standing)
	o.arrived.remove(&it.arrival)
	it.waits, it.turn, it.worker = false, serial, slices.Index(o.workers, nil)
	if it.worker < 0 {
		it.worker = len(o.workers)
		o.workers = append(o.workers, nil)
	}
	o.workers[it.worker] = it
	o.running++
	o.latest = serial
	return Turn[J]{Queue: o.name, Job: it.job, Worker: it.worker, Waited: now - it.since, serial: serial}
}

// end ends a turn, and tells whether it ran.
func (o *queue[J]) end(t Turn[J]) bool {
	it := o.items[t.Job]
	if it == nil || it.turn == 0 || it.turn != t.serial {
		return false
	}
	it.turn = 0
	o.workers[it.worker] = nil
	o.running--
	if it.waits {
		o.lanes[it.lane].push(&it.standing)
	}
	o.drop(it)
	o.endings = slices.DeleteFunc(o.endings, func(e *ending) bool { return e.ended(t.serial) })
	return true
}

// ended notes the end of a turn, and tells whether it was the last that was waited for.
func (e *ending) ended(serial uint64) bool {
	if serial <= e.last {
		e.left--
	}
	if e.left == 0 {
		close(e.idle)
	}
	return e.left == 0
}

// close forgets what waits and what is delayed.
func (o *queue[J]) close() {
	o.open, o.owed, o.refused = false, false, 0
	o.items, o.most = map[J]*item[J]{}, 0
	for _, it := range o.workers {
		if it == nil {
			continue
		}
		if it.waits {
			o.arrived.remove(&it.arrival)
		}
		it.waits, it.delayAt = false, 0
		o.items[it.job] = it
	}
	o.arrived, o.lanes, o.delayed.things = line{}, [2]line{}, nil
}

// ending returns what is closed when the turns that run now are done.
func (o *queue[J]) ending() <-chan struct{} {
	if n := len(o.endings); n > 0 && o.endings[n-1].last == o.latest {
		return o.endings[n-1].idle // no turn has begun since
	}
	e := &ending{last: o.latest, left: o.running, idle: make(chan struct{})}
	if e.left == 0 {
		close(e.idle)
	} else {
		o.endings = append(o.endings, e)
	}
	return e.idle
}
