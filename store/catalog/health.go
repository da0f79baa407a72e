package catalog

import (
	"context"
	"fmt"
	"time"

	"kayra/store"
)

// HealthState is how a registration is doing.
type HealthState string

// The states, in the order in which a registration goes through them.
const (
	HealthNotStarted HealthState = "not started" // its workers do not run: its dependencies have not let them start yet
	HealthPending    HealthState = "pending"     // its workers run, and nothing has been tried yet
	HealthStarted    HealthState = "started"     // something has been tried, and nothing has succeeded yet
	HealthHealthy    HealthState = "healthy"
	HealthDegraded   HealthState = "degraded" // too many attempts have failed since the last success, or a dependency is missing
	HealthMissing    HealthState = "missing"  // it is not registered, and others need it
)

// HealthStates are all of them.
func HealthStates() []HealthState {
	return []HealthState{HealthNotStarted, HealthPending, HealthStarted, HealthHealthy, HealthDegraded, HealthMissing}
}

// Health is a registration's state as the konductor sees it, for those who do not follow all of its subscriptions.
type Health struct {
	Meta

	API    string      `json:"api"`
	State  HealthState `json:"state"`
	Reason string      `json:"reason,omitempty"` // of being degraded, or why its document is not there: one redacted sentence
	Since  time.Time   `json:"since"`
	Told   Told        `json:"told,omitzero"`
}

// PublishHealth writes what the konductor makes of a registration, or deletes the record when that is nil. It fails with
// ErrStale when the office is lost, the record has changed, or the registration is or is not there contrary to present.
func (r *Repository) PublishHealth(ctx context.Context, k Office, old, next *Health, present bool) error {
	key, regKey := r.scope.healthKey(old.API), r.scope.registrationKey(old.API)
	registered := store.Absent(regKey)
	if present {
		registered = store.Present(regKey)
	}
	op := store.Delete(key)
	if next != nil {
		var err error
		if op, err = put(key, next); err != nil {
			return err
		}
	}
	revision, err := r.decided(ctx, "publish health of", old.API, store.Txn{
		If:   []store.Cond{k.held(r.scope), unchanged(key, old.Revision), registered},
		Then: []store.Op{op},
	})
	if err == nil && next != nil {
		next.Revision = revision
	}
	return err
}

// Health reads what the konductor has published of a registration. One that nothing was published of has no state.
func (r *Repository) Health(ctx context.Context, api string) (Health, error) {
	h := Health{API: api}
	e, err := r.store.Get(ctx, r.scope.healthKey(api))
	if isNotFound(err) {
		return h, nil
	}
	if err != nil {
		return h, fmt.Errorf("read health of %q: %w", api, err)
	}
	return h, Decode(e, &h)
}
