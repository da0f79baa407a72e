package etcd_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/storetest"
)

var cluster etcdtest.Shared

func TestMain(m *testing.M) { goleak.VerifyTestMain(cluster.Around(m)) }

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, backend{})
}

// backend makes prefixes for the suite.
type backend struct{}

func (backend) Fresh(tb testing.TB) storetest.Place {
	tb.Helper()
	return newPlace(tb, cluster.Server(tb))
}

func (backend) Alone(tb testing.TB) storetest.Place {
	tb.Helper()
	return newPlace(tb, etcdtest.Start(tb))
}

type place struct {
	server *etcdtest.Server
	opts   etcd.Options
}

func newPlace(tb testing.TB, server *etcdtest.Server) place {
	tb.Helper()
	opts := etcd.Options{Endpoints: server.Endpoints(), Prefix: server.Prefix(tb), WatchProgress: 20 * time.Millisecond}
	return place{server: server, opts: opts}
}

func (p place) Open(tb testing.TB) storetest.Store {
	tb.Helper()
	return open(tb, p.opts)
}

func (p place) Compact(tb testing.TB) {
	tb.Helper()
	p.server.Compact(tb, 0)
}

func open(tb testing.TB, opts etcd.Options) *etcd.Store {
	tb.Helper()
	s, err := etcd.Open(tb.Context(), opts)
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

// put writes the key named key and returns the revision.
func put(tb testing.TB, s store.Store, value string) int64 {
	tb.Helper()
	res, err := s.Txn(tb.Context(), store.Txn{Then: []store.Op{store.Put("key", []byte(value))}})
	if err != nil {
		tb.Fatal(err)
	}
	return res.Revision
}
