package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"kayra/store"
)

// Outcome is how an attempt, or a whole trigger, ended.
type Outcome struct {
	Phase   Phase     // PhaseSuccess; PhaseError: the trigger is used up; PhaseFailed: the immediate retry is still owed
	Reason  Reason    // of a failure
	Message string    // of a failure: one redacted sentence
	RetryAt time.Time // of PhaseError: when operator.retry makes a further attempt; zero: it makes none
}

// end puts the outcome on the subscription. A re-sync that was forced since the attempt began leaves it unsynced.
func (s *Subscription) end(o Outcome, force int64) {
	s.Attempt.end(o)
	if o.Phase == PhaseSuccess {
		s.markSuccess()
	} else {
		s.markFailure()
	}
	if o.Phase == PhaseFailed {
		return
	}
	s.UpdatedAt = now()
	if o.Phase == PhaseError {
		s.State = StateError
		return
	}
	s.State, s.Active = StateSuccess, true
	if s.Force == force {
		s.CurrentSyncID = s.Attempt.SyncID
	}
}

// maxMessage bounds, in bytes, a message: each of the subscriptions that share a failure keeps a copy of it.
const maxMessage = 1 << 10

func (a *Attempt) end(o Outcome) {
	a.Phase, a.Reason, a.Message, a.RetryAt = o.Phase, o.Reason, shorten(o.Message, maxMessage), o.RetryAt
	if o.Phase != PhaseFailed {
		a.EndedAt = now()
	}
}

// Finish records the outcome of a run and gives up its lock, in one transaction that proves the lock and that the
// subscription is the one that was claimed. Otherwise it fails with ErrLost.
func (r *Repository) Finish(ctx context.Context, c *SubscriptionClaim, o Outcome) error {
	running, force := c.Record.Attempt, c.Record.Force
	return c.write(ctx, func(sub *Subscription) ([]store.Op, []store.Cond, error) {
		sub.Attempt = running
		sub.end(o, force)
		return []store.Op{store.Delete(c.lockKey)}, nil, nil
	})
}

// Settle records the outcome of a trigger that takes nothing to be sent, in one transaction, provided that nobody holds
// the lock and that the records are still as they are given. spec is the one that the decision rests on, or nil.
// Otherwise it fails with ErrStale.
func (r *Repository) Settle(ctx context.Context, reg *Registration, sub Subscription, spec *Spec, a Attempt, o Outcome) (Subscription, error) {
	key := r.scope.subscriptionKey(sub.API, sub.Namespace)
	txn := store.Txn{If: []store.Cond{
		store.Absent(r.scope.subscriptionLockKey(sub.API, sub.Namespace)),
		unchanged(key, sub.Revision),
		unchanged(r.scope.registrationKey(reg.Name), reg.Revision),
	}}
	if spec != nil {
		txn.If = append(txn.If, unchanged(r.scope.specKey(reg.Name), spec.Revision))
	}
	a.StartedAt = now()
	sub.Attempt = a
	sub.end(o, sub.Force)
	op, err := put(key, &sub)
	if err != nil {
		return sub, err
	}
	txn.Then = []store.Op{op}
	revision, err := r.decided(ctx, "settle", key, txn)
	if err == nil {
		stamp(&sub, revision)
	}
	return sub, err
}

// SettleFetch is Settle for the fetch of a registration's document.
func (r *Repository) SettleFetch(ctx context.Context, reg *Registration, spec Spec, a Attempt, o Outcome) error {
	key := r.scope.specKey(reg.Name)
	a.StartedAt = now()
	spec.Attempt = a
	spec.Attempt.end(o)
	op, err := put(key, &spec)
	if err != nil {
		return err
	}
	_, err = r.decided(ctx, "settle", key, store.Txn{
		If: []store.Cond{
			store.Absent(r.scope.specLockKey(reg.Name)),
			unchanged(key, spec.Revision),
			unchanged(r.scope.registrationKey(reg.Name), reg.Revision),
		},
		Then: []store.Op{op},
	})
	return err
}

// FailFetch records that a fetch failed, and gives up its lock. Every subscription that was waiting for the document when
// the fetch began is covered by its failure.
func (r *Repository) FailFetch(ctx context.Context, c *SpecClaim, o Outcome) error {
	running := c.Record.Attempt
	return c.write(ctx, func(spec *Spec) ([]store.Op, []store.Cond, error) {
		spec.Attempt = running
		spec.Attempt.end(o)
		spec.Covered = c.lock
		return []store.Op{store.Delete(c.lockKey)}, nil, nil
	})
}

// FinishFetch stores a document with the resources derived from it, and gives up the lock. The documents for ids that the
// registration cannot go back to are deleted.
func (r *Repository) FinishFetch(ctx context.Context, c *SpecClaim, document []byte, resources []Resource) error {
	derived, err := json.Marshal(resources)
	if err != nil {
		return fmt.Errorf("encode resources of %q: %w", c.Registration.Name, err)
	}
	running := c.Record.Attempt
	return c.write(ctx, func(spec *Spec) ([]store.Op, []store.Cond, error) {
		spec.Attempt = running
		spec.Attempt.end(Outcome{Phase: PhaseSuccess})
		spec.API = c.Registration.Name
		spec.Count++
		ops := append(r.prune(&c.Registration, spec, running.SyncID),
			store.Put(r.scope.documentKey(spec.API, running.SyncID), document),
			store.Put(r.scope.resourcesKey(spec.API, running.SyncID), derived),
			store.Delete(c.lockKey))
		return ops, []store.Cond{c.registrationUnchanged()}, nil
	})
}

// prune makes fetched the newest document of the spec, and deletes those that are of no use any more.
func (r *Repository) prune(reg *Registration, spec *Spec, fetched string) []store.Op {
	var ops []store.Op
	var kept []Fetched
	for _, f := range spec.Fetched {
		switch f.SyncID {
		case fetched:
		case reg.SyncID, reg.ReleasedSyncID, reg.GoodSyncID:
			kept = append(kept, f)
		default:
			ops = append(ops, store.Delete(r.scope.documentKey(spec.API, f.SyncID)),
				store.Delete(r.scope.resourcesKey(spec.API, f.SyncID)))
		}
	}
	spec.Fetched = append(kept, Fetched{SyncID: fetched, FetchedAt: now()})
	return ops
}
