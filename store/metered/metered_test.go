package metered_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"kayra/store"
	"kayra/store/local"
	"kayra/store/metered"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counts has the number of requests by operation and result.
func counts(t *testing.T, registry *prometheus.Registry) map[string]uint64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "kayra_store_request_duration_seconds" {
		t.Fatalf("%v, %v", families, err)
	}
	out := map[string]uint64{}
	for _, m := range families[0].GetMetric() {
		l := m.GetLabel()
		out[l[0].GetValue()+" "+l[1].GetValue()] = m.GetHistogram().GetSampleCount()
	}
	return out
}

func open(t *testing.T) store.Store {
	t.Helper()
	s, err := local.Open(t.Context(), local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestRequests(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	s, err := metered.New(open(t), registry)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	ctx := t.Context()
	for i := range 2000 { // keys are no labels
		key := fmt.Sprintf("key%d", i)
		if _, err := s.Get(ctx, key); !errors.Is(err, store.ErrNotFound) {
			t.Fatal(err)
		}
	}
	put := func(value []byte) error {
		_, err := s.Txn(ctx, store.Txn{If: []store.Cond{store.Absent("key")}, Then: []store.Op{store.Put("key", value)}})
		return err
	}
	if err := errors.Join(put(nil), put(nil)); err != nil {
		t.Fatal(err)
	}
	if err := put(make([]byte, 1<<22)); !errors.Is(err, store.ErrTooLarge) {
		t.Fatal(err)
	}
	if _, err := s.Get(ctx, "key"); err != nil {
		t.Fatal(err)
	}
	if l, err := s.List(ctx, "", store.ListOptions{}); err != nil || len(l.Entries) == 0 {
		t.Fatal(l, err)
	}
	if _, err := s.List(gone, "", store.ListOptions{}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := s.Watch(gone, "", 1, func(store.Batch) error { return nil }); err == nil {
		t.Fatal("a watch ended without an error")
	}
	if d := cmp.Diff(map[string]uint64{
		"get not_found": 2000, "get ok": 1, "list ok": 1, "list canceled": 1, "txn ok": 2, "txn too_large": 1,
	}, counts(t, registry)); d != "" {
		t.Error(d)
	}
	if _, err := metered.New(s, registry); err == nil {
		t.Error("two share a registry")
	}
}

// failing is a store that fails.
type failing struct {
	store.Store

	err error
}

func (f failing) Get(context.Context, string) (store.Entry, error) { return store.Entry{}, f.err }

func TestErrors(t *testing.T) {
	t.Parallel()
	for err, result := range map[error]string{
		store.ErrUnavailable:     "unavailable",
		context.DeadlineExceeded: "unavailable",
		store.ErrSessionLost:     "session_lost",
		store.ErrCorrupt:         "error",
		errors.New("of no kind"): "error",
		fmt.Errorf("read: %w", errors.Join(context.Canceled, store.ErrUnavailable)): "canceled",
	} {
		registry := prometheus.NewRegistry()
		s, failed := metered.New(failing{err: err}, registry)
		if failed != nil {
			t.Fatal(failed)
		}
		if _, got := s.Get(t.Context(), "key"); !errors.Is(got, err) {
			t.Errorf("%v became %v", err, got)
		}
		if d := cmp.Diff(map[string]uint64{"get " + result: 1}, counts(t, registry)); d != "" {
			t.Error(d)
		}
	}
}
