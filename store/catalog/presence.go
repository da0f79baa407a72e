package catalog

import (
	"context"
	"fmt"

	"kayra/store"
)

// CountBoot counts a start of a reconciler, and returns how many there have been. Each is a trigger.
func (r *Repository) CountBoot(ctx context.Context) (int64, error) {
	var boot Boot
	key := r.scope.bootKey()
	_, err := r.again(ctx, "count start", func() (store.Txn, error) {
		boot = Boot{}
		e, err := r.store.Get(ctx, key)
		if err != nil && !isNotFound(err) {
			return store.Txn{}, fmt.Errorf("read starts: %w", err)
		}
		e.Key = key
		if err == nil {
			if err := Decode(e, &boot); err != nil {
				return store.Txn{}, err
			}
		}
		boot.Count++
		op, err := put(key, &boot)
		return store.Txn{If: []store.Cond{store.Unchanged(e)}, Then: []store.Op{op}}, err
	})
	return boot.Count, err
}

// Announce makes a reconciler process known for as long as its session lasts.
func (r *Repository) Announce(ctx context.Context, p Reconciler, session string) error {
	op, err := put(r.scope.reconcilersPrefix()+p.ID, &p)
	if err != nil {
		return err
	}
	op.Session = session
	if _, err := r.store.Txn(ctx, store.Txn{Then: []store.Op{op}}); err != nil {
		return fmt.Errorf("announce reconciler %q: %w", p.ID, err)
	}
	return nil
}

// MarkGood records that every active subscription is synced at the registration's sync id, provided that the
// registration is still as it is given. Otherwise it fails with ErrStale.
func (r *Repository) MarkGood(ctx context.Context, reg Registration) error {
	key := r.scope.registrationKey(reg.Name)
	cond := unchanged(key, reg.Revision)
	reg.GoodSyncID = reg.SyncID
	op, err := put(key, &reg)
	if err != nil {
		return err
	}
	_, err = r.decided(ctx, "mark", reg.Name, store.Txn{If: []store.Cond{cond}, Then: []store.Op{op}})
	return err
}

// Unlock deletes the lock of a subscription or a fetch, if it is the one created at the revision. It is for a lock that
// this process's own session holds without a run that knows of it: the answer to the claim was lost.
func (r *Repository) Unlock(ctx context.Context, id ID, revision int64) error {
	return r.unlock(ctx, r.scope.lockKey(id), revision)
}
