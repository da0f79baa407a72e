// Package fleet is what a dashboard knows of a deployment: a copy of its records, which streams keep up to date, with the
// figures that screens show. It does no I/O, and all of it belongs to one goroutine.
package fleet

import (
	"time"

	"kayra/reconciler/katalog"
	"kayra/server/api"
	"kayra/store/catalog"
)

// Fleet is the copy. Its zero value is empty and ready to use.
type Fleet struct {
	apis        map[string]*API
	reconcilers map[string]*Reconciler
	sources     map[string]*Source
}

// API is a registration with its subscriptions.
type API struct {
	api.Registration

	Counts  Counts
	State   catalog.HealthState // "": no reconciler has told
	Because string              // why it is degraded or missing: one sentence
	Busy    int                 // workers that process a job now, in all reconcilers
	Workers int                 // workers that there may be now, in all reconcilers
	Queue   int                 // jobs that wait for a worker, in all reconcilers

	RatePerMinute float64 // syncs that ended well over the last minute
	History       []int   // syncs that ended well, by interval, the latest last; see [HistoryInterval]
}

// HistoryInterval is what one number of a [API] History covers.
const HistoryInterval = 5 * time.Second

// Counts are the subscriptions to one registration, by how they stand.
type Counts struct {
	Subscribed int // all of them
	Active     int // those whose first sync has succeeded
	Synced     int // those that are active and at the target
	Failing    int // those whose last attempt failed, and that have used it up
	Held       int // those that a canary holds back
	Running    int
	Waiting    int // those that wait for a dependency, a slot, a retry or a reconciler
	Paused     int
}

// Subscription is a subscription.
type Subscription struct {
	api.Subscription

	Since time.Time // when it came to stand as it stands, as far as was seen; else when it was written last
}

// Reconciler is a reconciler process.
type Reconciler struct {
	api.Reconciler

	Katalog *katalog.KatalogResponse // what it said last; nil: nothing yet
	Asked   time.Time                // when it said so
	Problem string                   // why it did not answer since; "": it did
}

// Source is one of the places that the copy is fed from.
type Source struct {
	Name    string    // what it tells of: apiregistrations, subscriptions, reconcilers
	Synced  bool      // all that there is has been told
	Problem string    // why it tells nothing; "": it does
	Since   time.Time // for how long it has told nothing
	Retry   time.Time // when it is tried again
}

// Update is something new, ready to be applied. It is made away from the goroutine that the fleet belongs to.
type Update interface{ apply(f *Fleet) }

// Apply brings the copy up to date.
func (f *Fleet) Apply(updates ...Update) {
	for _, u := range updates {
		u.apply(f)
	}
}
