package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
)

// protection counts what stands between callers and the records.
type protection struct {
	accepted, refused, unavailable prometheus.Counter // authentications
	limitedUsers, limitedAddresses prometheus.Counter

	collectors []prometheus.Collector
}

func newProtection() protection {
	authentications := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "kayra_authentications_total",
		Help: "Requests by whether the caller is known: accepted, refused, or unavailable when that could not be found out.",
	}, []string{"result"})
	limited := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "kayra_rate_limited_requests_total", Help: "Requests refused as too many, by what was counted: user or address.",
	}, []string{"caller"})
	return protection{
		accepted:         authentications.WithLabelValues("accepted"),
		refused:          authentications.WithLabelValues("refused"),
		unavailable:      authentications.WithLabelValues("unavailable"),
		limitedUsers:     limited.WithLabelValues("user"),
		limitedAddresses: limited.WithLabelValues("address"),
		collectors:       []prometheus.Collector{authentications, limited},
	}
}

// authenticated counts an authentication by its error.
func (p *protection) authenticated(err error) {
	switch {
	case err == nil:
		p.accepted.Inc()
	case asRefusal(err).status == http.StatusUnauthorized:
		p.refused.Inc()
	default:
		p.unavailable.Inc()
	}
}
