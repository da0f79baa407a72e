package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics counts the requests. Its labels take their values from the table of routes and the statuses that are in use.
type metrics struct {
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	handler   http.Handler
}

func newMetrics(registry *prometheus.Registry) (*metrics, error) {
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
	for _, c := range []prometheus.Collector{m.requests, m.durations} {
		if err := registry.Register(c); err != nil {
			return nil, fmt.Errorf("register metrics: %w", err)
		}
	}
	return m, nil
}

func (m *metrics) observe(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(method, route).Observe(took.Seconds())
}

// labels are the method and the route of a pattern of the mux. What no route takes is counted under none.
func labels(pattern string) (method, route string) {
	method, route, ok := strings.Cut(pattern, " ")
	if !ok || route == "" {
		return "other", "none"
	}
	return method, route
}
