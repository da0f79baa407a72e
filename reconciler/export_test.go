package reconciler

import (
	"time"

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
	Subscribed, Active, Synced, Erred, Tried, Failures int
	Succeeded                                          int64
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
	return Tally{t.subscribed, t.active, t.synced, t.erred, t.tried, t.failures, t.succeeded}
}
