// Package metered measures how long a store takes.
package metered

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/store"
)

// Store is a store whose reads and transactions are measured. Watches are not: they last.
type Store struct {
	store.Store

	durations *prometheus.HistogramVec
}

// New measures the store's requests, for the registry.
func New(s store.Store, registry prometheus.Registerer) (*Store, error) {
	m := &Store{Store: s, durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "kayra_store_request_duration_seconds", Help: "Time that the store took for a request, by operation and result.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"operation", "result"})}
	if err := registry.Register(m.durations); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return m, nil
}

// Get measures a Get.
func (m *Store) Get(ctx context.Context, key string) (store.Entry, error) {
	began := time.Now()
	e, err := m.Store.Get(ctx, key)
	m.observe("get", began, err)
	return e, err //nolint:wrapcheck // stands in for it
}

// List measures a List.
func (m *Store) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	began := time.Now()
	l, err := m.Store.List(ctx, prefix, opts)
	m.observe("list", began, err)
	return l, err //nolint:wrapcheck // stands in for it
}

// Txn measures a Txn. One whose conditions do not hold is carried out, too.
func (m *Store) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	began := time.Now()
	res, err := m.Store.Txn(ctx, txn)
	m.observe("txn", began, err)
	return res, err //nolint:wrapcheck // stands in for it
}

func (m *Store) observe(operation string, began time.Time, err error) {
	m.durations.WithLabelValues(operation, result(err)).Observe(time.Since(began).Seconds())
}

// result is a word for the error, one of few.
func result(err error) string {
	if err == nil {
		return "ok"
	}
	for _, kind := range []struct {
		err  error
		name string
	}{
		{store.ErrNotFound, "not_found"},
		{context.Canceled, "canceled"},
		{store.ErrUnavailable, "unavailable"},
		{context.DeadlineExceeded, "unavailable"},
		{store.ErrTooLarge, "too_large"},
		{store.ErrSessionLost, "session_lost"},
	} {
		if errors.Is(err, kind.err) {
			return kind.name
		}
	}
	return "error"
}
