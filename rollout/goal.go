package rollout

import (
	"slices"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// Goal is what is waited for.
type Goal struct {
	API        string
	SyncID     string   // the one to be reached; "": the registration's, whichever it is by then
	Namespaces []string // those who are to reach it; nil: all that are active; without SyncID all. Those that have unsubscribed are not waited for

	back   bool                 // those that were tried at another sync id since are to be taken back, too
	before map[string]time.Time // of those in error before the request: when that was recorded
}

// Goal is what a plan leads to, once it has been carried out with the answer.
func (p Plan) Goal(answer api.Registration) Goal {
	g := Goal{API: p.API, SyncID: answer.SyncID, before: map[string]time.Time{}}
	for _, r := range p.seen.Tenants {
		if UsedUp(r.Reason) {
			g.before[r.Namespace] = r.UpdatedAt
		}
	}
	switch p.Action {
	case Start:
		g.Namespaces = p.Canaries
	case Abort:
		g.Namespaces, g.back = slices.Concat([]string{}, p.Preview().Moves), true
	case Release, All:
	}
	return g
}

// Canary is the goal of the rollout that is pending: its canaries at its sync id.
func (s *State) Canary() Goal {
	reg := s.Registration
	return Goal{API: reg.Name, SyncID: reg.SyncID, Namespaces: reg.CanaryNamespaces}
}

// Everyone is the goal that all subscriptions are at the registration's sync id, whichever it is by then: also those that are on
// the way to their first sync.
func Everyone(name string) Goal { return Goal{API: name} }

// UsedUp tells whether a subscription of that reason has ended in error at its target, and is not tried again by itself.
func UsedUp(r catalog.Reason) bool {
	switch r {
	case catalog.ReasonSpecUnavailable, catalog.ReasonNoMode, catalog.ReasonStepFailed, catalog.ReasonTimeout, catalog.ReasonInterrupted:
		return true
	case catalog.ReasonSynced, catalog.ReasonInit, catalog.ReasonPaused, catalog.ReasonCanaryHold, catalog.ReasonWaitingDependency,
		catalog.ReasonQueued, catalog.ReasonRunning, catalog.ReasonBackoff:
	}
	return false
}

// failedAt tells whether a subscription has ended in error at a sync id, and is not tried again by itself. An error of
// another sync id does not count.
func failedAt(r *api.Row, id string) bool { return UsedUp(r.Reason) && r.AttemptedSyncID == id }

// Standing is how somebody who is waited for stands.
type Standing int

// The standings.
const (
	Waiting Standing = iota // on the way, or in the queue
	Running                 // an attempt runs
	Held                    // by a canary that does not name them
	Failed                  // ended in error at the sync id that is to be reached
	There
)

// standing tells how a row stands to the goal, with the sync id that is to be reached.
func (g Goal) standing(r *api.Row, target string) Standing {
	recorded, failed := g.before[r.Namespace]
	old := failed && recorded.Equal(r.UpdatedAt)
	there := r.CurrentSyncID == target && Active(r)
	if g.back {
		there = there && r.Reason == catalog.ReasonSynced
	}
	switch {
	case there:
		return There
	case failedAt(r, target) && !old:
		return Failed
	case r.Reason == catalog.ReasonRunning:
		return Running
	case r.Reason == catalog.ReasonCanaryHold:
		return Held
	}
	return Waiting
}

// means tells whether the goal is about a row.
func (g Goal) means(r *api.Row) bool {
	if g.Namespaces == nil {
		return Active(r) || g.SyncID == ""
	}
	return slices.Contains(g.Namespaces, r.Namespace)
}
