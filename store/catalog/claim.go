package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"kayra/store"
)

// What becomes of a claim when others have written meanwhile.
var (
	// ErrStale: the records are no longer as the decision saw them. The change that made it so brings the job back.
	ErrStale = errors.New("the records have changed since the decision")
	// ErrLost: the lock or the record is gone. There is nothing left to write.
	ErrLost = errors.New("the lock or the record is gone")
	// ErrDropped: the immediate retry must not be made, since the registration is paused or wants another id by now.
	ErrDropped = errors.New("the immediate retry is dropped")
)

// attempted is a record that carries its last attempt.
type attempted interface {
	record
	attempt() *Attempt
	markFailure()
	uid(reg *Registration) string
}

func (s *Subscription) attempt() *Attempt             { return &s.Attempt }
func (s *Subscription) uid(*Registration) string      { return s.UID }
func (s *Spec) attempt() *Attempt                     { return &s.Attempt }
func (s *Spec) markFailure()                          {}
func (s *Spec) uid(registration *Registration) string { return registration.UID }

// Claim is an attempt that this process runs, and the lock that lets it write the outcome.
type Claim[T any, P interface {
	*T
	attempted
}] struct {
	Registration Registration // as it was when the attempt began
	Record       T            // with the attempt, running

	repo         *Repository
	key, lockKey string
	lock         int64 // revision that the lock was created at
}

// SubscriptionClaim is the claim of a run.
type SubscriptionClaim = Claim[Subscription, *Subscription]

// SpecClaim is the claim of a fetch.
type SpecClaim = Claim[Spec, *Spec]

// Begin takes the lock of the subscription and records that the attempt runs, in one transaction, provided that nobody
// holds the lock and that both records are still as they are given. Otherwise it fails with ErrStale. The lock goes when
// the session ends.
func (r *Repository) Begin(ctx context.Context, reg *Registration, sub *Subscription, a Attempt, session string) (*SubscriptionClaim, error) {
	c := &SubscriptionClaim{
		Registration: *reg, Record: *sub, repo: r,
		key: r.scope.subscriptionKey(sub.API, sub.Namespace), lockKey: r.scope.subscriptionLockKey(sub.API, sub.Namespace),
	}
	return c, c.begin(ctx, a, session)
}

// BeginFetch is Begin for the fetch of a registration's document.
func (r *Repository) BeginFetch(ctx context.Context, reg *Registration, spec *Spec, a Attempt, session string) (*SpecClaim, error) {
	c := &SpecClaim{
		Registration: *reg, Record: *spec, repo: r,
		key: r.scope.specKey(reg.Name), lockKey: r.scope.specLockKey(reg.Name),
	}
	return c, c.begin(ctx, a, session)
}

func (c *Claim[T, P]) begin(ctx context.Context, a Attempt, session string) error {
	rec := P(&c.Record)
	a.Phase, a.Reason, a.Message, a.StartedAt = PhaseRunning, "", "", now()
	a.EndedAt, a.RetryAt = time.Time{}, time.Time{}
	*rec.attempt() = a
	lock, err := json.Marshal(Lock{Holder: session})
	if err != nil {
		return fmt.Errorf("encode lock: %w", err)
	}
	op, err := put(c.key, rec)
	if err != nil {
		return err
	}
	res, err := c.repo.insist(ctx, store.Txn{
		If: []store.Cond{
			store.Absent(c.lockKey),
			unchanged(c.key, rec.meta().Revision),
			c.registrationUnchanged(),
		},
		Then: []store.Op{store.PutSession(c.lockKey, lock, session), op},
		Else: []store.Op{store.Get(c.lockKey), store.Get(c.key)},
	})
	if err != nil {
		return fmt.Errorf("claim %q: %w", c.key, err)
	}
	if !res.OK {
		return c.adopt(res, session)
	}
	stamp(rec, res.Revision)
	c.lock = res.Revision
	return nil
}

// insist carries out a transaction again when the store does not answer, at once and a few times only.
func (r *Repository) insist(ctx context.Context, txn store.Txn) (res store.Result, err error) {
	const tries = 3
	for range tries {
		res, err = r.store.Txn(ctx, txn)
		if !errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil {
			break
		}
	}
	return res, err //nolint:wrapcheck // the caller does
}

// adopt takes over a claim that an earlier try made, whose answer was lost. Left alone, it would count as an attempt that
// was begun and cut off. If only its lock is left, since the record is another one by now, it fails as if there had been
// no answer: the lock is still to be given up.
func (c *Claim[T, P]) adopt(res store.Result, session string) error {
	var fresh T
	there, err := find(res, c.key, P(&fresh))
	if err != nil {
		return err
	}
	lock := res.Got[c.lockKey]
	if lock.Session != session {
		return ErrStale
	}
	if !there || !P(&fresh).attempt().sameOutcome(P(&c.Record).attempt()) {
		return fmt.Errorf("claim %q: its record has been replaced: %w", c.key, store.ErrUnavailable)
	}
	c.Record, c.lock = fresh, lock.CreateRevision
	return nil
}

func (c *Claim[T, P]) registrationUnchanged() store.Cond {
	return unchanged(c.repo.scope.registrationKey(c.Registration.Name), c.Registration.Revision)
}

// Retry records that the attempt failed, and that its immediate retry runs. It fails with ErrDropped when there must be
// none; what is owed then is an outcome.
func (c *Claim[T, P]) Retry(ctx context.Context) error {
	return c.write(ctx, func(rec P) ([]store.Op, []store.Cond, error) {
		if c.Registration.Paused || c.Registration.SyncID != rec.attempt().SyncID {
			return nil, nil, ErrDropped
		}
		a := rec.attempt()
		a.N, a.Begun, a.StartedAt = 2, 1, now()
		rec.markFailure()
		return nil, []store.Cond{c.registrationUnchanged()}, nil
	})
}

// Note puts how far the run has come on the lock, as long as it is held. Nothing is decided by that.
func (c *Claim[T, P]) Note(ctx context.Context, step Step, session string) error {
	op, err := put(c.lockKey, &Lock{Holder: session, Step: step})
	if err != nil {
		return err
	}
	op.Session = session
	_, err = c.repo.decided(ctx, "note", c.lockKey, store.Txn{
		If: []store.Cond{store.CreatedAt(c.lockKey, c.lock)}, Then: []store.Op{op},
	})
	return err
}

// Abandon gives up the lock without an outcome, so that another process repeats the attempt.
func (c *Claim[T, P]) Abandon(ctx context.Context) error {
	return c.repo.unlock(ctx, c.lockKey, c.lock)
}

// Attempt is the attempt as it was last recorded.
func (c *Claim[T, P]) Attempt() Attempt { return *P(&c.Record).attempt() }

// Moved tells whether the registration wanted another id than the attempt carries when it was last read.
func (c *Claim[T, P]) Moved() bool {
	return c.Registration.SyncID != P(&c.Record).attempt().SyncID
}

// write stores what change makes of the record, with further operations, as long as the lock is held and the record is
// the one that was claimed. What others have written to it meanwhile is kept.
func (c *Claim[T, P]) write(ctx context.Context, change func(rec P) ([]store.Op, []store.Cond, error)) error {
	for range maxTries {
		next := c.Record
		rec := P(&next)
		ops, conds, err := change(rec)
		if err != nil {
			return err
		}
		op, err := put(c.key, rec)
		if err != nil {
			return err
		}
		res, err := c.repo.store.Txn(ctx, store.Txn{
			If: append(conds, store.CreatedAt(c.lockKey, c.lock),
				unchanged(c.key, rec.meta().Revision)),
			Then: append(ops, op),
			Else: []store.Op{
				store.Get(c.lockKey), store.Get(c.key), store.Get(c.repo.scope.registrationKey(c.Registration.Name)),
			},
		})
		if err != nil {
			return fmt.Errorf("write %q: %w", c.key, err)
		}
		if res.OK {
			stamp(rec, res.Revision)
			c.Record = next
			return nil
		}
		if done, err := c.reload(res, rec); done || err != nil {
			return err
		}
	}
	return fmt.Errorf("write %q: others write it all the time: %w", c.key, store.ErrUnavailable)
}

// reload takes over what others have written. done says that an earlier try, whose answer was lost, did write wanted.
func (c *Claim[T, P]) reload(res store.Result, wanted P) (done bool, err error) {
	var fresh T
	var reg Registration
	there, err := find(res, c.key, P(&fresh))
	if err != nil {
		return false, err
	}
	registered, err := find(res, c.repo.scope.registrationKey(c.Registration.Name), &reg)
	if err != nil {
		return false, err
	}
	same := there && registered && P(&fresh).uid(&reg) == wanted.uid(&c.Registration)
	if same && P(&fresh).attempt().sameOutcome(wanted.attempt()) {
		c.Record = fresh
		return true, nil
	}
	if !same || res.Got[c.lockKey].CreateRevision != c.lock {
		return false, ErrLost
	}
	c.Record, c.Registration = fresh, reg
	return false, nil
}

func (a *Attempt) sameOutcome(o *Attempt) bool {
	return a.Run == o.Run && a.N == o.N && a.Phase == o.Phase && a.StartedAt.Equal(o.StartedAt)
}

// unlock deletes a lock, if it is the one that was created at the revision.
func (r *Repository) unlock(ctx context.Context, key string, revision int64) error {
	_, err := r.store.Txn(ctx, store.Txn{If: []store.Cond{store.CreatedAt(key, revision)}, Then: []store.Op{store.Delete(key)}})
	if err != nil {
		return fmt.Errorf("unlock %q: %w", key, err)
	}
	return nil
}
