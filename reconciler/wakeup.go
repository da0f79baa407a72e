package reconciler

import (
	"kayra/store/catalog"
)

// touched is what a batch of changes may have made due.
type touched struct {
	jobs    map[job]bool    // one by one
	all     map[string]bool // registrations all of whose subscribers are to be looked at
	apis    map[string]bool // registrations of which any record has changed
	reorder bool            // workers may have to start or to stop
	office  bool            // the konductor's lease has gone, or has been taken
}

func newTouched() *touched {
	return &touched{jobs: map[job]bool{}, all: map[string]bool{}, apis: map[string]bool{}}
}

// wakeup is what to look at after a change.
type wakeup struct {
	live    []job    // each about one thing alone
	bulk    []job    // each one of many
	apis    []string // registrations of which any record has changed
	reorder bool     // workers may have to start or to stop
	office  bool     // the konductor's lease has gone, or has been taken
}

// touch notes what a change of the record may have made due.
func (c *cache) touch(id catalog.ID, t *touched) {
	switch id.Kind {
	case catalog.KindNamespace:
		t.jobs[job{kind: jobNamespace, namespace: id.Namespace}] = true
	case catalog.KindSubscription, catalog.KindSubscriptionLock:
		t.jobs[job{kind: jobSubscription, api: id.API, namespace: id.Namespace}] = true
		t.jobs[job{kind: jobGood, api: id.API}] = true
		t.apis[id.API] = true
		c.touchAwaiting(id, t)
	case catalog.KindRegistration, catalog.KindSpec, catalog.KindSpecLock:
		t.jobs[job{kind: jobSpec, api: id.API}] = true
		t.jobs[job{kind: jobGood, api: id.API}] = true
		t.all[id.API], t.apis[id.API] = true, true
		if id.Kind == catalog.KindRegistration {
			t.reorder = true
			c.touchMissing(id.API, t)
			for dependent := range c.dependents[c.ref(id.API)] {
				t.all[dependent] = true
			}
		}
	case catalog.KindBoot:
		for name := range c.apis {
			t.jobs[job{kind: jobSpec, api: name}] = true
			t.all[name] = true
		}
	case catalog.KindKonductor:
		t.office = true
	case catalog.KindHealth:
		t.apis[id.API] = true
	case catalog.KindIndex, catalog.KindReconciler, catalog.KindRole, catalog.KindRoleBinding:
	}
}

// touchMissing touches what a registration depends on and is not there, which nothing else makes known.
func (c *cache) touchMissing(name string, t *touched) {
	if !c.registered(name) {
		return
	}
	for _, d := range c.apis[name].reg.DependsOn {
		if c.inScope(d.Ref) && !c.registered(d.Name) {
			t.apis[d.Name] = true
		}
	}
}

// touchAwaiting touches the same namespace's subscriptions to what depends on a registration and needs it synced.
func (c *cache) touchAwaiting(id catalog.ID, t *touched) {
	ref := c.ref(id.API)
	for dependent := range c.dependents[ref] {
		if !c.apis[dependent].needsSynced(ref) {
			continue
		}
		t.jobs[job{kind: jobSubscription, api: dependent, namespace: id.Namespace}] = true
	}
}

// everything touches every job there can be.
func (c *cache) everything() *touched {
	t := newTouched()
	t.reorder, t.office = true, true
	for ns := range c.namespaces {
		t.jobs[job{kind: jobNamespace, namespace: ns}] = true
	}
	for name := range c.apis {
		c.touch(catalog.ID{Kind: catalog.KindRegistration, API: name}, t)
	}
	return t
}

// spread makes the jobs of what was touched. A subscriber that was touched alone is not one of many.
func (c *cache) spread(t *touched) wakeup {
	w := wakeup{reorder: t.reorder, office: t.office}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for name := range t.apis {
		w.apis = append(w.apis, name)
	}
	for j := range t.jobs {
		w.live = append(w.live, j)
	}
	for name := range t.all {
		for _, j := range c.jobsOf(name) {
			if !t.jobs[j] {
				w.bulk = append(w.bulk, j)
			}
		}
	}
	return w
}

// jobsOf are the jobs of all subscribers of a registration.
func (c *cache) jobsOf(name string) []job {
	a := c.apis[name]
	if a == nil {
		return nil
	}
	jobs := make([]job, 0, len(a.subscribers))
	for ns := range a.subscribers {
		jobs = append(jobs, job{kind: jobSubscription, api: name, namespace: ns})
	}
	return jobs
}

// all is every job there can be.
func (c *cache) all() wakeup {
	c.mu.RLock()
	t := c.everything()
	c.mu.RUnlock()
	return c.spread(t)
}

// ofAPI is what to look at when a registration's workers have started, or its queue has room again.
func (c *cache) ofAPI(name string) []job {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.jobsOf(name)
}
