package catalog

import (
	"context"
	"fmt"

	"kayra/store"
)

// SubscriptionView is a subscription beside what its registration makes of it.
type SubscriptionView struct {
	Subscription

	ExpectedSyncID string // the registration's sync id
	InSync         bool   // active and at the expected id
	Reason         Reason
	Message        string // one redacted sentence a person can act on, or ""

	registration int64 // generation of the registration
}

// Tag is the view's entity tag, without the quotes.
func (v *SubscriptionView) Tag() string {
	return fmt.Sprintf("%.8s-%d-%d", v.UID, v.Revision, v.registration)
}

// trigger is what client writes entitle the subscription to; the other counters are zero.
func (s *Subscription) trigger(reg *Registration) Trigger {
	return Trigger{RegGen: reg.Generation, SubGen: s.Generation}
}

// Subscribe ties a namespace to a registration. It fails with ErrInvalid when api is a short name, with ErrNotFound when
// the namespace or the registration is not there, with ErrConflict when the subscription is, and with ErrForbidden when the
// registration does not let the namespace in.
func (r *Repository) Subscribe(ctx context.Context, namespace, api string) (SubscriptionView, error) {
	if err := r.checkAPI(ctx, api); err != nil {
		return SubscriptionView{}, err
	}
	uid, err := newID()
	if err != nil {
		return SubscriptionView{}, err
	}
	at := now()
	sub := Subscription{
		API: api, Namespace: namespace, State: StateInit, UID: uid, Generation: 1,
		CreatedAt: at, UpdatedAt: at, RequestedAt: at,
	}
	key := r.scope.subscriptionKey(api, namespace)
	op, err := put(key, &sub)
	if err != nil {
		return SubscriptionView{}, err
	}
	var reg Registration
	res, err := r.again(ctx, "create subscription", func() (store.Txn, error) {
		var err error
		if reg, err = r.subscribable(ctx, namespace, api); err != nil {
			return store.Txn{}, err
		}
		return store.Txn{
			If: []store.Cond{
				store.Absent(key), store.Present(r.scope.namespaceKey(namespace)),
				unchanged(r.scope.registrationKey(api), reg.Revision), // it says who may subscribe
			},
			Then: []store.Op{op, store.Put(r.scope.byNamespaceKey(namespace, api), nil)},
		}, nil
	})
	stamp(&sub, res.Revision)
	made := NewView(sub, &reg, nil)
	return made, observed(ctx, err, nil, &made)
}

// checkAPI refuses anything but a long name, and names the long one where a registration has that short name.
func (r *Repository) checkAPI(ctx context.Context, api string) error {
	c := &check{}
	if c.longName("/api", api); c.err() == nil {
		return nil
	}
	if !ValidLabel(api) {
		return c.err()
	}
	long, err := r.store.Get(ctx, r.scope.shortNameKey(api))
	if isNotFound(err) {
		return c.err()
	}
	if err != nil {
		return fmt.Errorf("read short name %q: %w", api, err)
	}
	c.fields[0].Detail = fmt.Sprintf("%q is a short name; use the long one, %q", api, long.Value)
	return c.err()
}

// subscribable reads the registration, and says what stands in the way of a new subscription.
func (r *Repository) subscribable(ctx context.Context, namespace, api string) (Registration, error) {
	var reg Registration
	nsKey, regKey, subKey := r.scope.namespaceKey(namespace), r.scope.registrationKey(api), r.scope.subscriptionKey(api, namespace)
	res, err := r.read(ctx, nsKey, regKey, subKey)
	if err != nil {
		return reg, err
	}
	if _, ok := res.Got[nsKey]; !ok {
		return reg, unknownNamespace(namespace)
	}
	if _, ok := res.Got[subKey]; ok {
		return reg, refuse(ErrConflict, "namespace %q subscribes to %q already", namespace, api)
	}
	ok, err := find(res, regKey, &reg)
	if err == nil && !ok {
		err = unknownRegistration(api)
	}
	if err != nil {
		return reg, err
	}
	return reg, reg.admits(namespace)
}

// Subscription reads a subscription.
func (r *Repository) Subscription(ctx context.Context, namespace, api string) (SubscriptionView, error) {
	s, err := r.standing(ctx, namespace, api)
	if err != nil {
		return SubscriptionView{}, err
	}
	views := []SubscriptionView{s.view()}
	err = r.explainWaiting(ctx, views, map[string]*Registration{api: &s.reg})
	return views[0], err
}

// standing is a subscription and all that its view is made of, read at one revision.
type standing struct {
	sub  Subscription
	reg  Registration
	lock *Lock // of a run; nil: none runs
}

func (s *standing) view() SubscriptionView { return NewView(s.sub, &s.reg, s.lock) }

// tagHolds are the conditions under which what a tag says of the registration is still so. A write that asks for no tag
// has none.
func (s *standing) tagHolds(m Match) []store.Cond {
	if m == nil {
		return nil
	}
	return []store.Cond{unchanged(s.reg.Ref().registrationKey(), s.reg.Revision)}
}

func (r *Repository) standing(ctx context.Context, namespace, api string) (standing, error) {
	res, err := r.read(ctx, r.scope.standingKeys(namespace, api)...)
	if err != nil {
		return standing{}, err
	}
	return r.findStanding(res, namespace, api)
}

// standingKeys are those that a standing is read from.
func (s Scope) standingKeys(namespace, api string) []string {
	return []string{s.subscriptionKey(api, namespace), s.registrationKey(api), s.subscriptionLockKey(api, namespace)}
}

func (r *Repository) findStanding(res store.Result, namespace, api string) (standing, error) {
	var s standing
	keys := r.scope.standingKeys(namespace, api)
	if ok, err := find(res, keys[0], &s.sub); err != nil || !ok {
		return s, orElse(err, unknownSubscription(namespace, api))
	}
	if ok, err := find(res, keys[1], &s.reg); err != nil || !ok {
		return s, orElse(err, unknownRegistration(api))
	}
	var lock Lock
	if ok, err := find(res, keys[2], &lock); err != nil || !ok {
		return s, err
	}
	s.lock = &lock
	return s, nil
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// TouchSubscription writes a subscription as it is, which is a trigger.
func (r *Repository) TouchSubscription(ctx context.Context, namespace, api string, m Match) (SubscriptionView, error) {
	return r.changeSubscription(ctx, namespace, api, m, func(*Subscription) {})
}

// Resync makes a subscription be brought to its registration's sync id again.
func (r *Repository) Resync(ctx context.Context, namespace, api string, m Match) (SubscriptionView, error) {
	return r.changeSubscription(ctx, namespace, api, m, func(sub *Subscription) {
		sub.CurrentSyncID = ""
		sub.Force++
		sub.RequestedAt = now()
	})
}

func (r *Repository) changeSubscription(ctx context.Context, namespace, api string, m Match, change func(*Subscription)) (SubscriptionView, error) {
	var s standing
	var read SubscriptionView
	res, err := r.again(ctx, "write subscription", func() (store.Txn, error) {
		var err error
		if s, err = r.standing(ctx, namespace, api); err != nil {
			return store.Txn{}, err
		}
		read = s.view()
		if err := m.check("subscription", namespace+"/"+api, read.Tag()); err != nil {
			return store.Txn{}, err
		}
		change(&s.sub)
		s.sub.Generation++
		s.sub.UpdatedAt = now()
		key := r.scope.subscriptionKey(api, namespace)
		op, err := put(key, &s.sub)
		return store.Txn{
			If:   append(s.tagHolds(m), unchanged(key, s.sub.Revision)),
			Then: []store.Op{op},
		}, err
	})
	if err != nil {
		return SubscriptionView{}, err
	}
	stamp(&s.sub, res.Revision)
	written := s.view()
	return written, observed(ctx, nil, &read, &written)
}

// Unsubscribe deletes a subscription. A run of it that has begun is cancelled, and its result is not written.
func (r *Repository) Unsubscribe(ctx context.Context, namespace, api string, m Match) error {
	key := r.scope.subscriptionKey(api, namespace)
	var read SubscriptionView
	res, err := r.again(ctx, "delete subscription", func() (store.Txn, error) {
		s, err := r.standing(ctx, namespace, api)
		if err != nil {
			return store.Txn{}, err
		}
		read = s.view()
		if err := m.check("subscription", namespace+"/"+api, read.Tag()); err != nil {
			return store.Txn{}, err
		}
		cond := store.Present(key) // a reconciler's writes do not stand in the way
		if m != nil {
			cond = unchanged(key, s.sub.Revision)
		}
		return store.Txn{
			If: append(s.tagHolds(m), cond),
			Then: append(gets(r.scope.standingKeys(namespace, api)),
				store.Delete(key), store.Delete(r.scope.byNamespaceKey(namespace, api))),
		}, nil
	})
	if err != nil {
		return err
	}
	if s, err := r.findStanding(res, namespace, api); err == nil { // a reconciler may have written since it was read
		read = s.view()
	}
	return observed(ctx, nil, &read, nil)
}
