package kordinator_test

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/util/workqueue"

	"kayra/reconciler/kordinator"
)

const (
	benchWorkers = 30
	benchJobs    = 100_000
)

// benchJob is as large as what the reconciler queues.
type benchJob struct {
	kind           int
	api, namespace string
}

// BenchmarkGetDone measures what it costs to add 100,000 jobs to queues and to have 30 workers take them all. The floor
// is one queue of client-go with as many jobs and workers in the same run.
func BenchmarkGetDone(b *testing.B) {
	for _, queues := range []int{1, 1_000} {
		b.Run(strconv.Itoa(queues), func(b *testing.B) {
			jobs := make([]benchJob, benchJobs)
			for i := range jobs {
				jobs[i] = benchJob{kind: i % 2, api: fmt.Sprintf("api-%d.example.com", i%queues), namespace: "tenant-" + strconv.Itoa(i)}
			}
			var took, floor time.Duration
			for range b.N {
				floor += clientGo(jobs)
				took += ours(jobs)
			}
			each := float64(b.N * benchJobs)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took.Nanoseconds())/each, "ns")
			b.ReportMetric(float64(floor.Nanoseconds())/each, "floor-ns")
			b.ReportMetric(took.Seconds()/floor.Seconds(), "ratio")
		})
	}
}

func ours(jobs []benchJob) time.Duration {
	q := kordinator.NewQueues[benchJob](benchWorkers, nil)
	defer q.ShutDown()
	for _, j := range jobs {
		q.Open(j.api, kordinator.Limits{})
	}
	began := time.Now()
	for _, j := range jobs {
		q.Add(j.api, kordinator.Bulk, j)
	}
	byWorkers(len(jobs), func() {
		turn, _ := q.Get()
		q.Done(turn)
	})
	return time.Since(began)
}

func clientGo(jobs []benchJob) time.Duration {
	q := workqueue.NewTyped[benchJob]()
	defer q.ShutDown()
	began := time.Now()
	for _, j := range jobs {
		q.Add(j)
	}
	byWorkers(len(jobs), func() {
		j, _ := q.Get()
		q.Done(j)
	})
	return time.Since(began)
}

// byWorkers has 30 workers do n turns.
func byWorkers(n int, turn func()) {
	var workers sync.WaitGroup
	for i := range benchWorkers {
		share := n / benchWorkers
		if i < n%benchWorkers {
			share++
		}
		workers.Go(func() {
			for range share {
				turn()
			}
		})
	}
	workers.Wait()
}
