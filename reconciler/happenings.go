package reconciler

import (
	"fmt"

	"kayra/reconciler/katalog"
	"kayra/store/catalog"
)

// attempted notes what has happened to a subscription, as its record tells.
func (c *cache) attempted(s *subscriber, before, after *catalog.Subscription) {
	switch {
	case before == nil:
		return // what was before this process has seen it is not known
	case before.UID != after.UID:
		c.events.forget(s)
		return
	}
	h := attempted(before, after)
	if h.reason == "" {
		return
	}
	if h.source = after.Attempt.Holder; h.source == "" {
		h.source = c.events.self // a reconciler of a version that did not sign
	}
	if h.at = after.Attempt.EndedAt; h.at.IsZero() {
		h.at = after.Attempt.StartedAt
	}
	c.events.note(s, h)
}

// attempted tells what the last attempt of a record has come to since it was another one. It has no reason if nothing.
func attempted(before, after *catalog.Subscription) happening {
	was, is := before.Attempt, after.Attempt
	if was.Run == is.Run && was.N == is.N && was.Begun == is.Begun && was.Phase == is.Phase &&
		was.StartedAt.Equal(is.StartedAt) && was.EndedAt.Equal(is.EndedAt) {
		return happening{}
	}
	switch is.Phase {
	case catalog.PhaseRunning:
		return started(is)
	case catalog.PhaseFailed:
		return happening{reason: katalog.EventRetrying, message: fmt.Sprintf("attempt %d to reach sync_id %s has failed, and is made again later: %s", is.N, is.SyncID, is.Message)}
	case catalog.PhaseError:
		return happening{reason: failed(is.Reason), message: is.Message}
	case catalog.PhaseSuccess:
		h := happening{reason: katalog.EventReconciled, message: "sync_id " + is.SyncID + " is reached"}
		if !before.Active {
			h.reason = katalog.EventActivated
		}
		if is.Message != "" {
			h.message += ": " + is.Message
		}
		return h
	case catalog.PhaseNone:
	}
	return happening{}
}

func started(is catalog.Attempt) happening {
	switch {
	case is.Begun > 1:
		return happening{reason: katalog.EventInterrupted, message: fmt.Sprintf("attempt %d to reach sync_id %s was cut off without an outcome, and is begun again (%d of %d times)",
			is.N, is.SyncID, is.Begun, maxBegun)}
	case is.Retries > 0 && is.N > 2:
		return happening{reason: katalog.EventRetrying, message: fmt.Sprintf("sync_id %s was not reached: retry %d is made", is.SyncID, is.Retries)}
	case is.N > 1:
		return happening{reason: katalog.EventRetrying, message: fmt.Sprintf("the first attempt to reach sync_id %s has failed, and is made again", is.SyncID)}
	}
	return happening{}
}

func failed(reason catalog.Reason) katalog.EventReason {
	switch reason { //nolint:exhaustive // the others are all failures of the attempt itself
	case catalog.ReasonSpecUnavailable:
		return katalog.EventSpecUnavailable
	case catalog.ReasonInterrupted:
		return katalog.EventInterrupted
	}
	return katalog.EventReconcileError
}

// targeted notes what a registration's new target means to its subscribers.
func (c *cache) targeted(a *api, before *catalog.Registration) {
	if a == nil || a.reg == nil || before == nil || before.UID != a.reg.UID {
		return
	}
	reg := a.reg
	rolledBack := reg.RolledBack.Total > before.RolledBack.Total
	holds := reg.Pending() && before.SyncID != reg.SyncID // no rollout begins without an id of its own
	if !rolledBack && !holds {
		return
	}
	back := happening{
		reason: katalog.EventRolledBack, source: c.konductor, at: reg.RolledBack.At,
		message: fmt.Sprintf("sync_id %s was taken back, since too many subscriptions have failed at it", reg.RolledBack.SyncID),
	}
	hold := happening{
		reason: katalog.EventCanaryHold, source: c.events.self, at: reg.TargetAt,
		message: fmt.Sprintf("a rollout of sync_id %s is pending: it reaches this namespace when it is released", reg.SyncID),
	}
	for _, s := range a.subscribers {
		if s.sub == nil {
			continue
		}
		if bad := reg.RolledBack.SyncID; rolledBack && (s.sub.CurrentSyncID == bad || s.sub.Attempt.SyncID == bad) {
			c.events.note(s, back)
		}
		if holds && s.sub.Held(reg) && !s.sub.Synced(reg) {
			c.events.note(s, hold)
		}
	}
}

// waits notes that a subscription waits for a dependency.
func (c *cache) waits(a *api, s *subscriber, dependency int) {
	namespace := s.sub.Namespace
	c.events.note(s, happening{
		reason: katalog.EventWaitingDependency, source: c.events.self, at: c.now(),
		message: a.reg.DependsOn[dependency].Waits(c.scope, c.unmet(a, dependency, namespace)),
	})
}

// inherit gives a subscriber of a new list what was known of it before the list.
func (c *cache) inherit(now *api, namespace string, old *subscriber) {
	var s *subscriber
	if now != nil {
		s = now.subscribers[namespace]
	}
	if s == nil || s.sub == nil || old.sub == nil || s.sub.UID != old.sub.UID {
		c.events.forget(old)
		return
	}
	s.history = old.history
	c.attempted(s, old.sub, s.sub)
}
