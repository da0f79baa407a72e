package reconciler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/local"
)

// BenchmarkFanOut measures how long a sync takes from its request until every subscriber is there, in a mode without
// steps, with one reconciler. The floor is the same number of transactions on one key each, by as many writers as the
// pool has slots, on the same store in the same run.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run("etcd/"+strconv.Itoa(n), func(b *testing.B) {
			server := etcdtest.Start(b, etcdtest.Fsync())
			s, err := etcd.Open(b.Context(), etcd.Options{Endpoints: server.Endpoints()})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = s.Close() })
			raw, err := clientv3.New(clientv3.Config{Endpoints: server.Endpoints(), Logger: zap.NewNop()})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = raw.Close() })
			fanOut(b, s, s, n, func(ctx context.Context, key string, value []byte) error {
				_, err := raw.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
					Then(clientv3.OpPut(key, string(value))).Commit()
				return err
			})
		})
	}
	b.Run("local/1000", func(b *testing.B) {
		s, err := local.Open(b.Context(), local.Options{Path: filepath.Join(b.TempDir(), "kayra.db")})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = s.Close() })
		fanOut(b, s, s, 1_000, func(ctx context.Context, key string, value []byte) error {
			_, err := s.Txn(ctx, store.Txn{If: []store.Cond{store.Absent(key)}, Then: []store.Op{store.Put(key, value)}})
			return err
		})
	})
}

func fanOut(b *testing.B, s store.Store, locker store.JobLocker, n int, write func(ctx context.Context, key string, value []byte) error) {
	b.Helper()
	repo := catalog.NewRepository(s, scope())
	value := subscribers(b, repo, n)
	stop := func() {}
	arrive(b, s, n, func() { stop = run(b, s, locker) }) // the activation
	defer stop()
	var took, floor time.Duration
	for i := range b.N {
		floor += writes(b, n, func(k int) error {
			return write(b.Context(), fmt.Sprintf("floor/%d/%d", i, k), value)
		})
		began := time.Now()
		arrive(b, s, n, func() {
			if _, err := repo.SyncRegistration(b.Context(), compute, catalog.SyncRequest{}, nil); err != nil {
				b.Fatal(err)
			}
			began = time.Now()
		})
		took += time.Since(began)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took.Seconds()/float64(b.N), "s")
	b.ReportMetric(floor.Seconds()/float64(b.N), "floor-s")
	b.ReportMetric(took.Seconds()/floor.Seconds(), "ratio")
}

// subscribers makes a registration with n subscribers, and returns what one of their records looks like.
func subscribers(b *testing.B, repo *catalog.Repository, n int) []byte {
	b.Helper()
	if _, err := repo.CreateRegistration(b.Context(), compute, catalog.RegistrationChange{}); err != nil {
		b.Fatal(err)
	}
	writes(b, n, func(i int) error {
		ns := fmt.Sprintf("tenant-%05d", i)
		if _, err := repo.CreateNamespace(b.Context(), ns); err != nil {
			return err
		}
		_, err := repo.Subscribe(b.Context(), ns, compute)
		return err
	})
	const record = 700 // bytes of a subscription's record once it is synced, about
	return make([]byte, record)
}

// writes has 30 writers make n writes.
func writes(b *testing.B, n int, write func(i int) error) time.Duration {
	b.Helper()
	began := time.Now()
	next := make(chan int)
	var writers sync.WaitGroup
	for range reconciler.DefaultMaxConcurrentReconciles {
		writers.Go(func() {
			for i := range next {
				if err := write(i); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	writers.Wait()
	return time.Since(began)
}

// arrive calls begin, and returns when n subscriptions have been written since.
func arrive(b *testing.B, s store.Store, n int, begin func()) {
	b.Helper()
	prefix := scope().Prefix() + "subscriptions/"
	l, err := s.List(b.Context(), prefix, store.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	begin()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	seen := map[string]bool{}
	_ = s.Watch(ctx, prefix, l.Revision+1, func(batch store.Batch) error {
		for _, e := range batch.Events {
			seen[e.Key] = true
		}
		if len(seen) >= n {
			cancel()
		}
		return nil
	})
	if len(seen) < n {
		b.Fatalf("%d of %d subscribers arrived", len(seen), n)
	}
}

// run runs a reconciler with a mode that is configured nowhere and documents that are at hand.
func run(b *testing.B, s store.Store, locker store.JobLocker) (stop func()) {
	b.Helper()
	p, err := pipeline.Parse(nil, pipeline.Options{})
	if err != nil {
		b.Fatal(err)
	}
	c, err := reconciler.New(reconciler.Options{
		Store: s, Locker: locker, Scope: scope(), Pipeline: p, Gateway: library{}, DefaultMode: "none",
		Identity: catalog.Reconciler{ID: "bench"},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	}
}

// library is a gateway that has every document at hand.
type library struct{}

func (library) Document(context.Context, string) ([]byte, error) { return []byte(document), nil }
