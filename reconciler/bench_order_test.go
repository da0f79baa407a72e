package reconciler_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

// BenchmarkStart measures the start of a reconciler with 1,000 registrations in a graph that is 20 deep, each of which
// waits for three of the level above it to be healthy, until all are: when their documents are in the store already, and
// when each has to be fetched. The floor is the list of all records that every process begins with.
func BenchmarkStart(b *testing.B) {
	const levels, width = 20, 50
	b.Run("again", func(b *testing.B) { startGraph(b, levels, width, true) })
	b.Run("first", func(b *testing.B) { startGraph(b, levels, width, false) })
}

func startGraph(b *testing.B, levels, width int, again bool) {
	b.Helper()
	var took, floor time.Duration
	for range b.N {
		s := openBench(b)
		levelsOf(b, catalog.NewRepository(s, scope()), levels, width)
		if again {
			healthy(b, s, levels*width, func() func() { return run(b, s, s) })
			unpublish(b, s)
		}
		began := time.Now()
		if _, err := s.List(b.Context(), scope().Prefix(), store.ListOptions{}); err != nil {
			b.Fatal(err)
		}
		floor += time.Since(began)
		took += healthy(b, s, levels*width, func() func() { return run(b, s, s) })
	}
	report(b, took, floor)
}

func report(b *testing.B, took, floor time.Duration) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(took.Seconds()/float64(b.N), "s")
	b.ReportMetric(floor.Seconds()/float64(b.N), "floor-s")
	b.ReportMetric(took.Seconds()/floor.Seconds(), "ratio")
}

func openBench(b *testing.B) *etcd.Store {
	b.Helper()
	s, err := etcd.Open(b.Context(), etcd.Options{Endpoints: etcdtest.Start(b, etcdtest.Fsync()).Endpoints()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	return s
}

// levelsOf registers levels of APIs that depend on each other.
func levelsOf(b *testing.B, repo *catalog.Repository, levels, width int) {
	b.Helper()
	const needed = 3
	name := func(level, i int) string { return fmt.Sprintf("l%02d-%02d.example.com", level, i%width) }
	for level := range levels {
		for i := range width {
			var deps []catalog.Dependency
			for k := range needed {
				if level > 0 {
					deps = append(deps, needs(name(level-1, i+k), catalog.ConditionHealthy))
				}
			}
			if _, err := repo.CreateRegistration(b.Context(), name(level, i), catalog.RegistrationChange{DependsOn: &deps}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// healthy is how long it takes after begin until so many registrations are published as healthy.
func healthy(b *testing.B, s store.Store, n int, begin func() (stop func())) time.Duration {
	b.Helper()
	prefix := scope().Prefix() + "health/"
	l, err := s.List(b.Context(), prefix, store.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	defer begin()()
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	seen := map[string]bool{}
	_ = s.Watch(ctx, prefix, l.Revision+1, func(batch store.Batch) error {
		for _, e := range batch.Events {
			if strings.Contains(string(e.Value), `"state":"healthy"`) {
				seen[e.Key] = true
			}
		}
		if len(seen) >= n {
			cancel()
		}
		return nil
	})
	if len(seen) < n {
		b.Fatalf("%d of %d became healthy", len(seen), n)
	}
	return time.Since(began)
}

// unpublish makes the store forget what has been published.
func unpublish(b *testing.B, s store.Store) {
	b.Helper()
	l, err := s.List(b.Context(), scope().Prefix()+"health/", store.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range l.Entries {
		if _, err := s.Txn(b.Context(), store.Txn{Then: []store.Op{store.Delete(e.Key)}}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDependent measures how long it takes from the answer to a dependency's step, which makes it healthy, to the
// request of its dependent's first step. The floor is what must lie between: two writes, each with its delivery by a watch.
func BenchmarkDependent(b *testing.B) {
	s := openBench(b)
	repo := catalog.NewRepository(s, scope())
	called := make(chan time.Time, 2) //nolint:mnd // that of the dependency and that of its dependent
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called <- time.Now() }))
	b.Cleanup(app.Close)
	defer runSteps(b, s, app.URL)()
	register := func(api string, deps ...catalog.Dependency) {
		if _, err := repo.CreateRegistration(b.Context(), api, catalog.RegistrationChange{DependsOn: &deps}); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := repo.CreateNamespace(b.Context(), "sre"); err != nil {
		b.Fatal(err)
	}
	const writesBetween = 2
	var took, floor time.Duration
	for i := range b.N {
		a, dependent := fmt.Sprintf("a%d.example.com", i), fmt.Sprintf("%d.%s", i, apiB)
		register(a)
		pause := true
		if _, err := repo.UpdateRegistration(b.Context(), a, catalog.RegistrationChange{Paused: &pause}, nil); err != nil {
			b.Fatal(err)
		}
		register(dependent, needs(a, catalog.ConditionHealthy))
		for _, api := range []string{a, dependent} {
			if _, err := repo.Subscribe(b.Context(), "sre", api); err != nil {
				b.Fatal(err)
			}
		}
		floor += deliveries(b, s, writesBetween)
		pause = false
		if _, err := repo.UpdateRegistration(b.Context(), a, catalog.RegistrationChange{Paused: &pause}, nil); err != nil {
			b.Fatal(err)
		}
		answered := <-called
		took += (<-called).Sub(answered)
	}
	report(b, took, floor)
}

// runSteps runs a reconciler with a mode that calls the app.
func runSteps(b *testing.B, s *etcd.Store, app string, change ...func(*reconciler.Options)) (stop func()) {
	b.Helper()
	p, err := pipeline.Parse(map[string][]pipeline.Step{"api": {{
		Method: "post", Endpoint: app + "/sync/{{ .Subscription.Api }}/{{ .Subscription.Namespace }}",
	}}}, pipeline.Options{})
	if err != nil {
		b.Fatal(err)
	}
	opts := reconciler.Options{
		Store: s, Locker: s, Scope: scope(), Pipeline: p, Gateway: library{}, DefaultMode: "api",
		Identity: catalog.Reconciler{ID: "bench"},
	}
	for _, f := range change {
		f(&opts)
	}
	c, err := reconciler.New(opts)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := c.Run(ctx); err != nil {
			b.Error(err)
		}
	})
	return func() {
		cancel()
		running.Wait()
		_ = p.Close(context.WithoutCancel(ctx))
	}
}

// deliveries is how long so many writes take, each until a watch has delivered it.
func deliveries(b *testing.B, s store.Store, n int) time.Duration {
	b.Helper()
	const key = "floor"
	ctx, cancel := context.WithCancel(b.Context())
	l, err := s.List(ctx, key, store.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	delivered := make(chan struct{}, n+1)
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = s.Watch(ctx, key, l.Revision+1, func(batch store.Batch) error {
			for range batch.Events {
				delivered <- struct{}{}
			}
			return nil
		})
	})
	defer watching.Wait()
	defer cancel()
	write := func() {
		if _, err := s.Txn(ctx, store.Txn{Then: []store.Op{store.Put(key, nil)}}); err != nil {
			b.Fatal(err)
		}
		<-delivered
	}
	write() // a watch that begins in the past takes a while to come up to the present
	began := time.Now()
	for range n {
		write()
	}
	return time.Since(began)
}
