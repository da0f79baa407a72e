package fleet_test

import (
	"fmt"
	"runtime"
	"testing"

	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/fleet"
)

// town is as many subscriptions to an API, all that there are.
func town(n int) *fleet.Subscriptions {
	u := &fleet.Subscriptions{Whole: true, At: at(0)}
	for i := range n {
		u.Changes = append(u.Changes, fleet.SubscriptionChange{Subscription: resident(i, catalog.ReasonQueued)})
	}
	return u
}

func resident(i int, reason catalog.Reason) api.Subscription {
	return api.Subscription{
		API: compute, Namespace: fmt.Sprintf("tenant-%06d", i), Active: true, State: "success", CurrentSyncID: "a",
		ExpectedSyncID: "0f3c2e6a-4a5d-4f0b-9c57-7d2f6f1f3c11", Reason: reason, UpdatedAt: at(i % 60),
	}
}

// moved is changes to a part of it, spread over all of it.
func moved(n, of, round int) *fleet.Subscriptions {
	u := &fleet.Subscriptions{At: at(1)}
	for i := range n {
		s := resident(i*of/n, []catalog.Reason{catalog.ReasonRunning, catalog.ReasonSynced}[round%2])
		s.UpdatedAt = at(2 + round)
		u.Changes = append(u.Changes, fleet.SubscriptionChange{Subscription: s})
	}
	return u
}

func BenchmarkSnapshot(b *testing.B) {
	all := town(10_000)
	for b.Loop() {
		var f fleet.Fleet
		f.Apply(registered(compute), all)
	}
}

// BenchmarkRelist is a snapshot on top of what is known already.
func BenchmarkRelist(b *testing.B) {
	all := town(10_000)
	var f fleet.Fleet
	f.Apply(registered(compute), all)
	for b.Loop() {
		f.Apply(all)
	}
}

func BenchmarkApply1000(b *testing.B) {
	var f fleet.Fleet
	f.Apply(registered(compute), town(10_000))
	batches := make([]*fleet.Subscriptions, 64)
	for i := range batches {
		batches[i] = moved(1000, 10_000, i)
	}
	for i := 0; b.Loop(); i++ {
		f.Apply(batches[i%len(batches)])
	}
}

// BenchmarkRows is what a frame asks for while nothing has changed, and after a thousand changes.
func BenchmarkRows(b *testing.B) {
	for _, size := range []int{10_000, 100_000} {
		for name, n := range map[string]int{"still": 0, "1000": 1000} {
			b.Run(fmt.Sprintf("%d/%s", size, name), func(b *testing.B) {
				var f fleet.Fleet
				f.Apply(registered(compute), town(size))
				rows := fleet.NewRows(order, nil)
				rows.Of(&f, compute)
				for i := 0; b.Loop(); i++ {
					if n > 0 {
						b.StopTimer()
						f.Apply(moved(n, size, i))
						b.StartTimer()
					}
					if got := len(rows.Of(&f, compute)); got != size {
						b.Fatal(got)
					}
				}
			})
		}
	}
}

// BenchmarkMemory is what 10,000 subscriptions take, without what their texts do.
func BenchmarkMemory(b *testing.B) {
	var f fleet.Fleet
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	f.Apply(registered(compute), town(10_000))
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		runtime.KeepAlive(&f)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/10_000, "B/subscription")
}
