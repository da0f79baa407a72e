package reconciler

import (
	"sync/atomic"

	"k8s.io/client-go/util/workqueue"
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
