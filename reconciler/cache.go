package reconciler

import (
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

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
	step     *catalog.Step // that has taken a while; nil: there is none
}

// subscriber is a subscription with its lock.
type subscriber struct {
	sub     *catalog.Subscription
	lock    lock
	waiting int      // 1 more than the index of the dependency that it waits for, as it was last looked at; 0: for none
	history *history // nil: nothing has happened
}

// api is a registration with all that hangs on it. Records in it are replaced, never changed.
type api struct {
	reg         *catalog.Registration // nil while what hangs on it has been seen first, or last
	settings    catalog.Settings      // of reg
	spec        *catalog.Spec
	specLock    lock
	subscribers map[string]*subscriber
	tally       tally
	waiting     []int // by the index of a dependency: how many subscribers wait for it

	started   bool            // its workers run
	resync    time.Duration   // the interval that holds now; 0: none
	published *catalog.Health // by the konductor; nil: nothing
}

// cache is a copy of the scope's records, kept by [store.Follow].
type cache struct {
	scope    catalog.Scope
	operator *catalog.Operator // what a registration's own leaves out
	log      *slog.Logger
	now      func() time.Time
	wake     func(w wakeup)   // called with what a change may have made due, without the cache's lock
	gone     func(j job)      // called when a subscription has been deleted or replaced; it must not call back
	dropped  func(api string) // called when a registration has been deleted; it must not call back
	live     func(err error)  // called when the watch begins or breaks

	mu         sync.RWMutex
	apis       map[string]*api
	namespaces map[string]*catalog.Namespace
	dependents dependents
	released   []string // registrations that somebody depends on no more, as far as they have not been looked at
	grants     *grants
	events     *events
	told       map[string]fact // what the dependents of each registration were last woken for
	boot       int64
	konductor  string // id of the reconciler that holds the konductor's lease; "": nobody does
	abroad     map[catalog.Scope]*abroad
	revision   int64
}

func newCache(opts Options) *cache {
	return &cache{
		scope: opts.Scope, operator: opts.Operator, log: opts.Logger, now: time.Now,
		apis: map[string]*api{}, namespaces: map[string]*catalog.Namespace{},
		dependents: dependents{}, told: map[string]fact{}, abroad: map[catalog.Scope]*abroad{},
		grants: newGrants(), events: newEvents(opts.Identity.ID, maxEvents),
	}
}

// longList is how many records leave so much garbage that it is more than all that the process will ever hold.
const longList = 10_000

// Reset implements [store.Follower].
func (c *cache) Reset(entries []store.Entry, revision int64) {
	c.mu.Lock()
	old := c.apis
	c.apis, c.namespaces, c.dependents, c.grants = map[string]*api{}, map[string]*catalog.Namespace{}, dependents{}, newGrants()
	c.boot, c.konductor, c.revision = 0, "", revision
	for i, e := range entries {
		c.put(e)
		entries[i] = store.Entry{}
	}
	c.reportGone(old)
	touched := c.everything()
	for name := range old {
		touched.apis[name] = true
	}
	c.follow(touched)
	c.mu.Unlock()
	if len(entries) > longList {
		debug.FreeOSMemory()
	}
	c.wake(c.spread(touched))
}

// reportGone tells of the registrations and the subscriptions that a new list has no more, and keeps what is not on
// records.
func (c *cache) reportGone(old map[string]*api) {
	for name, a := range old {
		for ns, s := range a.subscribers {
			if s.sub != nil && c.apis[name].uid(ns) != s.sub.UID {
				c.gone(job{kind: jobSubscription, api: name, namespace: ns})
			}
			c.inherit(c.apis[name], ns, s)
		}
		now := c.apis[name]
		if a.reg != nil && (now == nil || now.reg == nil) {
			c.dropped(name)
		}
		c.targeted(now, a.reg)
		if now != nil {
			now.started, now.resync = a.started, a.resync
		}
	}
}

// Apply implements [store.Follower].
func (c *cache) Apply(batch store.Batch) {
	touched := newTouched()
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
	c.follow(touched)
	c.revision = max(c.revision, batch.Revision)
	c.mu.Unlock()
	c.wake(c.spread(touched))
}

// Live implements [store.Follower].
func (c *cache) Live(err error) { c.live(err) }

// raiseBoot takes over a count of starts that the watch may not have shown yet.
func (c *cache) raiseBoot(count int64) {
	c.mu.Lock()
	c.boot = max(c.boot, count)
	c.mu.Unlock()
}
