package reconciler

import (
	"github.com/prometheus/client_golang/prometheus"

	"kayra/reconciler/katalog"
	"kayra/store/catalog"
)

// figure is a series of each registration, which goes with it: it is read when the metrics are.
type figure struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(a *katalog.API) float64
}

// figures are those that /katalog tells, too. The first one has a series for each state, and is there for a registration
// that is missing, too.
func figures(desc func(name, help string, labels ...string) *prometheus.Desc) []figure {
	const api = "api"
	gauge := func(name, help string, value func(*katalog.API) float64) figure {
		return figure{desc(name, help, api), prometheus.GaugeValue, value}
	}
	counter := func(name, help string, value func(*katalog.API) float64) figure {
		return figure{desc(name, help, api), prometheus.CounterValue, value}
	}
	return []figure{
		{desc("api_state", "1 for the state that the registration is in, and 0 for the others.", api, "state"), prometheus.GaugeValue, nil},
		gauge("subscriptions", "Subscriptions to the registration.", func(a *katalog.API) float64 { return float64(a.Tally.Subscribed) }),
		gauge("subscriptions_synced", "Those that are at its sync id.", func(a *katalog.API) float64 { return float64(a.Tally.Synced) }),
		gauge("subscriptions_failing", "Those whose last attempt has failed.", func(a *katalog.API) float64 { return float64(a.Tally.Failing) }),
		gauge("failures_since_success", "Failed attempts that all processes have recorded since the last success of any; from failure_threshold on it is degraded.",
			func(a *katalog.API) float64 { return float64(a.Tally.Failures) }),
		gauge("workers", "Workers that there may be in this process.", func(a *katalog.API) float64 { return float64(a.Vitals.Workers) }),
		gauge("workers_processing", "Those that are in an attempt.", func(a *katalog.API) float64 { return float64(a.Vitals.Processing()) }),
		gauge("queue_depth", "Jobs that wait for a worker of this process.", func(a *katalog.API) float64 { return float64(a.Queue.Depth) }),
		gauge("queue_oldest_seconds", "For how long the one waits that has waited longest.", func(a *katalog.API) float64 { return a.Queue.Oldest.Seconds() }),
		counter("queue_refused_total", "Jobs that found the queue full (max_depth), counted each time. All of them follow.",
			func(a *katalog.API) float64 { return float64(a.Queue.Refused) }),
		gauge("consecutive_failures", "Attempts of this process that have failed since the last one that succeeded.",
			func(a *katalog.API) float64 { return float64(a.Vitals.Consecutive) }),
		gauge("error_rate_percent", "Of the attempts of this process in the last 5 minutes, those that failed.",
			func(a *katalog.API) float64 { return a.Vitals.Recent.ErrorRatePercent }),
		counter("panics_total", "Attempts of this process that panicked. Each is a failure, too.",
			func(a *katalog.API) float64 { return float64(a.Vitals.Panics) }),
		counter("rollbacks_total", "Rollbacks of the registration, by whatever process.",
			func(a *katalog.API) float64 { return float64(a.Registration.RolledBack.Total) }),
	}
}

// tell sends the figures of a registration.
func (m *metrics) tell(ch chan<- prometheus.Metric, a *katalog.API) {
	for _, f := range m.figures {
		switch {
		case f.value == nil:
			for _, state := range catalog.HealthStates() {
				ch <- prometheus.MustNewConstMetric(f.desc, f.kind, float64(one(a.State == state)), a.Name, string(state))
			}
		case a.Registration != nil:
			ch <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(a), a.Name)
		}
	}
}
