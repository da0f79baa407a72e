package reconciler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/local"
)

// BenchmarkKatalog measures an answer about all of 10 registrations, and the health of one, with 100,000 subscriptions. The
// floor is the same with 10, since neither looks at them one by one.
func BenchmarkKatalog(b *testing.B) {
	const apis, many, few = 10, 10_000, 1
	for name, path := range map[string]string{
		"all": "/katalog", "health": "/katalog/" + benched(0) + "/health", "info": "/katalog/" + benched(0), "metrics": "/-/metrics",
		"one": "/katalog/" + benched(0) + "/cr/" + benchTenant(0),
	} {
		b.Run(name, func(b *testing.B) {
			full, empty := inhabited(b, apis, many), inhabited(b, apis, few)
			const times = 1000
			var took, floor time.Duration
			for range b.N {
				floor += asks(b, empty, path, times)
				took += asks(b, full, path, times)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(took.Microseconds())/float64(b.N*times), "us")
			b.ReportMetric(float64(floor.Microseconds())/float64(b.N*times), "floor-us")
			b.ReportMetric(took.Seconds()/floor.Seconds(), "ratio")
		})
	}
}

func benched(i int) string { return fmt.Sprintf("api-%d.example.com", i) }

func benchTenant(i int) string { return fmt.Sprintf("tenant-%05d", i) }

func asks(b *testing.B, h http.Handler, path string, times int) time.Duration {
	b.Helper()
	began := time.Now()
	for range times {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(b.Context(), http.MethodGet, path, nil))
		if rec.Code != http.StatusOK {
			b.Fatalf("%s: %d %s", path, rec.Code, rec.Body)
		}
	}
	return time.Since(began)
}

// inhabited is what a reconciler serves that has so many registrations, each with so many synced subscriptions.
func inhabited(b *testing.B, apis, each int) http.Handler {
	b.Helper()
	s, err := local.Open(b.Context(), local.Options{Path: filepath.Join(b.TempDir(), "kayra.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	for i := range apis {
		settle(b, s, benched(i), each)
	}
	p, err := pipeline.Parse(nil, pipeline.Options{})
	if err != nil {
		b.Fatal(err)
	}
	c, err := reconciler.New(reconciler.Options{
		Store: s, Locker: s, Scope: scope(), Pipeline: p, Gateway: library{}, DefaultMode: "none",
		Identity:     catalog.Reconciler{ID: "bench"},
		Authenticate: func(h http.Handler) http.Handler { return h },
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	done := make(chan error)
	go func() { done <- c.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	h := c.Handler()
	await(b, func() bool {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/katalog", nil))
		return rec.Code == http.StatusOK && strings.Count(rec.Body.String(), `"state":"healthy"`) == apis
	})
	return h
}

func await(b *testing.B, done func() bool) {
	b.Helper()
	deadline := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-deadline:
			b.Fatal("not within a minute")
		case <-tick.C:
		}
	}
}

// settle registers an API with so many subscriptions, as they stand when all is done.
func settle(b *testing.B, s store.Store, api string, each int) {
	b.Helper()
	repo := catalog.NewRepository(s, scope())
	reg, err := repo.CreateRegistration(b.Context(), api, catalog.RegistrationChange{})
	if err != nil {
		b.Fatal(err)
	}
	var ops []store.Op
	for i := range each {
		sub := catalog.Subscription{
			API: api, Namespace: benchTenant(i), Active: true, State: catalog.StateSuccess, CurrentSyncID: reg.SyncID,
			UID: fmt.Sprintf("%s-%05d", api, i), Generation: 1, CreatedAt: reg.CreatedAt, UpdatedAt: reg.CreatedAt, Succeeded: 1,
			Attempt: catalog.Attempt{
				Trigger: catalog.Trigger{RegGen: 1, SubGen: 1, Boot: 1}, SyncID: reg.SyncID, Run: fmt.Sprintf("00000000-0000-0000-0000-%012d", i), N: 1, Begun: 1,
				Phase: catalog.PhaseSuccess, StartedAt: reg.CreatedAt, EndedAt: reg.CreatedAt, Holder: "another",
			},
		}
		value, err := json.Marshal(&sub)
		if err != nil {
			b.Fatal(err)
		}
		if ops = append(ops, store.Put(scope().SubscriptionsPrefix(api)+sub.Namespace, value)); len(ops) < 100 && i < each-1 {
			continue
		}
		if _, err := s.Txn(b.Context(), store.Txn{Then: ops}); err != nil {
			b.Fatal(err)
		}
		ops = nil
	}
}
