package reconciler

import (
	"kayra/store/catalog"
)

// dependents are the registrations of this scope that depend on one of any scope.
type dependents map[catalog.Ref]map[string]bool

// replace takes what a registration depends on for what it depended on before.
func (d dependents) replace(name string, before, after *catalog.Registration) {
	if before != nil {
		for _, on := range before.DependsOn {
			delete(d[on.Ref], name)
			if len(d[on.Ref]) == 0 {
				delete(d, on.Ref)
			}
		}
	}
	if after != nil {
		for _, on := range after.DependsOn {
			if d[on.Ref] == nil {
				d[on.Ref] = map[string]bool{}
			}
			d[on.Ref][name] = true
		}
	}
}

func (c *cache) ref(name string) catalog.Ref {
	return catalog.Ref{Platform: c.scope.Platform, Region: c.scope.Region, Name: name}
}

// follow brings what follows from the records up to date after a change, and touches what depends on it: the subscribers
// of the dependents of a registration that is not to them what it was.
func (c *cache) follow(t *touched) {
	for _, name := range c.released {
		t.apis[name] = true
	}
	c.released = nil
	for name := range t.apis {
		if a := c.apis[name]; a != nil && a.tally.spoilt {
			a.recount()
		}
	}
	todo := make([]string, 0, len(t.apis))
	for name := range t.apis {
		todo = append(todo, name)
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !c.changed(name) {
			continue
		}
		t.reorder, t.apis[name] = true, true
		for dependent := range c.dependents[c.ref(name)] {
			t.all[dependent], t.apis[dependent] = true, true
			todo = append(todo, dependent) // one whose dependency is missing is degraded
		}
	}
}

// changed tells whether a registration is not to its dependents what they were last woken for.
func (c *cache) changed(name string) bool {
	now := c.factOf(c.ref(name))
	was, known := c.told[name]
	if !now.present {
		delete(c.told, name)
		return known
	}
	c.told[name] = now
	return !known || was != now
}

// setStarted says that a registration's workers run, or do not any more, and returns what to look at for that.
func (c *cache) setStarted(name string, started bool) wakeup {
	t := newTouched()
	c.mu.Lock()
	if a := c.apis[name]; a != nil {
		a.started = started
		if started {
			t.all[name] = true
		}
	}
	t.apis[name] = true
	c.follow(t)
	c.mu.Unlock()
	return c.spread(t)
}
