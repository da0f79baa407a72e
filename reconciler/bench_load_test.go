package reconciler_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/store/catalog"
)

const slow = 100 * time.Millisecond // of a step in a storm

// storm is an app whose steps take a while, but for the newcomer's, and tells when it was called for that one.
func storm(b *testing.B, newcomer chan<- time.Time) *httptest.Server {
	b.Helper()
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, apiB) {
			newcomer <- time.Now()
			return
		}
		select {
		case <-time.After(slow):
		case <-r.Context().Done():
		}
	}))
	b.Cleanup(app.Close)
	return app
}

// BenchmarkNewcomer measures how long a registration's first job waits from its request while another registration has a
// thousand jobs of 100 ms each on all slots. The floor is one turn of a slot: all of them may have begun just before.
func BenchmarkNewcomer(b *testing.B) {
	const jobs = 1000
	s := openBench(b)
	repo := catalog.NewRepository(s, scope())
	called := make(chan time.Time, 1)
	defer runSteps(b, s, storm(b, called).URL)()
	names := crowded(b, repo, apiA, jobs)
	crowded(b, repo, apiB, 1)
	<-called
	var took time.Duration
	for range b.N {
		if _, err := repo.SyncRegistration(b.Context(), apiA, catalog.SyncRequest{}, nil); err != nil {
			b.Fatal(err)
		}
		waits(b, repo, apiA)
		began := time.Now()
		if _, err := repo.Resync(b.Context(), names[0], apiB, nil); err != nil {
			b.Fatal(err)
		}
		took += (<-called).Sub(began)
		allSynced(b, repo, apiA)
	}
	report(b, took, time.Duration(b.N)*slow)
}

// crowded registers an API with so many subscribers, tenant-00000 and up.
func crowded(b *testing.B, repo *catalog.Repository, api string, n int) []string {
	b.Helper()
	if _, err := repo.CreateRegistration(b.Context(), api, catalog.RegistrationChange{}); err != nil {
		b.Fatal(err)
	}
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("tenant-%05d", i)
	}
	writes(b, n, func(i int) error {
		if _, err := repo.CreateNamespace(b.Context(), names[i]); err != nil && !isKind(err, catalog.ErrConflict) {
			return err
		}
		_, err := repo.Subscribe(b.Context(), names[i], api)
		return err
	})
	allSynced(b, repo, api)
	return names
}

// waits returns when jobs of the API have begun to run.
func waits(b *testing.B, repo *catalog.Repository, api string) {
	b.Helper()
	poll(b, func() bool { return behind(b, repo, api, catalog.ReasonRunning) > 0 })
}

func allSynced(b *testing.B, repo *catalog.Repository, api string) {
	b.Helper()
	poll(b, func() bool { return behind(b, repo, api, "") == 0 })
}

// behind counts the subscriptions that are not synced, for a reason if one is given.
func behind(b *testing.B, repo *catalog.Repository, api string, reason catalog.Reason) int {
	b.Helper()
	status, err := repo.Status(b.Context(), api, true)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for _, v := range status.Subscriptions {
		if !v.InSync && (reason == "" || v.Reason == reason) {
			n++
		}
	}
	return n
}

func poll(b *testing.B, probe func() bool) {
	b.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !probe() {
		<-tick.C
	}
}

// limits is a log that tells when limits are set.
type limits struct {
	slog.Handler

	set chan int64
}

// Enabled implements [slog.Handler].
func (limits) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements [slog.Handler].
func (l limits) WithAttrs([]slog.Attr) slog.Handler { return l }

// Handle implements [slog.Handler].
func (l limits) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "limits set" {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "workers" {
				l.set <- a.Value.Int64()
			}
			return true
		})
	}
	return nil
}

// BenchmarkScale measures how long it takes from the first of many jobs until more workers run (up-s), and from the last
// one until there are fewer again (down-s). The floor of both is the interval at which the load is looked at, and for the
// way down once more that interval, which the last jobs still lie in, and the cooldown.
func BenchmarkScale(b *testing.B) {
	const interval, cooldown, workers = time.Second, time.Second, 10
	s := openBench(b)
	repo := catalog.NewRepository(s, scope())
	set := make(chan int64, 16) //nolint:mnd // more than there can be
	operator := scales(workers)
	operator.Autoscale.Cooldown = new(catalog.Duration(cooldown))
	defer runSteps(b, s, storm(b, nil).URL, func(o *reconciler.Options) {
		o.Operator, o.Logger = &operator, slog.New(limits{slog.DiscardHandler, set})
	})()
	awaitLimit := func(n int64) time.Time {
		for got := range set {
			if got == n {
				break
			}
		}
		return time.Now()
	}
	crowded(b, repo, apiA, 50)
	awaitLimit(workers)
	awaitLimit(1)
	var up, down time.Duration
	for range b.N {
		began := time.Now()
		if _, err := repo.SyncRegistration(b.Context(), apiA, catalog.SyncRequest{}, nil); err != nil {
			b.Fatal(err)
		}
		up += awaitLimit(workers).Sub(began)
		allSynced(b, repo, apiA)
		began = time.Now()
		down += awaitLimit(1).Sub(began)
	}
	b.ReportMetric(up.Seconds()/float64(b.N), "up-s")
	b.ReportMetric(down.Seconds()/float64(b.N), "down-s")
	report(b, up+down, time.Duration(b.N)*(3*interval+cooldown)) //nolint:mnd // of which one is on the way up
}
