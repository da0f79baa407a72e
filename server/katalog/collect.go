package katalog

import (
	"github.com/prometheus/client_golang/prometheus"
)

// descriptions are the metrics of a katalog. A series is there for as long as its registration.
type descriptions struct {
	writes, warned, filled, deletions, subscriptions, took *prometheus.Desc
}

func describe() descriptions {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("kayra_gateway_"+name, help, append([]string{"api"}, labels...), nil)
	}
	return descriptions{
		writes:        desc("writes_total", "Writes to a registration and its subscriptions: done, refused with 4xx, or failed here.", "result"),
		warned:        desc("writes_warned_total", "Writes that were done without some of their keys, which a client cannot set."),
		filled:        desc("mutations_total", "Writes that were done, by whether the server filled something in: applied or skipped.", "result"),
		deletions:     desc("deletions_total", "Deletions of a registration and its subscriptions: done, blocked with 409, or other.", "result"),
		subscriptions: desc("subscriptions_total", "Subscriptions asked for: done, blocked with 403, or other.", "result"),
		took:          desc("write_duration_seconds", "Time to carry out a write; the quantiles are of the last 128."),
	}
}

// Describe implements [prometheus.Collector].
func (*Katalog) Describe(to chan<- *prometheus.Desc) {
	d := describe()
	for _, desc := range []*prometheus.Desc{d.writes, d.warned, d.filled, d.deletions, d.subscriptions, d.took} {
		to <- desc
	}
}

// Collect implements [prometheus.Collector].
func (k *Katalog) Collect(to chan<- prometheus.Metric) {
	d := describe()
	count := func(desc *prometheus.Desc, n int64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.CounterValue, float64(n), labels...)
	}
	three := func(desc *prometheus.Desc, api string, c Counts, refused, rest string) {
		count(desc, c.Done, api, "done")
		count(desc, c.Refused, api, refused)
		count(desc, c.Total-c.Done-c.Refused, api, rest)
	}
	for _, f := range k.Figures() {
		three(d.writes, f.API, f.Validation, "refused", "failed")
		count(d.warned, f.Warned, f.API)
		count(d.filled, f.Mutation.Done, f.API, "applied")
		count(d.filled, f.Mutation.Total-f.Mutation.Done, f.API, "skipped")
		three(d.deletions, f.API, f.Deletions, "blocked", "other")
		three(d.subscriptions, f.API, f.Subscriptions, "blocked", "other")
		to <- prometheus.MustNewConstSummary(d.took, f.Validations.Count, f.Validations.Sum.Seconds(), f.Validations.quantiles(), f.API)
	}
}

func (l Latency) quantiles() map[float64]float64 {
	const p95, most = 0.95, 1
	if l.Count == 0 {
		return nil
	}
	return map[float64]float64{p95: l.P95.Seconds(), most: l.Max.Seconds()}
}
