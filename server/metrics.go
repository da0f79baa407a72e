package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"kayra/server/rbac"
	"kayra/server/watch"
)

// metrics counts the requests. Its labels take their values from the table of routes and the statuses that are in use.
type metrics struct {
	protection

	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	decisions map[rbac.Cause]prometheus.Counter
	streams   *prometheus.GaugeVec   // by resource
	cut       *prometheus.CounterVec // by cause
	handler   http.Handler
}

func newMetrics(registry *prometheus.Registry, policy Policy, figures prometheus.Collector) (*metrics, error) {
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "kayra_http_requests_total", Help: "Requests answered, by method, route and status.",
		}, []string{"method", "route", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "kayra_http_request_duration_seconds", Help: "Time to answer a request, by method and route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route"}),
		handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}
	decisions := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "kayra_authorization_decisions_total", Help: "Decisions on who may do what, by result and cause.",
	}, []string{"result", "cause"})
	m.decisions = counters(decisions)
	age := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "kayra_authorization_copy_age_seconds", Help: "How old the copy may be that decisions are made from.",
	}, func() float64 { return policy.Age().Seconds() })
	m.protection = newProtection()
	m.countStreams()
	for _, c := range append(m.collectors, m.requests, m.durations, decisions, age, figures, m.streams, m.cut) {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}

// countStreams has a figure for every resource and every cause, from the start.
func (m *metrics) countStreams() {
	m.streams = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "kayra_watch_streams", Help: "Watch streams that are open, by resource.",
	}, []string{"resource"})
	for _, of := range watch.Resources() {
		m.streams.WithLabelValues(string(of))
	}
	m.cut = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "kayra_watch_streams_cut_total", Help: "Watch streams that the server has cut, by cause.",
	}, []string{"cause"})
	for _, cause := range []string{cutSlow, cutBehind, cutAccess} {
		m.cut.WithLabelValues(cause)
	}
}

func (m *metrics) observe(method, route string, rec *recorder, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(rec.status)).Inc()
	if rec.streams { // how long it was open says nothing about how long an answer takes
		return
	}
	m.durations.WithLabelValues(method, route).Observe(took.Seconds())
}

// Causes of decisions that no role has part in.
const (
	causeSysadmin      rbac.Cause = "sysadmin"
	causeNotSysadmin   rbac.Cause = "not_sysadmin"
	causeAuthenticated rbac.Cause = "authenticated" // is enough
	causeNothing       rbac.Cause = "no_such_verb"  // of an API of Kayra itself
	causeUnknown       rbac.Cause = "unknown"
)

// counters has a counter for every cause, from the start.
func counters(decisions *prometheus.CounterVec) map[rbac.Cause]prometheus.Counter {
	out := map[rbac.Cause]prometheus.Counter{}
	for _, cause := range append(rbac.Causes(), causeSysadmin, causeNotSysadmin, causeAuthenticated, causeNothing, causeUnknown) {
		var result string
		switch cause {
		case causeSysadmin, causeAuthenticated, rbac.CauseRole:
			result = "allowed"
		case causeUnknown:
			result = "unknown"
		default:
			result = "refused"
		}
		out[cause] = decisions.WithLabelValues(result, string(cause))
	}
	return out
}

func (m *metrics) decided(cause rbac.Cause) {
	if counter := m.decisions[cause]; counter != nil {
		counter.Inc()
	}
}

// labels are the method and the route of a pattern of the mux. What no route takes is counted under none.
func labels(pattern string) (method, route string) {
	method, route, ok := strings.Cut(pattern, " ")
	if !ok || route == "" {
		return "other", "none"
	}
	return method, route
}
