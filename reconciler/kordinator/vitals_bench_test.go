package kordinator_test

import (
	"sync/atomic"
	"testing"
	"time"

	"kayra/reconciler/kordinator"
)

func BenchmarkBeginEnd(b *testing.B) {
	v := kordinator.NewVitals(time.Now)
	v.SetWorkers(pool)
	v.Started()
	b.ReportAllocs()
	for b.Loop() {
		v.Begin(3)(kordinator.Result{OK: true, Took: 100 * time.Millisecond})
	}
}

func BenchmarkBeginEndByMany(b *testing.B) {
	v := kordinator.NewVitals(time.Now)
	v.SetWorkers(pool)
	v.Started()
	var workers atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		worker := int(workers.Add(1))
		for pb.Next() {
			v.Begin(worker)(kordinator.Result{OK: true, Took: 100 * time.Millisecond})
		}
	})
}

// BenchmarkSnapshot is of vitals with something in each part of each window.
func BenchmarkSnapshot(b *testing.B) {
	p := newPatient(pool)
	for range 20_000 {
		p.attempt(50*time.Millisecond, kordinator.Result{OK: true})
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Snapshot()
	}
}

func BenchmarkSnapshotOfIdle(b *testing.B) {
	p := newPatient(pool)
	b.ReportAllocs()
	for b.Loop() {
		p.Snapshot()
	}
}

// BenchmarkIdleMemory reports what the vitals of a registration take that has nothing to do.
func BenchmarkIdleMemory(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newPatient(pool)
	}
}
