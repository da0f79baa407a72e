package reconciler_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

func (p *process) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	return get(t, p.Handler(), path)
}

func get(t *testing.T, h http.Handler, path string) (status int, body string) {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	return rec.Code, rec.Body.String()
}

// metric is the sum of a series over the processes, 0 where it is nowhere.
func (w *world) metric(series string) float64 {
	w.t.Helper()
	sum := 0.0
	for _, p := range w.started {
		sum += p.metric(w.t, series)
	}
	return sum
}

func (p *process) metric(t *testing.T, series string) float64 {
	t.Helper()
	_, text := p.get(t, "/-/metrics")
	for l := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(l, series+" "); ok {
			f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			must(t, err)
			return f
		}
	}
	return 0
}

func (w *world) wantMetric(series string, want float64) {
	w.t.Helper()
	if got := w.metric("kayra_reconciler_" + series); got != want {
		w.t.Errorf("%s is %v, not %v", series, got, want)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		const waiting = 2
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = 1 }
		w.start()
		n := float64(w.fleet.processes)
		calls := w.hold(every)
		names := w.crowd(w.fleet.processes + waiting)
		running := make([]held, w.fleet.processes)
		for i := range running {
			running[i] = w.next(calls)
		}
		w.eventually("two are due, in the eyes of each", func() bool {
			return w.metric(`kayra_reconciler_jobs_due{api="compute.example.com"}`) == waiting*n
		})
		w.wantMetric("slots", n)
		w.wantMetric("slots_in_use", n)
		if w.metric(`kayra_reconciler_oldest_unsynced_seconds{api="compute.example.com"}`) <= 0 {
			t.Error("nobody has been unsynced for any time")
		}
		w.app.behave(fails(names[len(names)-1]))
		for _, h := range running {
			h.answer(map[bool]int{true: http.StatusInternalServerError, false: http.StatusOK}[h.namespace == names[len(names)-1]])
		}
		w.settle()
		w.wantMetric(`attempts_total{api="compute.example.com",result="success"}`, float64(len(names)-1))
		w.wantMetric(`attempts_total{api="compute.example.com",result="retried"}`, 1)
		w.wantMetric(`attempts_total{api="compute.example.com",result="error"}`, 1)
		w.wantMetric(`attempt_duration_seconds_count{api="compute.example.com"}`, float64(len(names)+1))
		w.wantMetric(`spec_fetches_total{result="success"}`, 1)
		w.wantMetric(`jobs_due{api="compute.example.com"}`, 0)
		w.wantMetric("slots_in_use", 0)
		if w.metric(`kayra_reconciler_oldest_unsynced_seconds{api="compute.example.com"}`) <= 0 {
			t.Error("the subscriber that failed is not unsynced")
		}
		w.app.behave(succeeds)
		w.setMode("")
		w.allSynced()
		w.settle()
		w.wantMetric(`oldest_unsynced_seconds{api="compute.example.com"}`, 0)
	})
}

// heedless is a pipeline whose runs end when they are told to, and not when they are cancelled.
type heedless struct {
	reconciler.Pipeline

	begun, end chan struct{}
}

// Run waits for the end.
func (h heedless) Run(context.Context, string, pipeline.Input) error {
	h.begun <- struct{}{}
	<-h.end
	return nil
}

func (w *world) wantNoMetrics(when string) {
	w.t.Helper()
	for _, p := range w.started {
		w.eventually("no metrics of the registration "+when, func() bool {
			_, text := p.get(w.t, "/-/metrics")
			return !strings.Contains(text, compute)
		})
	}
}

// Nothing is told of a registration that is no more, not even by a run that ends after it.
func TestMetricsOfADeletedRegistration(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		begun, end := make(chan struct{}), make(chan struct{})
		w.options = func(o *reconciler.Options) { o.Pipeline = heedless{o.Pipeline, begun, end} }
		w.start()
		w.register(compute, "sre")
		<-begun
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		must(t, w.DeleteRegistration(t.Context(), compute, nil))
		w.wantNoMetrics("after its deletion")
		close(end)
		w.settle()
		w.wantNoMetrics("after the end of the run")
		w.wantNoLocks()
	})
}

func TestMetricsOfARegistrationDeletedInAGap(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"etcd", "local"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			w, compact := historied(t, backend, true)
			watch := &severed{}
			w.options = func(o *reconciler.Options) { watch.Store, o.Store = o.Store, watch }
			p := w.startOne()
			w.register(compute, "sre")
			w.synced("sre")
			w.settle()
			watch.sever(true)
			w.eventually("the reconciler is not ready", func() bool { return !p.ready() })
			must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
			must(t, w.DeleteRegistration(t.Context(), compute, nil))
			compact()
			watch.sever(false)
			w.wantNoMetrics("after the gap")
		})
	}
}

func TestHealthAndReadiness(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		var opts reconciler.Options
		w.options = func(o *reconciler.Options) { opts = *o }
		p := w.startOne()
		idle, err := reconciler.New(reconciler.Options{
			Store: opts.Store, Locker: opts.Locker, Scope: opts.Scope, Pipeline: opts.Pipeline, Gateway: opts.Gateway,
			Identity: catalog.Reconciler{ID: "never-run"},
		})
		must(t, err)
		want := func(h http.Handler, path string, want int) {
			if got, body := get(t, h, path); got != want {
				t.Errorf("%s answers %d, not %d: %s", path, got, want, body)
			}
		}
		want(idle.Handler(), "/-/healthz", http.StatusOK)
		want(idle.Handler(), "/-/readyz", http.StatusServiceUnavailable)
		want(p.Handler(), "/-/readyz", http.StatusOK)
		p.stop()
		want(p.Handler(), "/-/healthz", http.StatusOK)
		want(p.Handler(), "/-/readyz", http.StatusServiceUnavailable)
	})
}
