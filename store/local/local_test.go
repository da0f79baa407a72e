package local_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"kayra/store"
	"kayra/store/local"
	"kayra/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, backend{})
}

// backend makes files for the suite.
type backend struct{}

func (backend) Fresh(tb testing.TB) storetest.Place {
	tb.Helper()
	return place{Path: filepath.Join(tb.TempDir(), "kayra.db")}
}

// Alone keeps so few revisions that a test can have them forgotten.
func (backend) Alone(tb testing.TB) storetest.Place {
	tb.Helper()
	return place{Path: filepath.Join(tb.TempDir(), "kayra.db"), LogRevisions: 64}
}

type place local.Options

func (p place) Open(tb testing.TB) storetest.Store {
	tb.Helper()
	return open(tb, local.Options(p))
}

func (p place) Compact(tb testing.TB) {
	tb.Helper()
	s := p.Open(tb)
	for i := range 2 * p.LogRevisions {
		put(tb, s, "filler", strconv.FormatInt(i, 10))
	}
}

func open(tb testing.TB, opts local.Options) *local.Store {
	tb.Helper()
	s, err := local.Open(tb.Context(), opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func put(tb testing.TB, s store.Store, key, value string) {
	tb.Helper()
	if _, err := s.Txn(tb.Context(), store.Txn{Then: []store.Op{store.Put(key, []byte(value))}}); err != nil {
		tb.Fatal(err)
	}
}
