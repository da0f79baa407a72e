package reconciler

import "kayra/store/catalog"

// tally is what the records of a registration's subscriptions come to, kept up to date with each change of one.
type tally struct {
	subscribed int
	failing    int   // whose last recorded attempt has failed
	active     int   // subscriptions that are
	synced     int   // of those, at the registration's sync id
	settled    int   // of those, with nothing left to bring there
	erred      int   // subscriptions whose last trigger ended in error at the registration's sync id
	tried      int   // subscriptions that anything was tried for
	succeeded  int64 // the store's revision at which the latest success was recorded; 0: there is none
	failures   int   // failed attempts that were recorded since then
	last       int64 // the highest revision of all that was recorded
	spoilt     bool  // must be made anew, since the latest success is one no more
}

// replace takes one record for another; nil: there was none, or is none any more.
func (t *tally) replace(before, after *catalog.Subscription, reg *catalog.Registration) {
	t.standing(before, reg, -1)
	t.standing(after, reg, 1)
	if before != nil {
		t.subscribed--
		t.tried -= one(before.Attempt.Phase != catalog.PhaseNone)
		t.failing -= one(len(before.Failures) > 0)
		t.failures -= since(t.succeeded, before.Failures)
		t.spoilt = t.spoilt || before.Succeeded == t.succeeded && t.succeeded > 0 &&
			(after == nil || after.Succeeded < before.Succeeded)
	}
	if after == nil {
		return
	}
	t.subscribed++
	t.tried += one(after.Attempt.Phase != catalog.PhaseNone)
	t.failing += one(len(after.Failures) > 0)
	if after.Succeeded > t.succeeded {
		t.succeeded = after.Succeeded
		if t.last <= t.succeeded {
			t.failures = 0 // all of them were recorded before
		} else {
			t.spoilt = true
		}
	}
	t.failures += since(t.succeeded, after.Failures)
	t.last = max(t.last, t.succeeded)
	if n := len(after.Failures); n > 0 {
		t.last = max(t.last, after.Failures[n-1])
	}
}

// standing counts how a subscription stands against the registration.
func (t *tally) standing(sub *catalog.Subscription, reg *catalog.Registration, by int) {
	if sub == nil || reg == nil {
		return
	}
	t.active += by * one(sub.Active)
	t.synced += by * one(sub.Synced(reg))
	t.settled += by * one(sub.Settled(reg))
	t.erred += by * one(sub.Attempt.Phase == catalog.PhaseError && sub.Attempt.SyncID == reg.SyncID)
}

// since counts the marks that are later than another one.
func since(mark int64, marks []int64) int {
	n := 0
	for _, m := range marks {
		n += one(m > mark)
	}
	return n
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// recount makes the tally from scratch.
func (a *api) recount() {
	a.tally = tally{}
	for _, s := range a.subscribers {
		if s.sub != nil {
			a.tally.succeeded = max(a.tally.succeeded, s.sub.Succeeded)
		}
	}
	for _, s := range a.subscribers {
		a.tally.replace(nil, s.sub, a.reg)
	}
	a.tally.spoilt = false
}
