package fleet

import (
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// API is a registration with its subscriptions.
type API struct {
	api.Registration // of one that the caller may not see the name alone

	Registered bool // Registration is all there
	Counts     Counts

	State   catalog.HealthState // "": nobody has told
	Because string              // why it is degraded or missing: one sentence

	// Of all reconcilers that have told. Of those that have not, Busy and Queue have what stands on their records, which is
	// nothing while no job waits.
	Busy    int // workers that process a job now
	Workers int // workers that there may be now
	Queue   int // jobs that wait for a worker
	Told    int // reconcilers that Workers are of
	Untold  int // reconcilers that have not told of their workers

	Writes *api.KatalogAPI // what the server has counted of writes; nil: it has not told

	RatePerMinute float64 // syncs that ended well over the last minute
	History       []int   // syncs that ended well, by interval, the latest last; see [HistoryInterval]

	subscriptions map[string]*Subscription // by namespace
	changes       changes
	watched       time.Time // since when syncs are counted
	slot          int64     // the interval that the last of History is of
}

// Known tells whether Workers and Busy are of all reconcilers that there are.
func (a *API) Known() bool { return a.Untold == 0 && a.Told > 0 }

// Pending tells whether a rollout has reached its canaries only and awaits its release or its abort.
func (a *API) Pending() bool { return len(a.CanaryNamespaces) > 0 }

// Counts are the subscriptions to one registration. Each of them is in exactly one of those from Synced to Paused.
type Counts struct {
	Subscribed int // all of them
	Active     int // those whose first sync has succeeded

	Synced  int // those that are where they should be
	Failing int // those whose last attempt failed, and that have used it up
	Held    int // those that a canary holds back
	Running int
	Waiting int // those that wait for a dependency, a slot, a retry or a reconciler
	Paused  int
}

// Add adds the counts of another API.
func (c *Counts) Add(o *Counts) {
	c.Subscribed += o.Subscribed
	c.Active += o.Active
	c.Synced += o.Synced
	c.Failing += o.Failing
	c.Held += o.Held
	c.Running += o.Running
	c.Waiting += o.Waiting
	c.Paused += o.Paused
}

// add counts a subscription n times.
func (c *Counts) add(s *api.Subscription, n int) {
	c.Subscribed += n
	if s.Active {
		c.Active += n
	}
	*c.of(s.Reason) += n
}

// of is the count of those that stand where they stand for a reason. One of a later version is taken for waiting.
func (c *Counts) of(r catalog.Reason) *int {
	switch r {
	case catalog.ReasonSynced:
		return &c.Synced
	case catalog.ReasonCanaryHold:
		return &c.Held
	case catalog.ReasonRunning:
		return &c.Running
	case catalog.ReasonPaused:
		return &c.Paused
	case catalog.ReasonSpecUnavailable, catalog.ReasonNoMode, catalog.ReasonStepFailed, catalog.ReasonTimeout, catalog.ReasonInterrupted:
		return &c.Failing
	case catalog.ReasonInit, catalog.ReasonQueued, catalog.ReasonBackoff, catalog.ReasonWaitingDependency:
	}
	return &c.Waiting
}
