package reconciler

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/notice"
	"kayra/store/catalog"
)

// metrics counts what this process does, and reads from the cache what there is to do.
type metrics struct {
	controller *Controller

	attempts  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	fetches   *prometheus.CounterVec
	fetching  prometheus.Histogram
	retries   *prometheus.CounterVec
	stale     prometheus.Counter
	notices   *prometheus.CounterVec
	inUse     atomic.Int64

	slots, slotsInUse, due, oldest, konductor *prometheus.Desc
	figures                                   []figure
}

func newMetrics(c *Controller) *metrics {
	const ns = "kayra_reconciler_"
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(ns+name, help, labels, nil)
	}
	return &metrics{
		controller: c,
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: ns + "attempts_total",
			Help: "Attempts to reconcile a subscription, by how they ended: success, error, retried, retry_owed, interrupted.",
		}, []string{"api", "result"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    ns + "attempt_duration_seconds",
			Help:    "How long the steps of an attempt took.",
			Buckets: prometheus.ExponentialBuckets(0.005, 2.5, 14), //nolint:mnd // 5 ms to 12 minutes
		}, []string{"api"}),
		fetches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: ns + "spec_fetches_total", Help: "Fetches of OpenAPI documents, by how they ended: success, error, retried, interrupted.",
		}, []string{"result"}),
		fetching: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: ns + "spec_fetch_duration_seconds", Help: "How long a fetch of an OpenAPI document took.",
			Buckets: prometheus.DefBuckets,
		}),
		stale: prometheus.NewCounter(prometheus.CounterOpts{
			Name: ns + "overtaken_total", Help: "Jobs that another process or a client was faster at.",
		}),
		notices: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: ns + "notifications_total",
			Help: "Events that a team was to be told of, by what became of that: delivered, failed, no_channel, throttled, given_up.",
		}, []string{"event", "result"}),
		slots:      desc("slots", "Slots of the pool."),
		slotsInUse: desc("slots_in_use", "Slots that a job is running in."),
		konductor:  desc("konductor", "1 while this process decides what must be decided once, otherwise 0."),
		figures:    figures(desc),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: ns + "retries_total", Help: "Attempts that operator.retry has made beyond the two of a trigger.",
		}, []string{"api"}),
		due:    desc("jobs_due", "Subscriptions that there is something to do about now.", "api"),
		oldest: desc("oldest_unsynced_seconds", "For how long the subscription that has been unsynced longest has been so; 0: all are synced.", "api"),
	}
}

func (m *metrics) busy(by int64) { m.inUse.Add(by) }

func (m *metrics) attempt(api, result string) {
	m.controller.cache.ifRegistered(api, func() { m.attempts.WithLabelValues(api, result).Inc() })
}

func (m *metrics) retry(api string) {
	m.controller.cache.ifRegistered(api, func() { m.retries.WithLabelValues(api).Inc() })
}

func (m *metrics) took(api string, since time.Time) {
	m.controller.cache.ifRegistered(api, func() { m.durations.WithLabelValues(api).Observe(time.Since(since).Seconds()) })
}

func (m *metrics) fetch(result string) { m.fetches.WithLabelValues(result).Inc() }

// told counts what became of telling a team of an event.
func (m *metrics) told(kind notice.Kind, result string) {
	m.notices.WithLabelValues(string(kind), result).Inc()
}

func (m *metrics) fetchTook(since time.Time) { m.fetching.Observe(time.Since(since).Seconds()) }

// forget drops the series of a registration that is no more. What ends after it does not bring them back.
func (m *metrics) forget(api string) {
	m.attempts.DeletePartialMatch(prometheus.Labels{"api": api})
	m.durations.DeleteLabelValues(api)
	m.retries.DeleteLabelValues(api)
}

// Describe implements [prometheus.Collector].
func (m *metrics) Describe(ch chan<- *prometheus.Desc) {
	for _, c := range m.counted() {
		c.Describe(ch)
	}
	for _, d := range []*prometheus.Desc{m.slots, m.slotsInUse, m.due, m.oldest, m.konductor} {
		ch <- d
	}
	for _, f := range m.figures {
		ch <- f.desc
	}
}

func (m *metrics) counted() []prometheus.Collector {
	return []prometheus.Collector{m.attempts, m.durations, m.fetches, m.fetching, m.stale, m.notices, m.retries}
}

// Collect implements [prometheus.Collector].
func (m *metrics) Collect(ch chan<- prometheus.Metric) {
	for _, c := range m.counted() {
		c.Collect(ch)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(m.slots, float64(m.controller.opts.MaxConcurrent))
	gauge(m.slotsInUse, float64(m.inUse.Load()))
	gauge(m.konductor, float64(one(m.controller.leads())))
	for _, a := range (insight{m.controller}).APIs() {
		m.tell(ch, &a)
	}
	for _, b := range m.controller.cache.backlogs(m.controller.modes, time.Now()) {
		gauge(m.due, float64(b.due), b.api)
		gauge(m.oldest, b.oldest.Seconds(), b.api)
	}
}

// backlog is what there is to do for a registration.
type backlog struct {
	api    string
	due    int
	oldest time.Duration
}

func (c *cache) backlogs(m modes, now time.Time) []backlog {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make([]backlog, 0, len(c.apis))
	for name, a := range c.apis {
		if a.reg == nil {
			continue
		}
		b := backlog{api: name}
		for _, s := range a.subscribers {
			if a.tally.settled == a.tally.subscribed {
				break // which is so most of the time, and spares looking at all of them
			}
			if s.sub == nil {
				continue
			}
			if ensureReconciled(c.tenant(a, s), m).action != actNothing {
				b.due++
			}
			if !s.sub.Synced(a.reg) {
				b.oldest = max(b.oldest, now.Sub(unsyncedSince(s.sub, a.reg)))
			}
		}
		out = append(out, b)
	}
	return out
}

// unsyncedSince is when the subscription was left behind: by a new target, or by a wish of its own.
func unsyncedSince(sub *catalog.Subscription, reg *catalog.Registration) time.Time {
	if sub.Active && sub.CurrentSyncID != "" || reg.TargetAt.After(sub.RequestedAt) {
		return reg.TargetAt
	}
	return sub.RequestedAt
}
