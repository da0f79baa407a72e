package reconciler

import (
	"log/slog"
	"runtime/debug"
	"sync"

	"kayra/store"
	"kayra/store/catalog"
)

// jobKind is what a job is about.
type jobKind int

const (
	jobNamespace jobKind = iota
	jobSubscription
	jobSpec
	jobGood // note that all subscribers of a registration are synced
)

// job names something to look at.
type job struct {
	kind      jobKind
	api       string
	namespace string
}

// lock is a lock as the watch has shown it; revision 0: there is none.
type lock struct {
	holder   string
	revision int64
}

// subscriber is a subscription with its lock.
type subscriber struct {
	sub  *catalog.Subscription
	lock lock
}

// api is a registration with all that hangs on it. Records in it are replaced, never changed.
type api struct {
	reg         *catalog.Registration // nil while what hangs on it has been seen first, or last
	spec        *catalog.Spec
	specLock    lock
	subscribers map[string]*subscriber
	tally       tally
}

// cache is a copy of the scope's records, kept by [store.Follow].
type cache struct {
	scope   catalog.Scope
	log     *slog.Logger
	wake    func(jobs []job) // called with what a change may have made due, without the cache's lock
	gone    func(j job)      // called when a subscription has been deleted or replaced; it must not call back
	dropped func(api string) // called when a registration has been deleted; it must not call back
	live    func(err error)  // called when the watch begins or breaks

	mu         sync.RWMutex
	apis       map[string]*api
	namespaces map[string]*catalog.Namespace
	boot       int64
	revision   int64
}

func newCache(scope catalog.Scope, log *slog.Logger) *cache {
	return &cache{
		scope: scope, log: log,
		apis: map[string]*api{}, namespaces: map[string]*catalog.Namespace{},
	}
}

// Reset implements [store.Follower].
func (c *cache) Reset(entries []store.Entry, revision int64) {
	c.mu.Lock()
	old := c.apis
	c.apis, c.namespaces, c.boot, c.revision = map[string]*api{}, map[string]*catalog.Namespace{}, 0, revision
	for i, e := range entries {
		c.put(e)
		entries[i] = store.Entry{}
	}
	c.reportGone(old)
	c.mu.Unlock()
	debug.FreeOSMemory() // a long list leaves more garbage than all that the process will ever hold
	c.wake(c.all())
}

// reportGone tells of the registrations and the subscriptions that a new list has no more.
func (c *cache) reportGone(old map[string]*api) {
	for name, a := range old {
		for ns, s := range a.subscribers {
			if s.sub != nil && c.apis[name].uid(ns) != s.sub.UID {
				c.gone(job{kind: jobSubscription, api: name, namespace: ns})
			}
		}
		if now := c.apis[name]; a.reg != nil && (now == nil || now.reg == nil) {
			c.dropped(name)
		}
	}
}

// Apply implements [store.Follower].
func (c *cache) Apply(batch store.Batch) {
	touched := make(map[job]bool, len(batch.Events))
	c.mu.Lock()
	for _, e := range batch.Events {
		id := c.scope.ParseKey(e.Key)
		before := c.apis[id.API].uid(id.Namespace)
		if e.Deleted {
			c.delete(id)
		} else {
			c.put(e.Entry)
		}
		if before != "" && c.apis[id.API].uid(id.Namespace) != before {
			c.gone(job{kind: jobSubscription, api: id.API, namespace: id.Namespace})
		}
		c.touch(id, touched)
	}
	c.revision = max(c.revision, batch.Revision)
	c.mu.Unlock()
	c.wake(c.spread(touched))
}

// Live implements [store.Follower].
func (c *cache) Live(err error) { c.live(err) }

// touch notes what a change of the record may have made due. A job for a registration stands for all its subscribers.
func (c *cache) touch(id catalog.ID, touched map[job]bool) {
	switch id.Kind {
	case catalog.KindNamespace:
		touched[job{kind: jobNamespace, namespace: id.Namespace}] = true
	case catalog.KindSubscription, catalog.KindSubscriptionLock:
		touched[job{kind: jobSubscription, api: id.API, namespace: id.Namespace}] = true
		touched[job{kind: jobGood, api: id.API}] = true
	case catalog.KindRegistration, catalog.KindSpec, catalog.KindSpecLock:
		touched[job{kind: jobSpec, api: id.API}] = true
		touched[job{kind: jobSubscription, api: id.API}] = true
		touched[job{kind: jobGood, api: id.API}] = true
	case catalog.KindBoot:
		for name := range c.apis {
			touched[job{kind: jobSpec, api: name}] = true
			touched[job{kind: jobSubscription, api: name}] = true
		}
	case catalog.KindIndex, catalog.KindReconciler, catalog.KindRole, catalog.KindRoleBinding:
	}
}

// spread replaces the jobs that stand for all subscribers of a registration by one for each.
func (c *cache) spread(touched map[job]bool) []job {
	jobs := make([]job, 0, len(touched))
	c.mu.RLock()
	defer c.mu.RUnlock()
	for j := range touched {
		if j.kind != jobSubscription || j.namespace != "" {
			jobs = append(jobs, j)
			continue
		}
		if a := c.apis[j.api]; a != nil {
			for ns := range a.subscribers {
				jobs = append(jobs, job{kind: jobSubscription, api: j.api, namespace: ns})
			}
		}
	}
	return jobs
}

// all is every job there can be.
func (c *cache) all() []job {
	touched := map[job]bool{}
	c.mu.RLock()
	for ns := range c.namespaces {
		touched[job{kind: jobNamespace, namespace: ns}] = true
	}
	for name := range c.apis {
		c.touch(catalog.ID{Kind: catalog.KindRegistration, API: name}, touched)
	}
	c.mu.RUnlock()
	return c.spread(touched)
}

// raiseBoot takes over a count of starts that the watch may not have shown yet.
func (c *cache) raiseBoot(count int64) {
	c.mu.Lock()
	c.boot = max(c.boot, count)
	c.mu.Unlock()
}
