package reconciler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
)

// stopAll ends all reconcilers that run, as SIGTERM does; those without a lock first, so that nobody takes over
// what is cut off.
func (w *world) stopAll() {
	w.t.Helper()
	idle, busy := w.byLocks()
	for _, some := range [][]*process{idle, busy} {
		for _, p := range some {
			p.signal()
		}
		for _, p := range some {
			p.stop()
		}
	}
}

// byLocks tells the processes that have the lock of a job from those that have none.
func (w *world) byLocks() (idle, busy []*process) {
	w.t.Helper()
	locks, err := w.store.List(w.t.Context(), scope().Prefix()+"locks/", store.ListOptions{})
	must(w.t, err)
	for i, p := range w.started {
		if ended(p.ended) {
			continue
		}
		self, err := w.store.Get(w.t.Context(), fmt.Sprintf("%sreconcilers/r%d", scope().Prefix(), i))
		must(w.t, err)
		if slices.ContainsFunc(locks.Entries, func(e store.Entry) bool { return e.Session == self.Session }) {
			busy = append(busy, p)
		} else {
			idle = append(idle, p)
		}
	}
	return idle, busy
}

// cutting has the reconcilers cut off what runs as soon as they are stopped.
func cutting(o *reconciler.Options) { o.DrainTimeout = time.Nanosecond }

// runOf is the part of an idempotency key that names the run, without the attempt and the step.
func runOf(key string) string {
	const end = "-1-0"
	return key[:max(len(key)-len(end), 0)]
}

// While a process drains, its runs end and nothing begins.
func TestDrain(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = 1 }
		w.start()
		calls := w.hold(every)
		w.crowd(w.fleet.processes + 2)
		running := make([]held, w.fleet.processes)
		for i := range running {
			running[i] = w.next(calls)
		}
		for _, p := range w.started {
			p.signal()
		}
		w.sync(catalog.SyncRequest{})
		for _, r := range running {
			r.answer(http.StatusOK)
		}
		for _, p := range w.started {
			p.stop()
		}
		for _, r := range running {
			w.wantCalled(r.namespace, 1)
			if got := w.sub(r.namespace); got.CurrentSyncID != r.syncID || got.State != catalog.StateSuccess {
				t.Errorf("%s is %s at %q after its run has ended", r.namespace, got.State, got.CurrentSyncID)
			}
		}
		select {
		case h := <-calls:
			t.Errorf("%s was tried while the processes drained", h.namespace)
		default:
		}
		w.wantFetched(1)
		w.wantNoLocks()
		w.app.behave(succeeds)
		w.startOne()
		w.allSynced()
	})
}

// The immediate retry of an attempt that fails while its process drains is owed, and made by another process.
func TestRetryIsOwed(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"etcd", 2}, {"etcd", 3}}, func(w *world) {
		t := w.t
		w.start()
		w.register(compute)
		w.settle()
		seen := w.watch(compute, "sre")
		calls := w.hold(every)
		w.subscribe(compute, "sre")
		first := w.next(calls)
		_, busy := w.byLocks()
		runner := busy[0]
		runner.signal()
		first.answer(http.StatusInternalServerError)
		second := w.next(calls)
		if second.key == first.key || runOf(second.key) != runOf(first.key) {
			t.Errorf("the retry's key is %q, and the first attempt's %q; they differ in the attempt alone", second.key, first.key)
		}
		runner.stop()
		second.answer(http.StatusInternalServerError)
		w.settle()
		w.wantCalled("sre", 2)
		w.wantAt("sre", "", catalog.ReasonStepFailed)
		seen.want(catalog.StateError)
	})
}

// An attempt that is cut off is repeated under its key. Its retry has another.
func TestCutOffAttemptIsRepeated(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.options = cutting
		w.start()
		calls := w.hold(every)
		w.register(compute, "sre")
		first := w.next(calls)
		seen := w.watch(compute, "sre")
		w.stopAll()
		w.wantNoLocks()
		w.wantMetric(`attempts_total{api="compute.example.com",result="interrupted"}`, 1)
		if got := w.sub("sre"); got.State != catalog.StateInit || got.Reason != catalog.ReasonQueued {
			t.Errorf("after the cut it is %s, %s", got.State, got.Reason)
		}
		w.startOne()
		again := w.next(calls)
		if again.key != first.key || again.key == "" {
			t.Errorf("the repeated attempt has the key %q, not the first one's %q", again.key, first.key)
		}
		again.answer(http.StatusInternalServerError)
		retry := w.next(calls)
		if retry.key == first.key {
			t.Errorf("the immediate retry has the first attempt's key %q", retry.key)
		}
		w.stopAll()
		w.startOne()
		repeated := w.next(calls)
		if repeated.key != retry.key {
			t.Errorf("the repeated retry has the key %q, not %q", repeated.key, retry.key)
		}
		repeated.answer(http.StatusOK)
		w.settle()
		w.wantAt("sre", first.syncID, catalog.ReasonSynced)
		w.wantCalled("sre", 4)
		seen.want(catalog.StateSuccess)
	})
}

// cutOff has a run of the namespace begun and cut off three times.
func (w *world) cutOff(calls <-chan held) {
	w.t.Helper()
	for range 3 {
		p := w.startOne()
		w.next(calls)
		p.stop()
	}
}

// An attempt that was cut off three times is given up. Neither a start nor the like begins it anew, a client's write or a
// new target does.
func TestAttemptIsGivenUp(t *testing.T) {
	t.Parallel()
	anew := append(clientWrites()[:3:3], updated("new id by PUT", catalog.RegistrationChange{SyncID: new("v2")}))
	for _, tr := range anew {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			onFleets(t, extremes(), func(w *world) {
				w.options = cutting
				calls := w.hold(every)
				w.register(compute, "sre")
				seen := w.watch(compute, "sre")
				w.cutOff(calls)
				w.start()
				w.settle()
				w.wantAt("sre", "", catalog.ReasonInterrupted)
				w.wantCalled("sre", 3)
				seen.want(catalog.StateError)
				w.wantNoLocks()

				w.app.forget()
				must(w.t, tr.pull(&place{world: w, api: compute, ns: "sre"}))
				w.next(calls).answer(http.StatusOK)
				w.settle()
				w.wantAt("sre", w.sub("sre").ExpectedSyncID, catalog.ReasonSynced)
				seen.want(catalog.StateError, catalog.StateSuccess)
			})
		})
	}
}

// The same goes for the fetch of a document. Those that wait for it learn of it, whatever starts meanwhile.
func TestFetchIsGivenUp(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.options = cutting
		fetching := make(chan struct{})
		w.app.document(func(_ http.ResponseWriter, r *http.Request) {
			select {
			case fetching <- struct{}{}:
				<-r.Context().Done()
			case <-r.Context().Done():
			}
		})
		w.register(compute, "sre")
		for range 3 {
			p := w.startOne()
			<-fetching
			p.stop()
		}
		w.start()
		w.subscribe(compute, "apps")
		<-fetching // a client asks for it anew
		w.stopAll()
		for range 2 {
			p := w.startOne()
			<-fetching
			p.stop()
		}
		w.start()
		w.settle()
		for _, ns := range []string{"apps", "sre"} {
			w.wantAt(ns, "", catalog.ReasonSpecUnavailable)
			if got := w.sub(ns); got.State != catalog.StateError || !strings.Contains(got.Message, "begun 3 times") {
				t.Errorf("%s is %s for %q", ns, got.State, got.Message)
			}
			w.wantCalled(ns, 0)
		}
		w.wantNoLocks()
		w.app.document(serveText(document))
		w.setMode("")
		w.synced("apps", "sre")
	})
}
