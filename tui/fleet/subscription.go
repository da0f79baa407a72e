package fleet

import (
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// Key is what a subscription is known by.
type Key struct{ API, Namespace string }

// Subscription is a subscription. It stays the same object for as long as it is there.
type Subscription struct {
	api.Subscription

	Since time.Time // when it came to stand as it stands, as far as was seen; else when it was written last

	gone  bool
	round uint64 // of the last one that told all there are, or of what came after
	stamp uint64
}

// Key is what it is known by.
func (s *Subscription) Key() Key { return Key{s.API, s.Namespace} }

// Subscriptions tells of subscriptions.
type Subscriptions struct {
	Whole   bool // they are all that there are: others are gone
	Changes []SubscriptionChange
	At      time.Time // when it was told
	Late    bool      // of changes: they may have happened a while ago, so that they say nothing of how fast it goes
}

// SubscriptionChange is a subscription as it is now, or one that is gone.
type SubscriptionChange struct {
	api.Subscription

	Gone bool
}

func (u *Subscriptions) apply(f *Fleet) {
	if u.Whole {
		f.round++
	}
	for i := range u.Changes {
		if c := &u.Changes[i]; c.Gone {
			f.remove(c.API, c.Namespace)
		} else {
			f.put(&c.Subscription, u)
		}
	}
	if !u.Whole {
		return
	}
	for _, a := range f.apis {
		for _, s := range a.subscriptions {
			if s.round != f.round {
				f.remove(s.API, s.Namespace)
			}
		}
	}
}

// put takes over a subscription.
func (f *Fleet) put(now *api.Subscription, u *Subscriptions) {
	a := f.api(now.API)
	s := a.subscriptions[now.Namespace]
	if s == nil {
		s = &Subscription{Since: now.UpdatedAt}
		if a.subscriptions[now.Namespace] = s; len(a.subscriptions) == 1 {
			f.byName = nil
		}
	} else {
		if s.round = f.round; s.Subscription == *now {
			return
		}
		a.Counts.add(&s.Subscription, -1)
		s.Since = since(s, now, u)
		if !u.Whole && !u.Late && hasSucceeded(&s.Subscription, now) {
			a.succeeded(u.At)
		}
	}
	s.Subscription, s.round = *now, f.round
	a.Counts.add(now, 1)
	a.changes.add(s, len(a.subscriptions))
}

// since is when a subscription came to stand as it does now: what has changed it was a write to it, or to something else.
func since(was *Subscription, now *api.Subscription, u *Subscriptions) time.Time {
	if was.Reason == now.Reason && was.CurrentSyncID == now.CurrentSyncID && was.ExpectedSyncID == now.ExpectedSyncID &&
		was.AttemptedSyncID == now.AttemptedSyncID {
		return was.Since
	}
	if now.UpdatedAt.After(was.UpdatedAt) || u.Whole || u.Late {
		return now.UpdatedAt
	}
	return u.At
}

// hasSucceeded tells whether a sync has ended well in between: the record was written, and not only is the target another one.
func hasSucceeded(was, now *api.Subscription) bool {
	return now.Reason == catalog.ReasonSynced && now.UpdatedAt.After(was.UpdatedAt) &&
		(was.Reason != catalog.ReasonSynced || was.CurrentSyncID != now.CurrentSyncID)
}

func (f *Fleet) remove(name, namespace string) {
	a := f.apis[name]
	if a == nil || a.subscriptions[namespace] == nil {
		return
	}
	s := a.subscriptions[namespace]
	s.gone = true
	a.Counts.add(&s.Subscription, -1)
	delete(a.subscriptions, namespace)
	delete(f.details, s.Key())
	a.changes.add(s, len(a.subscriptions))
	if len(a.subscriptions) == 0 {
		f.drop(a)
	}
}
