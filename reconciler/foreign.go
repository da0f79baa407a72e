package reconciler

import (
	"strings"

	"kayra/store"
	"kayra/store/catalog"
)

// abroad is what is known of another scope, for the dependencies that registrations of this one have in it.
type abroad struct {
	registrations map[string]*catalog.Registration
	health        map[string]*catalog.Health
	reconcilers   map[string]bool
	subscriptions map[string]map[string]*catalog.Subscription // by API and namespace, of those that must be synced

	listed map[string]bool // prefixes that have been read
}

func newAbroad() *abroad {
	return &abroad{
		registrations: map[string]*catalog.Registration{}, health: map[string]*catalog.Health{},
		reconcilers: map[string]bool{}, subscriptions: map[string]map[string]*catalog.Subscription{},
		listed: map[string]bool{},
	}
}

// fact is what a registration of another scope is to those of this one. Until its scope has been read it is nothing;
// what the store does not tell of it then is not judged.
func (c *cache) foreignFact(ref catalog.Ref) fact {
	at := c.abroad[ref.Scope()]
	if at == nil || !at.read(ref.Scope()) {
		return fact{}
	}
	if at.registrations[ref.Name] == nil {
		return fact{external: true}
	}
	f := fact{present: true, started: len(at.reconcilers) > 0}
	h := at.health[ref.Name]
	if h == nil {
		f.external = f.started
		return f
	}
	f.state = h.State
	f.started = f.started && f.state != catalog.HealthNotStarted
	return f
}

// read tells whether all that is always followed has been read.
func (a *abroad) read(scope catalog.Scope) bool {
	for _, prefix := range scope.DependencyPrefixes() {
		if !a.listed[prefix] {
			return false
		}
	}
	return true
}

// awaitsAbroad is awaits for a dependency in another scope.
func (c *cache) awaitsAbroad(ref catalog.Ref, namespace string) bool {
	at := c.abroad[ref.Scope()]
	if at == nil || !at.listed[ref.Scope().SubscriptionsPrefix(ref.Name)] {
		return true
	}
	reg, sub := at.registrations[ref.Name], at.subscriptions[ref.Name][namespace]
	return reg != nil && sub != nil && !sub.UpToDate(reg)
}

// foreignPrefixes are what has to be followed for the dependencies in other scopes.
func (c *cache) foreignPrefixes() map[string]catalog.Scope {
	c.mu.RLock()
	defer c.mu.RUnlock()
	wanted := map[string]catalog.Scope{}
	for ref, dependents := range c.dependents {
		if c.inScope(ref) {
			continue
		}
		for _, prefix := range ref.Scope().DependencyPrefixes() {
			wanted[prefix] = ref.Scope()
		}
		for name := range dependents {
			if c.apis[name].needsSynced(ref) {
				wanted[ref.Scope().SubscriptionsPrefix(ref.Name)] = ref.Scope()
			}
		}
	}
	return wanted
}

func (a *api) needsSynced(ref catalog.Ref) bool {
	if a == nil || a.reg == nil {
		return false
	}
	for _, d := range a.reg.DependsOn {
		if d.Ref == ref && d.Needs() == catalog.ConditionSynced {
			return true
		}
	}
	return false
}

// forget drops what is not followed any more.
func (c *cache) forgetAbroad(prefix string, scope catalog.Scope) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at := c.abroad[scope]; at != nil {
		at.clear(scope, prefix)
		delete(at.listed, prefix)
		if len(at.listed) == 0 {
			delete(c.abroad, scope)
		}
	}
}

// clear drops the records under a prefix.
func (a *abroad) clear(scope catalog.Scope, prefix string) {
	switch id := scope.ParseKey(prefix + "x"); id.Kind { //nolint:exhaustive // the others are not followed
	case catalog.KindRegistration:
		clear(a.registrations)
	case catalog.KindHealth:
		clear(a.health)
	case catalog.KindReconciler:
		clear(a.reconcilers)
	case catalog.KindSubscription:
		delete(a.subscriptions, id.API)
	}
}

// put takes over a record. One that cannot be read counts as one that is not there.
func (a *abroad) put(id catalog.ID, e store.Entry) error {
	switch id.Kind { //nolint:exhaustive // the others are not followed
	case catalog.KindRegistration:
		reg := &catalog.Registration{}
		if err := catalog.Decode(e, reg); err != nil {
			return err //nolint:wrapcheck // it names the record
		}
		a.registrations[id.API] = reg
	case catalog.KindHealth:
		h := &catalog.Health{}
		if err := catalog.Decode(e, h); err != nil {
			return err //nolint:wrapcheck // it names the record
		}
		a.health[id.API] = h
	case catalog.KindReconciler:
		a.reconcilers[id.Name] = true
	case catalog.KindSubscription:
		sub := &catalog.Subscription{}
		if err := catalog.Decode(e, sub); err != nil {
			return err //nolint:wrapcheck // it names the record
		}
		if a.subscriptions[id.API] == nil {
			a.subscriptions[id.API] = map[string]*catalog.Subscription{}
		}
		a.subscriptions[id.API][id.Namespace] = sub
	}
	return nil
}

func (a *abroad) delete(id catalog.ID) {
	switch id.Kind { //nolint:exhaustive // the others are not followed
	case catalog.KindRegistration:
		delete(a.registrations, id.API)
	case catalog.KindHealth:
		delete(a.health, id.API)
	case catalog.KindReconciler:
		delete(a.reconcilers, id.Name)
	case catalog.KindSubscription:
		delete(a.subscriptions[id.API], id.Namespace)
	}
}

// borders follows a prefix of another scope.
type borders struct {
	cache  *cache
	scope  catalog.Scope
	prefix string
}

// Reset implements [store.Follower].
func (b *borders) Reset(entries []store.Entry, _ int64) {
	b.change(func(at *abroad) {
		at.clear(b.scope, b.prefix)
		at.listed[b.prefix] = true
		for _, e := range entries {
			b.put(at, e)
		}
	})
}

// Apply implements [store.Follower].
func (b *borders) Apply(batch store.Batch) {
	if len(batch.Events) == 0 {
		return
	}
	b.change(func(at *abroad) {
		for _, e := range batch.Events {
			if e.Deleted {
				at.delete(b.scope.ParseKey(e.Key))
			} else {
				b.put(at, e.Entry)
			}
		}
	})
}

// Live implements [store.Follower]. While the link is broken, what was known last is what is known.
func (b *borders) Live(error) {}

func (b *borders) put(at *abroad, e store.Entry) {
	if err := at.put(b.scope.ParseKey(e.Key), e); err != nil {
		b.cache.unreadable(e.Key, err)
	}
}

// change changes what is known, and wakes all that depends on the scope.
func (b *borders) change(f func(at *abroad)) {
	c, t := b.cache, newTouched()
	c.mu.Lock()
	if c.abroad[b.scope] == nil {
		c.abroad[b.scope] = newAbroad()
	}
	f(c.abroad[b.scope])
	for ref, dependents := range c.dependents {
		if ref.Scope() == b.scope && (!strings.Contains(b.prefix, "/subscriptions/") || strings.HasSuffix(b.prefix, "/"+ref.Name+"/")) {
			for name := range dependents {
				t.all[name], t.apis[name], t.reorder = true, true, true
			}
		}
	}
	c.follow(t)
	c.mu.Unlock()
	c.wake(c.spread(t))
}
