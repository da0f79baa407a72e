package reconciler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kayra/reconciler"
	"kayra/reconciler/katalog"
	"kayra/store/catalog"
)

// Whatever happens, memory is bounded for one subscription and for all, a repetition is counted, what happened last comes
// first, and what went is the oldest of its type.
func TestEventsAreBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const most = 12
		type one struct {
			ns, message string
			reason      katalog.EventReason
		}
		c := reconciler.NewChronicle(most)
		var order []one // of the last times, by a model
		count := map[one]int32{}
		at := time.Unix(1, 0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			ns := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "namespace")
			if rapid.IntRange(0, 19).Draw(t, "forget") == 0 && len(c.Of(ns)) > 0 {
				c.Forget(ns)
				order = slices.DeleteFunc(order, func(o one) bool { return o.ns == ns })
				continue
			}
			reason := rapid.SampledFrom([]katalog.EventReason{katalog.EventReconciled, katalog.EventReconcileError}).Draw(t, "reason")
			o := one{ns, strconv.Itoa(rapid.IntRange(0, 9).Draw(t, "message")), reason}
			at = at.Add(time.Second)
			c.Note(o.ns, o.reason, o.message, at)
			if !slices.Contains(order, o) {
				count[o] = 0
			}
			count[o]++
			order = append(slices.DeleteFunc(order, func(other one) bool { return other == o }), o)
			same := func(other one) bool { return other.reason == o.reason }
			if n := len(slices.DeleteFunc(slices.Clone(order), func(other one) bool { return !same(other) })); n > most {
				at := slices.IndexFunc(order, same)
				order = slices.Delete(order, at, at+1)
			}
		}
		for _, ns := range []string{"a", "b", "c"} {
			var want, got []string
			for _, o := range slices.Backward(order) {
				if o.ns == ns {
					want = append(want, fmt.Sprint(o.reason, o.message, count[o]))
				}
			}
			for _, e := range c.Of(ns) {
				got = append(got, fmt.Sprint(e.Reason, e.Message, e.Count))
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s has %q, want %q", ns, got, want)
			}
		}
		for _, kind := range []string{"Normal", "Warning"} {
			if n, forward, back := c.Count(kind); n != forward || n != back || n > most {
				t.Fatalf("%s: counted %d, %d forward, %d back", kind, n, forward, back)
			}
		}
	})
}

func TestEventsOfOneAreBounded(t *testing.T) {
	t.Parallel()
	c := reconciler.NewChronicle(1000)
	for i := range 150 {
		c.Note("a", katalog.EventReconciled, strconv.Itoa(i), time.Unix(int64(i), 0))
	}
	all := c.Of("a")
	if n, _, _ := c.Count("Normal"); len(all) != 100 || n != 100 || all[0].Message != "149" || all[99].Message != "50" {
		t.Errorf("%d of 150 are told, %d are counted: %+v", len(all), n, all)
	}
}

func TestRunsThatAreRememberedAreBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ made, steps, runs, total int }{
		{100, 3, 100, 300}, {11_000, 3, 10_000, 30_000}, {9_000, 10, 5_000, 50_000}, {2, 60_000, 1, 60_000},
	} {
		if runs, total := reconciler.Remembered(c.made, c.steps); runs != c.runs || total != c.total {
			t.Errorf("of %d runs of %d steps: %d runs and %d steps, not %d and %d", c.made, c.steps, runs, total, c.runs, c.total)
		}
	}
}

// All is told while everything changes.
func TestAskedDuringAStorm(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"local", 1}, {"etcd", 2}}, func(w *world) {
		w.operated(catalog.Operator{MaxDepth: new(5), Retry: &catalog.Retry{MaxAttempts: new(1), Initial: new(catalog.Duration(time.Millisecond))}})
		w.asked()
		w.options = both(w.options, func(o *reconciler.Options) { o.MaxConcurrent = 4 })
		names := make([]string, 30)
		for i := range names {
			names[i] = fmt.Sprintf("t%02d", i)
		}
		w.app.behave(func(c call) int {
			if strings.HasSuffix(c.namespace, "5") {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		w.start()
		w.depends(apiA, nil, names...)
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionSynced)}, names...)
		var readers sync.WaitGroup
		over := make(chan struct{})
		for _, p := range w.started {
			readers.Go(func() {
				for !ended(over) {
					w.askEverything(p, names)
				}
			})
		}
		for i := range 6 {
			req := catalog.SyncRequest{}
			if i%2 == 0 {
				req.CanaryNamespaces = names[:3]
			}
			must(t, errOf(w.SyncRegistration(t.Context(), apiA, req, nil)))
			w.settle()
		}
		must(t, w.Unsubscribe(t.Context(), names[0], apiB, nil))
		w.vanish(apiB)
		w.settle()
		close(over)
		readers.Wait()
	})
}

// askEverything asks for all there is; nothing may be broken, however it stands.
func (w *world) askEverything(p *process, names []string) {
	for _, api := range []string{apiA, apiB} {
		paths := []string{"", "/raw", "/enriched", "/" + api, "/" + api + "/health", "/" + api + "/raw", "/" + api + "/enriched", "/" + api + "/cr"}
		for _, ns := range names[:6] {
			paths = append(paths, "/"+api+"/cr/"+ns, "/"+api+"/cr/"+ns+"/events")
		}
		for _, path := range paths {
			code, body := p.get(w.t, "/katalog"+path)
			if code != http.StatusOK && code != http.StatusNotFound && code != http.StatusServiceUnavailable || !strings.HasPrefix(body, "{") {
				w.t.Errorf("%s: %d %s", path, code, body)
			}
		}
	}
	p.get(w.t, "/-/metrics")
}
