package reconciler

import (
	"strconv"
	"time"

	"kayra/reconciler/katalog"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// Idle tells whether the process has seen the store's revision and has nothing to do. What is to be looked at again after
// a while counts as nothing.
func (c *Controller) Idle(revision int64) bool {
	c.cache.mu.RLock()
	seen := c.cache.revision >= revision
	c.cache.mu.RUnlock()
	return seen && c.queues.Busy() == 0 && c.asides.Busy() == 0 && c.runs.count() == 0 && (c.courier == nil || c.courier.queue.Busy() == 0)
}

// Waiting is how many jobs of a registration wait for a slot.
func (c *Controller) Waiting(api string) int { return c.queues.Stats(api).Depth }

// Decision is what was decided, as a test sees it.
type Decision struct {
	Action  string // nothing, fetch, settle or run
	Attempt catalog.Attempt
	Outcome catalog.Outcome
	Mode    string
}

func seen(d decision) Decision {
	names := map[action]string{actNothing: "nothing", actFetch: "fetch", actSettle: "settle", actRun: "run"}
	return Decision{Action: names[d.action], Attempt: d.attempt, Outcome: d.outcome, Mode: d.mode}
}

// Situation is all that a decision rests on.
type Situation struct {
	Registration catalog.Registration
	Subscription catalog.Subscription
	Spec         catalog.Spec
	Boot         int64
	Locked       bool // the subscription
	Fetching     bool
	Revision     int64  // the store's
	DefaultMode  string // the mode "api" has steps, and no other

	Now     time.Time
	Retries int
	Resync  time.Duration
}

func (s *Situation) tenant() tenant {
	return tenant{
		reg: &s.Registration, sub: &s.Subscription, spec: &s.Spec, boot: s.Boot, locked: s.Locked, now: s.Revision,
		again: s.again(),
	}
}

func (s *Situation) again() again { return again{now: s.Now, retries: s.Retries, resync: s.Resync} }

// EnsureReconciled decides about the subscription.
func EnsureReconciled(s Situation) Decision {
	has := func(mode string) bool { return mode == "api" }
	return seen(ensureReconciled(s.tenant(), modes{fallback: s.DefaultMode, has: has}))
}

// EnsureFetched decides about the document, with one subscription that may wait for it.
func EnsureFetched(s Situation) Decision {
	a := &api{reg: &s.Registration, spec: &s.Spec, subscribers: map[string]*subscriber{"": {sub: &s.Subscription}}}
	c := &cache{boot: s.Boot, revision: s.Revision, now: func() time.Time { return s.Now }}
	return seen(ensureFetched(a.reg, a.spec, s.Boot, s.Fetching, c.wanted(a), s.again()))
}

// Failing tells whether the registration is to be rolled back for what its subscriptions have come to.
func Failing(reg *catalog.Registration, limit int, within time.Duration, subs ...*catalog.Subscription) bool {
	t := NewTallies(reg)
	for _, sub := range subs {
		t.Put(sub.Namespace, sub)
	}
	return t.api.failing(limit, within)
}

// NextInTime is the attempt that a failure is followed by in time, or when there will be one.
func NextInTime(last catalog.Attempt, now catalog.Trigger, at time.Time, retries int, resync time.Duration) (a catalog.Attempt, isDue bool, later time.Time) {
	to := next(last, now, last.SyncID, false, again{now: at, retries: retries, resync: resync})
	return to.attempt, to.right == due, to.at
}

// Next is the attempt that follows the last one, and what is left of the trigger.
func Next(last catalog.Attempt, now catalog.Trigger, target string, asked bool) (catalog.Attempt, string) {
	to := next(last, now, target, asked, again{})
	return to.attempt, map[entitlement]string{usedUp: "used up", due: "due", cutOff: "cut off"}[to.right]
}

// DeriveResources reads a document.
func DeriveResources(api string, document []byte) ([]catalog.Resource, error) {
	return deriveResources(api, document)
}

// Tally is what was counted of a registration's subscriptions.
type Tally struct {
	Subscribed, Failing, Active, Synced, Settled, Erred, Tried, Failures int
	Succeeded                                                            int64
}

// Tallies counts the records as they come, one by one, and then all of them anew.
type Tallies struct{ api api }

// NewTallies has none of the registration.
func NewTallies(reg *catalog.Registration) *Tallies {
	return &Tallies{api: api{reg: reg, spec: &catalog.Spec{}, subscribers: map[string]*subscriber{}}}
}

// Put takes over a record, nil: it has been deleted.
func (t *Tallies) Put(namespace string, sub *catalog.Subscription) {
	t.api.setSubscription(namespace, sub)
	if t.api.tally.spoilt {
		t.api.recount()
	}
}

// Counted is what has been counted, and what is counted anew.
func (t *Tallies) Counted() (asTheyCame, anew Tally) {
	asTheyCame = tallied(t.api.tally)
	t.api.recount()
	return asTheyCame, tallied(t.api.tally)
}

func tallied(t tally) Tally {
	return Tally{t.subscribed, t.failing, t.active, t.synced, t.settled, t.erred, t.tried, t.failures, t.succeeded}
}

// Chronicle is what has happened to subscriptions, as a test sees it.
type Chronicle struct {
	events *events
	of     map[string]*subscriber
}

// NewChronicle remembers at most so many events of each type.
func NewChronicle(most int) *Chronicle {
	return &Chronicle{events: newEvents("self", most), of: map[string]*subscriber{}}
}

// Note notes what has happened to a namespace's subscription.
func (c *Chronicle) Note(namespace string, reason katalog.EventReason, message string, at time.Time) {
	if c.of[namespace] == nil {
		c.of[namespace] = &subscriber{}
	}
	c.events.note(c.of[namespace], happening{reason: reason, message: message, source: "self", at: at})
}

// Of are the events of a namespace's subscription.
func (c *Chronicle) Of(namespace string) []katalog.CREvent {
	if c.of[namespace] == nil {
		return nil
	}
	return c.of[namespace].history.answered("x", time.Now())
}

// Forget forgets those of a namespace's subscription.
func (c *Chronicle) Forget(namespace string) {
	c.events.forget(c.of[namespace])
	delete(c.of, namespace)
}

// Count is how many events of a type are remembered, as they are counted and as they are linked in both directions.
func (c *Chronicle) Count(kind string) (counted, forward, back int) {
	r := c.events.byType[kind]
	if r == nil {
		return 0, 0, 0
	}
	for e := r.oldest; e != nil; e = e.newer {
		forward++
	}
	for e := r.newest; e != nil; e = e.older {
		back++
	}
	return r.n, forward, back
}

// Remembered makes n runs with so many steps each, and tells how many of them are remembered, with how many steps.
func Remembered(n, steps int) (runs, total int) {
	m := newMemory()
	for i := range n {
		j := job{kind: jobSubscription, namespace: strconv.Itoa(i)}
		r := m.begin(j, "run", 1)
		for k := range steps {
			m.observe(r, pipeline.Progress{Index: k, Steps: steps})
		}
		m.end(r, true)
	}
	for _, r := range m.runs.Values() {
		total += len(r.Steps)
	}
	if total != m.steps {
		return -1, m.steps
	}
	return m.runs.Len(), total
}
