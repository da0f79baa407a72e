package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"kayra/store"
)

// writers is how many goroutines the benchmarks use.
const writers = 30

// Benchmark measures what a reconciler does most: a compare-and-swap of a record, and a lock that is taken and given
// back on the process's session.
func Benchmark(b *testing.B, backend Backend) {
	b.Helper()
	for name, worker := range map[string]func(tb testing.TB, s Store, key, session string) func() error{
		"swap": swapper, "lock": locker,
	} {
		b.Run(name, func(b *testing.B) {
			s := backend.Fresh(b).Open(b)
			session := newSession(b, s).ID()
			var done sync.WaitGroup
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			for i := range writers {
				work := worker(b, s, fmt.Sprintf("key/%d", i), session)
				done.Go(func() {
					for left.Add(-1) >= 0 {
						if err := work(); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			done.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
		})
	}
}

func swapper(tb testing.TB, s Store, key, _ string) func() error {
	tb.Helper()
	e := store.Entry{Key: key}
	value := make([]byte, 300)
	return func() error {
		res, err := s.Txn(tb.Context(), store.Txn{If: []store.Cond{store.Unchanged(e)}, Then: []store.Op{store.Put(key, value)}})
		if err != nil || !res.OK {
			return fmt.Errorf("swap: %v, %w", res.OK, err)
		}
		e.ModRevision = res.Revision
		return nil
	}
}

func locker(tb testing.TB, s Store, key, session string) func() error {
	tb.Helper()
	claim := store.Txn{If: []store.Cond{store.Absent(key)}, Then: []store.Op{store.PutSession(key, nil, session)}}
	return func() error {
		res, err := s.Txn(tb.Context(), claim)
		if err != nil || !res.OK {
			return fmt.Errorf("claim: %v, %w", res.OK, err)
		}
		release := store.Txn{If: []store.Cond{store.CreatedAt(key, res.Revision)}, Then: []store.Op{store.Delete(key)}}
		if res, err = s.Txn(tb.Context(), release); err != nil || !res.OK {
			return fmt.Errorf("release: %v, %w", res.OK, err)
		}
		return nil
	}
}
