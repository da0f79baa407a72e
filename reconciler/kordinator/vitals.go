package kordinator

import (
	"sync"
	"time"
)

// Vitals is what one process knows of the attempts for one registration. Its methods may be called at the same time.
//
// It counts from its making on. What is recent covers [RecentSpan], and what the autoscaler reads its interval, each by a
// part of at most a twentieth more, or the time since the start if that is less. A registration that has had nothing to
// do takes no memory for that, and one that had nothing to do for long gives it back at a [Vitals.Snapshot].
type Vitals struct {
	clock func() time.Time
	born  time.Time // the origin of all times since

	mu       sync.Mutex
	started  time.Time // zero: it has no workers
	levels   levels
	since    time.Duration // the levels are as they are
	observed bool          // they have been others
	interval time.Duration
	recent   *window // nil, as scaling is then: within their spans the levels have been these ones only, and no attempt has ended
	scaling  *window
	working  map[int]int // for a worker that is busy, with how many attempts: one
	workers  int         // one more than the highest number of a worker there has been
	counts   Counts
}

// RecentSpan is what the recent figures of a registration cover.
const RecentSpan = 5 * time.Minute

// defaultInterval is the autoscaler's if it is not set.
const defaultInterval = 15 * time.Second

// NewVitals makes the vitals of a registration that has not started. clock is [time.Now], or a test's.
func NewVitals(clock func() time.Time) *Vitals {
	return &Vitals{clock: clock, born: clock(), interval: defaultInterval, working: map[int]int{}}
}

// Started tells that the registration's workers run from now on. It may have been stopped before.
func (v *Vitals) Started() {
	v.change(func(now time.Duration) { v.started = v.born.Add(now) })
}

// Stopped tells that the registration has no workers from now on, but for those whose attempts have yet to end.
func (v *Vitals) Stopped() {
	v.change(func(time.Duration) { v.started = time.Time{} })
}

// SetWorkers tells how many attempts may run at once, by workers 0 to n-1. It is 0 until it is told.
func (v *Vitals) SetWorkers(n int) {
	v.change(func(time.Duration) { v.levels.limit, v.workers = n, max(v.workers, n) })
}

// Depth tells how many jobs are queued now. It is to be told whenever that changes, and need not be told at other times: the
// mean depth weighs each by the time until the next.
func (v *Vitals) Depth(n int) {
	v.change(func(time.Duration) { v.levels.depth = n })
}

// SetInterval tells the interval of the autoscaler, which [Snapshot].Metrics cover: 15 s if it is not told or not positive. A
// change of it lets them begin anew.
func (v *Vitals) SetInterval(d time.Duration) {
	if d <= 0 {
		d = defaultInterval
	}
	v.change(func(time.Duration) {
		if v.scaling != nil && v.interval != d {
			v.scaling = newWindow(d, v.since)
		}
		v.interval = d
	})
}

// Begin tells that a worker, numbered from 0, is busy with an attempt until end is called. A further call of end does
// nothing.
func (v *Vitals) Begin(worker int) (end func(Result)) {
	v.change(func(time.Duration) {
		v.levels.busy++
		v.working[worker]++
		v.workers = max(v.workers, worker+1)
	})
	ended := false
	return func(r Result) {
		v.change(func(now time.Duration) {
			if !ended {
				ended = true
				v.end(now, worker, r)
			}
		})
	}
}

func (v *Vitals) end(now time.Duration, worker int, r Result) {
	v.levels.busy--
	if v.working[worker]--; v.working[worker] == 0 {
		delete(v.working, worker)
	}
	if r.Void {
		return
	}
	v.recent.end(r.succeeded(), r.Took)
	v.scaling.end(r.succeeded(), r.Took)
	v.counts.count(v.born.Add(now), r)
}

// change makes a change. The windows learn of the levels there were until now.
func (v *Vitals) change(do func(now time.Duration)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, was := v.elapsed(), v.held()
	v.advance(now, was)
	do(now)
	is := v.held()
	if is == was {
		return
	}
	if begins := !v.observed && is.busy+is.depth == 0; v.recent == nil && !begins {
		v.recent, v.scaling = newWindow(RecentSpan, v.since), newWindow(v.interval, v.since)
		v.advance(now, was)
	}
	v.since, v.observed = now, true
}

func (v *Vitals) elapsed() time.Duration { return max(v.since, v.clock().Sub(v.born)) }

// held are the levels as they are summed up: what is not started has no workers.
func (v *Vitals) held() levels {
	l := v.levels
	if v.started.IsZero() {
		l.limit = 0
	}
	return l
}

func (v *Vitals) advance(now time.Duration, l levels) {
	if v.recent != nil {
		v.recent.advance(now, l)
		v.scaling.advance(now, l)
	}
}
