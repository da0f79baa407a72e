package reconciler

import (
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"

	"kayra/store/catalog"
)

// Observe has the queue tell exactly whether a job waits or is being done. It is called before Run.
func (c *Controller) Observe() { c.queued.Name, c.queued.MetricsProvider = "jobs", &outstanding{} }

// Idle tells whether the process has seen the store's revision and has nothing to do. What is to be looked at again after
// a while counts as nothing.
func (c *Controller) Idle(revision int64) bool {
	c.cache.mu.RLock()
	seen := c.cache.revision >= revision
	c.cache.mu.RUnlock()
	if o, ok := c.queued.MetricsProvider.(*outstanding); ok {
		return seen && o.jobs.Load() == 0
	}
	return seen && c.queue.Len() == 0 && c.runs.count() == 0
}

// outstanding counts the jobs that wait or are being done: the queue counts each when it is added, unless it waits
// already, and when it is done.
type outstanding struct{ jobs atomic.Int64 }

type added struct{ *outstanding }

func (a added) Inc() { a.jobs.Add(1) }

type finished struct{ *outstanding }

func (f finished) Observe(float64) { f.jobs.Add(-1) }

type ignored struct{}

func (ignored) Inc()            {}
func (ignored) Dec()            {}
func (ignored) Set(float64)     {}
func (ignored) Observe(float64) {}

func (o *outstanding) NewAddsMetric(string) workqueue.CounterMetric           { return added{o} }
func (o *outstanding) NewWorkDurationMetric(string) workqueue.HistogramMetric { return finished{o} }
func (*outstanding) NewDepthMetric(string) workqueue.GaugeMetric              { return ignored{} }
func (*outstanding) NewLatencyMetric(string) workqueue.HistogramMetric        { return ignored{} }
func (*outstanding) NewRetriesMetric(string) workqueue.CounterMetric          { return ignored{} }
func (*outstanding) NewUnfinishedWorkSecondsMetric(string) workqueue.SettableGaugeMetric {
	return ignored{}
}

func (*outstanding) NewLongestRunningProcessorSecondsMetric(string) workqueue.SettableGaugeMetric {
	return ignored{}
}

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
}

func (s *Situation) tenant() tenant {
	return tenant{
		reg: &s.Registration, sub: &s.Subscription, spec: &s.Spec, boot: s.Boot, locked: s.Locked, now: s.Revision,
	}
}

// EnsureReconciled decides about the subscription.
func EnsureReconciled(s Situation) Decision {
	has := func(mode string) bool { return mode == "api" }
	return seen(ensureReconciled(s.tenant(), modes{fallback: s.DefaultMode, has: has}))
}

// EnsureFetched decides about the document, with one subscription that may wait for it.
func EnsureFetched(s Situation) Decision {
	a := &api{reg: &s.Registration, spec: &s.Spec, subscribers: map[string]*subscriber{"": {sub: &s.Subscription}}}
	c := &cache{boot: s.Boot, revision: s.Revision}
	return seen(ensureFetched(a.reg, a.spec, s.Boot, s.Fetching, c.wanted(a)))
}

// Next is the attempt that follows the last one, and what is left of the trigger.
func Next(last catalog.Attempt, now catalog.Trigger, target string, asked bool) (catalog.Attempt, string) {
	a, right := next(last, now, target, asked)
	return a, map[entitlement]string{usedUp: "used up", due: "due", cutOff: "cut off"}[right]
}

// DeriveResources reads a document.
func DeriveResources(api string, document []byte) ([]catalog.Resource, error) {
	return deriveResources(api, document)
}
