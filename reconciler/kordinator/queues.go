package kordinator

import (
	"sync"
	"time"
)

// Lane tells how urgent a job is.
type Lane int

// The lanes of a queue.
const (
	Live Lane = iota // about one subscriber alone
	Bulk             // one of many: of a fan-out, a start, a resync
)

// Limits bounds a queue. A number below 1 stands for no limit.
type Limits struct {
	Workers  int // at most this many of the pool's slots
	MaxDepth int // at most this many jobs that wait for a turn
}

// Turn is a job that is lent to a worker, until Done is called with it.
type Turn[J comparable] struct {
	Queue  string
	Job    J
	Worker int           // the worker of that queue whose turn it is, from 0: the lowest number that was free
	Waited time.Duration // since the job was added, or since its delay ended

	serial uint64
}

// Queues shares the slots of a pool between queues of jobs, of which each has a name. All its methods may be called by
// many goroutines at the same time.
type Queues[J comparable] struct {
	slots int
	room  func(queue string)
	began time.Time // moments are counted from here

	mu      sync.Mutex
	changed sync.Cond // there is a turn to begin, or none will ever be
	shut    bool
	queues  map[string]*queue[J] // those that are open, and those with turns that have not ended
	ready   pile[*queue[J]]      // those that a free slot may go to, the next one first
	alarms  pile[*queue[J]]      // those with delayed jobs, the earliest first
	timer   *time.Timer          // rings at the earliest of them; nil: there has been none
	running int
	serial  uint64 // of the latest turn, opening and delay, so that they are ordered
}

// NewQueues returns queues for a pool of so many slots: at most that many turns run at a time. When a queue has refused
// jobs for its depth and has room again, room is called with its name by the goroutine that made room, which holds no
// lock and has to wait for it. It may be called for one queue by two goroutines at once. It may be nil.
func NewQueues[J comparable](slots int, room func(queue string)) *Queues[J] {
	q := &Queues[J]{
		slots: slots, room: room, began: time.Now(), queues: map[string]*queue[J]{},
		ready:  pile[*queue[J]]{before: (*queue[J]).before, place: (*queue[J]).readyPlace},
		alarms: pile[*queue[J]]{before: (*queue[J]).rings, place: (*queue[J]).alarmPlace},
	}
	q.changed.L = &q.mu
	return q
}

// Open opens a queue with the limits. One that is open gets the limits, and keeps its jobs.
func (q *Queues[J]) Open(name string, l Limits) {
	if q.limit(name, l, true) {
		q.tell(name)
	}
}

// Limit gives a queue other limits. A higher one takes effect at once. A lower one ends no turn that runs and drops no
// job. Nothing happens when the queue is not open.
func (q *Queues[J]) Limit(name string, l Limits) {
	if q.limit(name, l, false) {
		q.tell(name)
	}
}

// limit sets limits, and tells whether there is room for jobs that were refused.
func (q *Queues[J]) limit(name string, l Limits, open bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if q.shut || !open && (one == nil || !one.open) {
		return false
	}
	if one == nil {
		q.serial++
		one = newQueue[J](name, q.serial)
		q.queues[name] = one
	}
	one.open, one.limits = true, l
	q.rank(one)
	q.wake()
	tell := one.owed && !one.full()
	one.owed = one.owed && !tell
	return tell
}

// Close closes a queue: its jobs that wait or are delayed are forgotten, and it begins no further turn. The channel is
// closed when those of its turns that run now are done. The queue may be opened again at any time; turns that run still
// count against its limits, and a job that runs has no second turn before they are done.
func (q *Queues[J]) Close(name string) (idle <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if one == nil {
		done := make(chan struct{})
		close(done)
		return done
	}
	q.ready.remove(one)
	q.alarms.remove(one)
	q.arm()
	one.close()
	q.release(one)
	return one.ending()
}

// Add has a job wait for a turn. One that waits already waits once, as Live if either is, and one that runs has one more
// turn when it is done. It reports whether the job will have a turn: not when the queue is not open, or is full.
func (q *Queues[J]) Add(name string, lane Lane, job J) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if q.shut || one == nil || !one.open {
		return false
	}
	return q.add(one, lane, job)
}

func (q *Queues[J]) add(one *queue[J], lane Lane, job J) bool {
	if !one.add(lane, job, q.now()) {
		return false
	}
	q.rank(one)
	q.wake()
	return true
}

// Get waits for a turn and begins it. It returns false after ShutDown. Done must be called with the turn.
func (q *Queues[J]) Get() (Turn[J], bool) {
	q.mu.Lock()
	for !q.shut && !q.available() {
		q.changed.Wait()
	}
	if q.shut {
		q.mu.Unlock()
		return Turn[J]{}, false
	}
	one := q.ready.first()
	q.serial++
	q.running++
	turn := one.begin(q.serial, q.now())
	tell := one.owed && one.drained()
	one.owed = one.owed && !tell
	q.rank(one)
	q.wake()
	q.mu.Unlock()
	if tell {
		q.tell(one.name)
	}
	return turn, true
}

// Done ends a turn. Nothing happens when it has been ended before.
func (q *Queues[J]) Done(t Turn[J]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[t.Queue]
	if one == nil || !one.end(t) {
		return
	}
	q.running--
	q.release(one)
	q.rank(one)
	q.wake()
}

// ShutDown ends it all: every Get returns, no turn begins any more, and all jobs are forgotten. Turns that run may be
// done later. It may be called more than once.
func (q *Queues[J]) ShutDown() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shut = true
	for _, one := range q.queues {
		q.ready.remove(one)
		q.alarms.remove(one)
		one.close()
		q.release(one)
	}
	q.arm()
	q.changed.Broadcast()
}

// release forgets a queue that is closed and has ended all its turns.
func (q *Queues[J]) release(one *queue[J]) {
	if !one.open && one.running == 0 {
		delete(q.queues, one.name)
	}
}

// rank puts a queue where it belongs among those that a free slot may go to.
func (q *Queues[J]) rank(one *queue[J]) {
	if one.ready() {
		q.ready.put(one)
	} else {
		q.ready.remove(one)
	}
}

func (q *Queues[J]) available() bool { return q.running < q.slots && q.ready.Len() > 0 }

// wake wakes one who waits, when there is a turn for it. It wakes the next one itself.
func (q *Queues[J]) wake() {
	if q.available() {
		q.changed.Signal()
	}
}

func (q *Queues[J]) tell(name string) {
	if q.room != nil {
		q.room(name)
	}
}

func (q *Queues[J]) now() time.Duration { return time.Since(q.began) }
