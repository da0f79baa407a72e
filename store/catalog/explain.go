package catalog

import (
	"fmt"
	"time"
)

// NewView is how a subscription stands against its registration. lock is that of a run, or nil.
func NewView(sub Subscription, reg *Registration, lock *Lock) SubscriptionView {
	v := SubscriptionView{Subscription: sub, ExpectedSyncID: reg.SyncID, InSync: sub.Synced(reg), registration: reg.Generation}
	v.Reason, v.Message = Explain(&sub, reg, lock)
	return v
}

// Explain tells why a subscription is where it is: the first gate that holds it, in a word and in a sentence. lock is that
// of a run, or nil. Nothing on these records holds one whose reason is ReasonInit or ReasonQueued: it may be tried, and
// whoever knows its dependencies and the queues can tell what it waits for.
func Explain(sub *Subscription, reg *Registration, lock *Lock) (Reason, string) {
	a := sub.Attempt
	used := a.SyncID == reg.SyncID && !sub.trigger(reg).ByClient(a.Trigger)
	switch {
	case a.Phase == PhaseRunning && lock != nil:
		return ReasonRunning, fmt.Sprintf("attempt %d to reach sync_id %s is running", a.N, a.SyncID) + lock.Step.describe()
	case sub.Settled(reg):
		return ReasonSynced, a.Message
	case sub.Held(reg):
		return ReasonCanaryHold, "a rollout is pending: it reaches this namespace when it is released"
	case reg.Paused:
		return ReasonPaused, "the API registration is paused: set paused to false to go on"
	case a.Phase == PhaseError && used && a.RetryAt.After(now()):
		return ReasonBackoff, fmt.Sprintf("%s; retry %d follows at %s", a.Message, a.Retries+1, a.RetryAt.Format(time.RFC3339))
	case a.Phase == PhaseError && used && !a.RetryAt.IsZero():
		return ReasonQueued, a.Message + "; a retry is due, and waits for a reconciler"
	case a.Phase == PhaseError && used:
		return a.Reason, a.Message
	case a.Phase == PhaseNone:
		return ReasonInit, "subscribed; the initial sync has not been tried yet"
	}
	return ReasonQueued, "waiting for a reconciler"
}

// Step is how far a run has come, once a step has taken a while.
type Step struct {
	Index int       `json:"index"` // from 1; 0: not known
	Total int       `json:"total"`
	Name  string    `json:"name"`
	Since time.Time `json:"since"`
}

// describe continues a sentence about a run.
func (s Step) describe() string {
	if s.Index == 0 {
		return ""
	}
	name := ""
	if s.Name != "" {
		name = " (" + s.Name + ")"
	}
	return fmt.Sprintf(": step %d of %d%s since %s", s.Index, s.Total, name, s.Since.Format(time.RFC3339))
}

// may tells whether nothing on its own records keeps a subscription from being tried.
func (v *SubscriptionView) may() bool { return v.Reason == ReasonInit || v.Reason == ReasonQueued }
