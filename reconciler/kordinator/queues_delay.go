package kordinator

import (
	"math"
	"time"
)

// dueAtOnce is how many delayed jobs are added under the lock at a time.
const dueAtOnce = 256

// AddAfter adds a job after a time, as Add would then; at once when it is 0 or less. Of two delays of a job the one that
// ends earlier counts, and the more urgent lane. That the job is added otherwise meanwhile does not change its delay.
// Nothing happens when the queue is not open.
func (q *Queues[J]) AddAfter(name string, lane Lane, job J, d time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if q.shut || one == nil || !one.open {
		return
	}
	if d <= 0 {
		q.add(one, lane, job)
		return
	}
	due := q.now() + d
	if due < d {
		due = math.MaxInt64 // never, rather than long ago
	}
	q.serial++
	one.delay(lane, job, due, q.serial)
	q.alarms.put(one)
	if first := q.alarms.first(); first == one && one.delayed.first().order == q.serial {
		q.arm()
	}
}

func (o *queue[J]) delay(lane Lane, job J, due time.Duration, order uint64) {
	it := o.item(job)
	if it.delayAt == 0 {
		it.delayLane = lane
	} else {
		it.delayLane = min(it.delayLane, lane)
		if due >= it.due {
			return
		}
	}
	it.due, it.order = due, order
	o.delayed.put(it)
}

// rings tells whether a delay of this queue ends before any of the other.
func (o *queue[J]) rings(other *queue[J]) bool {
	return o.delayed.first().due < other.delayed.first().due
}

// arm has the timer ring when the earliest delay ends.
func (q *Queues[J]) arm() {
	if q.alarms.Len() == 0 {
		if q.timer != nil {
			q.timer.Stop()
		}
		return
	}
	d := q.alarms.first().delayed.first().due - q.now()
	if q.timer == nil {
		q.timer = time.AfterFunc(d, q.ring)
	} else {
		q.timer.Reset(d)
	}
}

// ring adds the jobs whose delay has ended. The lock is free now and then when there are many.
func (q *Queues[J]) ring() {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := q.now()
	for range dueAtOnce {
		if q.alarms.Len() == 0 || q.alarms.first().delayed.first().due > now {
			break
		}
		one := q.alarms.first()
		it := one.delayed.first()
		one.delayed.remove(it)
		if one.delayed.Len() == 0 {
			q.alarms.remove(one)
		} else {
			q.alarms.put(one)
		}
		q.add(one, it.delayLane, it.job)
		one.drop(it)
	}
	q.arm()
}
