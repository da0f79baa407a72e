package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kayra/store"
)

// SyncRequest is what to do with a registration's target. The zero value gives a fresh id to everyone or, while a
// rollout is pending, releases it.
type SyncRequest struct {
	CanaryNamespaces []string // a fresh id, for these namespaces alone
	Release          bool     // as the zero value, but refused when no rollout is pending
	Abort            bool     // back to the id that was released last
	ExpectedSyncID   string   // refused when the registration's sync id is another; "": any
}

// SyncRegistration moves a registration's target, in one transaction whatever the number of subscribers. It fails with
// ErrConflict when the registration is not in the state that the request presumes, and with ErrNotFound when a canary
// namespace does not subscribe.
func (r *Repository) SyncRegistration(ctx context.Context, name string, req SyncRequest, m Match) (Registration, error) {
	if err := req.check(); err != nil {
		return Registration{}, err
	}
	return r.changeRegistration(ctx, name, m, false, func(reg *Registration) ([]store.Cond, error) {
		if err := req.allowed(reg); err != nil {
			return nil, err
		}
		switch {
		case req.Abort:
			reg.target(reg.ReleasedSyncID)
			reg.CanaryNamespaces, reg.Reverting = nil, true
		case len(req.CanaryNamespaces) > 0:
			return r.canary(ctx, reg, req.CanaryNamespaces)
		case reg.Pending():
			reg.CanaryNamespaces = nil
			reg.ReleasedSyncID = reg.SyncID
		default:
			if err := reg.retarget(); err != nil {
				return nil, err
			}
			reg.ReleasedSyncID = reg.SyncID
		}
		return nil, nil
	})
}

func (r *Registration) retarget() error {
	id, err := newID()
	if err == nil {
		r.target(id)
	}
	return err
}

func (q SyncRequest) check() error {
	asked := 0
	for _, is := range []bool{len(q.CanaryNamespaces) > 0, q.Release, q.Abort} {
		if is {
			asked++
		}
	}
	if asked > 1 {
		return refuse(ErrInvalid, "canary_namespaces, release and abort are three different requests; send one of them")
	}
	c := &check{}
	if n := len(q.CanaryNamespaces); n > MaxCanaries {
		c.refuse("/canary_namespaces", "has %d names; at most %d are allowed", n, MaxCanaries)
		return c.err()
	}
	for i, ns := range q.CanaryNamespaces {
		c.label(fmt.Sprintf("/canary_namespaces/%d", i), ns)
	}
	if q.ExpectedSyncID != "" {
		c.syncID("/expected_sync_id", q.ExpectedSyncID)
	}
	return c.err()
}

func (q SyncRequest) allowed(reg *Registration) error {
	switch {
	case q.ExpectedSyncID != "" && q.ExpectedSyncID != reg.SyncID:
		return refuse(ErrConflict, "API registration %q is at sync_id %q, not at the expected %q; nothing was changed",
			reg.Name, reg.SyncID, q.ExpectedSyncID)
	case q.Release && !reg.Pending():
		return refuse(ErrConflict, "API registration %q has no rollout pending that could be released; its sync_id %q is everyone's target already",
			reg.Name, reg.SyncID)
	case q.Abort && !reg.Pending():
		return refuse(ErrConflict, "API registration %q has no rollout pending that could be aborted; its sync_id is %q",
			reg.Name, reg.SyncID)
	}
	return nil
}

// canary gives a fresh id to the namespaces, each of which must subscribe.
func (r *Repository) canary(ctx context.Context, reg *Registration, namespaces []string) ([]store.Cond, error) {
	namespaces = slices.Compact(slices.Sorted(slices.Values(namespaces)))
	keys := make([]string, 0, len(namespaces))
	conds := make([]store.Cond, 0, len(namespaces))
	for _, ns := range namespaces {
		key := r.scope.subscriptionKey(reg.Name, ns)
		keys = append(keys, key)
		conds = append(conds, store.Present(key))
	}
	there, err := r.read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	var missing []string
	for i, key := range keys {
		if _, ok := there.Got[key]; !ok {
			missing = append(missing, namespaces[i])
		}
	}
	if len(missing) > 0 {
		return nil, refuse(ErrNotFound, "canary_namespaces names %s, not subscribed to API registration %q; nothing was changed",
			strings.Join(missing, ", "), reg.Name)
	}
	reg.CanaryNamespaces = namespaces
	return conds, reg.retarget()
}
