package reconciler

import (
	"time"

	"kayra/store/catalog"
)

// entitlement is what is left of a trigger.
type entitlement int

const (
	usedUp entitlement = iota // nothing, until the next trigger
	due                       // an attempt
	cutOff                    // nothing: its attempt has been begun and cut off too often
)

// entitled is an attempt with what is left for it.
type entitled struct {
	attempt catalog.Attempt
	right   entitlement
	at      time.Time // of usedUp: when time alone will be a trigger; zero: never
}

// again says when time alone is a trigger: for a retry that the record of a failure asks for, and at an interval for all
// that is behind.
type again struct {
	now     time.Time
	retries int           // at most so many for one trigger
	resync  time.Duration // 0: none
}

// next is the attempt that follows the last one, given that nobody runs it. asked tells that a client wants it anew for a
// cause that is not part of the trigger.
func next(last catalog.Attempt, now catalog.Trigger, target string, asked bool, g again) entitled {
	anew := asked || target != last.SyncID || now.ByClient(last.Trigger)
	a := last
	a.Trigger = now.Max(last.Trigger)
	switch {
	case last.Phase == catalog.PhaseRunning && !anew:
		if last.Begun >= maxBegun {
			return entitled{attempt: a, right: cutOff}
		}
		a.Begun++
		return entitled{attempt: a, right: due}
	case last.Reason == catalog.ReasonInterrupted && !anew:
		return entitled{attempt: a}
	case anew:
		return entitled{attempt: first(a.Trigger, target), right: due}
	case now.NewerThan(last.Trigger):
		f := first(a.Trigger, target)
		f.Retries = last.Retries // a process that starts over and over must not make retries endless
		return entitled{attempt: f, right: due}
	case last.Phase == catalog.PhaseFailed:
		a.N, a.Begun = 2, 1
		return entitled{attempt: a, right: due}
	case last.Phase == catalog.PhaseError:
		return g.inTime(last, a)
	}
	return entitled{attempt: a}
}

// first is the first attempt of a trigger.
func first(trigger catalog.Trigger, target string) catalog.Attempt {
	return catalog.Attempt{Trigger: trigger, SyncID: target, N: 1, Begun: 1}
}

// inTime is the attempt that a failure is followed by when nothing happens. A retry is a single attempt, one more of its
// trigger; what is behind at the interval has a trigger of its own.
func (g again) inTime(last, a catalog.Attempt) entitled {
	var at time.Time
	if !last.RetryAt.IsZero() && last.Retries < g.retries {
		if !last.RetryAt.After(g.now) {
			a.N, a.Begun, a.Retries = max(a.N, 2)+1, 1, a.Retries+1
			return entitled{attempt: a, right: due}
		}
		at = last.RetryAt
	}
	if g.resync > 0 {
		resync := last.EndedAt.Add(g.resync)
		if !resync.After(g.now) {
			return entitled{attempt: first(a.Trigger, a.SyncID), right: due}
		}
		if at.IsZero() || resync.Before(at) {
			at = resync
		}
	}
	return entitled{attempt: a, at: at}
}
