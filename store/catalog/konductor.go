package catalog

import (
	"context"
	"fmt"

	"kayra/store"
)

// Office is the konductor's lease: of all reconcilers one holds it, and decides what must be decided once. The zero value
// holds nothing.
type Office struct {
	revision int64 // that the key was created at
}

// Held tells whether the lease was won; it may have been lost since.
func (o Office) Held() bool { return o.revision != 0 }

// held is the condition that the lease is still this one.
func (o Office) held(s Scope) store.Cond { return store.CreatedAt(s.konductorKey(), o.revision) }

// Konductor is the record of the konductor's lease; it goes with its holder's session.
type Konductor struct {
	Meta

	ID string `json:"id"` // of the reconciler
}

// Campaign takes the konductor's lease for a reconciler, unless another one holds it. It goes with the session.
func (r *Repository) Campaign(ctx context.Context, id, session string) (Office, error) {
	key := r.scope.konductorKey()
	op, err := put(key, &Konductor{ID: id})
	if err != nil {
		return Office{}, err
	}
	op.Session = session
	res, err := r.insist(ctx, store.Txn{
		If: []store.Cond{store.Absent(key)}, Then: []store.Op{op}, Else: []store.Op{store.Get(key)},
	})
	if err != nil {
		return Office{}, fmt.Errorf("campaign for konductor: %w", err)
	}
	if res.OK {
		return Office{revision: res.Revision}, nil
	}
	if held := res.Got[key]; held.Session == session { // an earlier try, whose answer was lost
		return Office{revision: held.CreateRevision}, nil
	}
	return Office{}, nil
}

// RollBack takes a registration's sync id back: everyone's target is the given one, which counts as released, and the
// hold of a rollout is cleared. It is a trigger. It fails with ErrStale when the office is lost or the registration has
// changed.
func (r *Repository) RollBack(ctx context.Context, k Office, reg Registration, to string) (Registration, error) {
	key := r.scope.registrationKey(reg.Name)
	conds := []store.Cond{k.held(r.scope), unchanged(key, reg.Revision)}
	bad := reg.SyncID
	reg.target(to)
	reg.ReleasedSyncID, reg.CanaryNamespaces, reg.Reverting = to, nil, true
	reg.RolledBack = RolledBack{Total: reg.RolledBack.Total + 1, SyncID: bad, At: reg.TargetAt}
	reg.Generation++
	op, err := put(key, &reg)
	if err != nil {
		return reg, err
	}
	reg.Revision, err = r.decided(ctx, "roll back", reg.Name, store.Txn{If: conds, Then: []store.Op{op}})
	return reg, err
}

// RollbackStands tells whether the registration's target is the one that the last rollback has put it back to.
func (r *Registration) RollbackStands() bool {
	return r.Reverting && r.RolledBack.Total > 0 && r.RolledBack.At.Equal(r.TargetAt)
}

// RollbackTarget is the id that a failing target is taken back to, or "" when there is none.
func (r *Registration) RollbackTarget() string {
	to := r.GoodSyncID
	if r.Pending() {
		to = r.ReleasedSyncID
	}
	if to == r.SyncID || r.Reverting {
		return ""
	}
	return to
}
