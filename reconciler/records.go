package reconciler

import (
	"log/slog"
	"slices"
	"unique"

	"kayra/store"
	"kayra/store/catalog"
)

// uid is that of the namespace's subscription, or "" if there is none.
func (a *api) uid(namespace string) string {
	if a == nil {
		return ""
	}
	if s := a.subscribers[namespace]; s != nil && s.sub != nil {
		return s.sub.UID
	}
	return ""
}

// lockOf is the lock of a job, whether or not what it is for is still there.
func (a *api) lockOf(j job) lock {
	switch s := a.subscribers[j.namespace]; {
	case j.kind == jobSpec:
		return a.specLock
	case j.kind == jobSubscription && s != nil:
		return s.lock
	}
	return lock{}
}

// empty tells whether nothing is known of the registration any more.
func (a *api) empty() bool {
	return a.reg == nil && a.spec.Revision == 0 && a.specLock == lock{} && len(a.subscribers) == 0 && a.published == nil
}

// ifRegistered calls f if the registration is there, which does not change meanwhile.
func (c *cache) ifRegistered(api string, f func()) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if a := c.apis[api]; a != nil && a.reg != nil {
		f()
	}
}

func (c *cache) api(name string) *api {
	a := c.apis[name]
	if a == nil {
		a = &api{spec: &catalog.Spec{API: name}, subscribers: map[string]*subscriber{}}
		c.apis[name] = a
	}
	return a
}

func (a *api) subscriberOrNew(namespace string) *subscriber {
	s := a.subscribers[namespace]
	if s == nil {
		s = &subscriber{}
		a.subscribers[namespace] = s
	}
	return s
}

// put takes over a record. One that cannot be read is passed over: it must not stop the others.
func (c *cache) put(e store.Entry) {
	id := c.scope.ParseKey(e.Key)
	var err error
	switch id.Kind {
	case catalog.KindRegistration:
		reg := &catalog.Registration{}
		if err = catalog.Decode(e, reg); err == nil {
			c.setRegistration(id.API, reg)
		}
	case catalog.KindSubscription:
		sub := &catalog.Subscription{}
		if err = catalog.Decode(e, sub); err == nil {
			if sub.Namespace == "" {
				sub.API, sub.Namespace = id.API, id.Namespace // a damaged record, which does not say where it stands
			}
			share(sub)
			s, before := c.api(sub.API).setSubscription(sub.Namespace, sub)
			c.attempted(s, before, sub)
		}
	case catalog.KindNamespace:
		ns := &catalog.Namespace{}
		if err = catalog.Decode(e, ns); err == nil {
			c.namespaces[id.Namespace] = ns
		}
	case catalog.KindSpec:
		spec := &catalog.Spec{}
		if err = catalog.Decode(e, spec); err == nil {
			c.api(id.API).spec = spec
		}
	case catalog.KindSubscriptionLock, catalog.KindSpecLock:
		err = c.putLock(id, e)
	case catalog.KindBoot, catalog.KindHealth, catalog.KindKonductor, catalog.KindRole:
		err = c.putNotice(id, e)
	case catalog.KindIndex, catalog.KindReconciler, catalog.KindRoleBinding:
	}
	if err != nil {
		c.unreadable(e.Key, err)
	}
}

// putNotice takes over a record that is no job's own.
func (c *cache) putNotice(id catalog.ID, e store.Entry) (err error) {
	switch id.Kind { //nolint:exhaustive // the others are jobs', or of no interest
	case catalog.KindBoot:
		var boot catalog.Boot
		if err = catalog.Decode(e, &boot); err == nil {
			c.boot = max(c.boot, boot.Count)
		}
	case catalog.KindHealth:
		h := &catalog.Health{}
		if err = catalog.Decode(e, h); err == nil {
			c.api(id.API).published = h
		}
	case catalog.KindKonductor:
		k := &catalog.Konductor{}
		if err = catalog.Decode(e, k); err == nil {
			c.konductor = k.ID
		}
	case catalog.KindRole:
		role := &catalog.Role{}
		if err = catalog.Decode(e, role); err == nil {
			c.grants.set(id.Name, role.Rules)
		}
	}
	return err //nolint:wrapcheck // it names the record already
}

func (c *cache) unreadable(key string, err error) {
	c.log.Error("a record cannot be read and is passed over", slog.String("key", key), slog.Any("error", err))
}

// share makes texts that many subscriptions have in common one text in memory.
func share(sub *catalog.Subscription) {
	sub.API, sub.CurrentSyncID = shared(sub.API), shared(sub.CurrentSyncID)
	sub.State, sub.Attempt.Phase = shared(sub.State), shared(sub.Attempt.Phase)
	sub.Attempt.SyncID, sub.Attempt.Holder = shared(sub.Attempt.SyncID), shared(sub.Attempt.Holder)
	sub.Attempt.Reason, sub.Attempt.Message = shared(sub.Attempt.Reason), shared(sub.Attempt.Message)
}

func shared[T ~string](text T) T { return unique.Make(text).Value() }

func (c *cache) putLock(id catalog.ID, e store.Entry) error {
	var l catalog.Lock
	if err := catalog.Decode(e, &l); err != nil {
		return err //nolint:wrapcheck // it names the record already
	}
	held := lock{holder: shared(l.Holder), revision: e.CreateRevision}
	if l.Step.Index > 0 {
		held.step = &l.Step
	}
	if id.Kind == catalog.KindSpecLock {
		c.api(id.API).specLock = held
		return nil
	}
	c.api(id.API).subscriberOrNew(id.Namespace).lock = held
	return nil
}

// delete forgets a record, and what it was part of when that was the last of it.
func (c *cache) delete(id catalog.ID) {
	switch id.Kind {
	case catalog.KindNamespace:
		delete(c.namespaces, id.Namespace)
		return
	case catalog.KindKonductor:
		c.konductor = ""
		return
	case catalog.KindRole:
		c.grants.set(id.Name, nil)
		return
	default:
	}
	a := c.apis[id.API]
	if a == nil {
		return
	}
	switch id.Kind {
	case catalog.KindRegistration:
		c.setRegistration(id.API, nil)
		c.dropped(id.API)
	case catalog.KindSpec:
		a.spec = &catalog.Spec{API: id.API}
	case catalog.KindSpecLock:
		a.specLock = lock{}
	case catalog.KindSubscription:
		s, _ := a.setSubscription(id.Namespace, nil)
		c.events.forget(s)
	case catalog.KindSubscriptionLock:
		if s := a.subscribers[id.Namespace]; s != nil {
			s.lock = lock{}
		}
	case catalog.KindHealth:
		a.published = nil
	case catalog.KindNamespace, catalog.KindIndex, catalog.KindBoot, catalog.KindReconciler, catalog.KindKonductor,
		catalog.KindRole, catalog.KindRoleBinding:
	}
	if s := a.subscribers[id.Namespace]; s != nil && s.sub == nil && (s.lock == lock{}) {
		a.wait(s, 0)
		delete(a.subscribers, id.Namespace)
	}
	if a.empty() {
		delete(c.apis, id.API)
	}
}

func (c *cache) setRegistration(name string, reg *catalog.Registration) {
	a := c.api(name)
	c.dependents.replace(name, a.reg, reg)
	c.release(a.reg)
	before := a.reg
	moved := before == nil || reg == nil || before.SyncID != reg.SyncID
	a.reg = reg
	if reg != nil {
		a.settings = reg.Operator.Settings(c.operator)
	}
	if reg != nil && (before == nil || !slices.Equal(before.DependsOn, reg.DependsOn)) {
		a.waiting = make([]int, len(reg.DependsOn))
		for _, s := range a.subscribers {
			s.waiting = 0 // all of them are looked at anew
		}
	}
	if moved {
		a.recount()
	}
	c.targeted(a, before)
}

// release has those looked at that a registration has depended on and may not any more.
func (c *cache) release(reg *catalog.Registration) {
	if reg == nil {
		return
	}
	for _, d := range reg.DependsOn {
		if c.inScope(d.Ref) && !c.registered(d.Name) {
			c.released = append(c.released, d.Name)
		}
	}
}

// setSubscription takes one record for another; nil: there is none any more.
func (a *api) setSubscription(namespace string, sub *catalog.Subscription) (s *subscriber, before *catalog.Subscription) {
	s = a.subscriberOrNew(namespace)
	before = s.sub
	a.tally.replace(before, sub, a.reg)
	s.sub = sub
	return s, before
}

// wait notes which dependency a subscriber waits for: 1 more than its index, or 0.
func (a *api) wait(s *subscriber, dependency int) {
	if s.waiting > 0 && s.waiting <= len(a.waiting) {
		a.waiting[s.waiting-1]--
	}
	s.waiting = dependency
	if dependency > 0 {
		a.waiting[dependency-1]++
	}
}
