package reconciler_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
)

// A trigger that fails again before an earlier one's retry was due has the retry of its own failure.
func TestRetryIsOwedAnew(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(retries(1, 100*time.Millisecond, 200*time.Millisecond))
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre")
		for i := range 5 { // each most likely before the retry of the one before is due
			w.eventually("it has failed", func() bool { return len(w.app.of("sre")) >= 2*(i+1) && w.sub("sre").State == catalog.StateError })
			_, err := w.TouchSubscription(t.Context(), "sre", compute, nil)
			must(t, err)
		}
		w.eventually("the last failure is retried", func() bool {
			a := w.sub("sre").Attempt
			return a.Retries == 1 && a.Phase == catalog.PhaseError
		})
	})
}

// The same for the interval at which those that are behind are tried.
func TestResyncGoesOnAfterAWrite(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(catalog.Operator{Resync: new(catalog.Duration(100 * time.Millisecond))})
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre")
		w.eventually("it has failed", func() bool { return w.sub("sre").State == catalog.StateError })
		_, err := w.TouchSubscription(t.Context(), "sre", compute, nil)
		must(t, err)
		w.eventually("it is tried again and again", func() bool { return len(w.app.of("sre")) >= 10 })
	})
}

// Documents that hang keep nobody from running: not those that have theirs, and no new namespace.
func TestHangingDocuments(t *testing.T) {
	t.Parallel()
	onGraphs(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		over := make(chan struct{})
		defer close(over)
		w.app.document(func(rw http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/apis/"+apiB+"/-/openapi.json" {
				select {
				case <-over:
				case <-r.Context().Done():
				}
			}
			serveText(document)(rw, r)
		})
		const slots = 3
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = slots }
		w.startOne()
		w.depends(apiB, nil, "sre")
		w.reaches(apiB, "sre")
		for i := range 30 {
			w.depends(fmt.Sprintf("slow%02d.example.com", i), nil)
		}
		w.eventually("all that can be fetched at a time hang", func() bool { return w.app.fetched() == 1+slots })
		w.resync(apiB)
		w.reaches(apiB, "sre")
		w.subscribe(apiB, "new")
		w.reaches(apiB, "new")
		if n := w.app.fetched(); n != 1+slots {
			t.Errorf("%d documents had ended before others could do what is theirs", n-1-slots)
		}
	})
}

// A registration that was lost and is made again is one whose writes are triggers, whatever its namesake has seen.
func TestRegistrationMadeAgainIsATrigger(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.app.behave(fails("sre"))
		w.start()
		short := "cmp"
		_, err := w.CreateRegistration(t.Context(), compute, catalog.RegistrationChange{ShortName: &short, SyncID: new("v1")})
		must(t, err)
		for range 5 {
			_, err := w.UpdateRegistration(t.Context(), compute, catalog.RegistrationChange{}, nil)
			must(t, err)
		}
		w.subscribe(compute, "sre")
		w.eventually("it has failed", func() bool { return w.sub("sre").State == catalog.StateError })
		w.settle()
		w.vanish(compute)
		w.settle()
		w.app.behave(func(call) int { return http.StatusOK })
		_, err = w.CreateRegistration(t.Context(), compute, catalog.RegistrationChange{ShortName: &short, SyncID: new("v1")})
		must(t, err)
		w.synced("sre")
	})
}

// What is deleted and made again in one batch of changes keeps what it is operated by.
func TestReplacedInOneBatchKeepsItsResync(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(catalog.Operator{Resync: new(catalog.Duration(50 * time.Millisecond))})
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre")
		w.eventually("it has failed", func() bool { return w.sub("sre").State == catalog.StateError })
		key := scope().Prefix() + "registrations/" + compute
		e, err := w.store.Get(t.Context(), key)
		must(t, err)
		var reg map[string]any
		must(t, json.Unmarshal(e.Value, &reg))
		reg["uid"] = "another"
		text, err := json.Marshal(reg)
		must(t, err)
		for range 20 {
			_, err = w.store.Txn(t.Context(), store.Txn{Then: []store.Op{store.Delete(key)}})
			must(t, err)
			_, err = w.store.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(key, text)}})
			must(t, err)
		}
		before := len(w.app.of("sre"))
		w.eventually("it is tried again and again", func() bool { return len(w.app.of("sre")) >= before+6 })
	})
}

// After an abort, only those are past the dependencies that it takes back.
func TestNewcomersWaitAfterAnAbort(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil, "sre")
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionStarted)}, "apps", "sre")
		w.start()
		w.reaches(apiB, "apps", "sre")
		_, err := w.SyncRegistration(t.Context(), apiB, catalog.SyncRequest{CanaryNamespaces: []string{"apps"}}, nil)
		must(t, err)
		w.reaches(apiB, "apps")
		w.vanish(apiA)
		w.becomes(apiB, catalog.HealthDegraded)
		_, err = w.SyncRegistration(t.Context(), apiB, catalog.SyncRequest{Abort: true}, nil)
		must(t, err)
		w.reaches(apiB, "apps")
		w.resync(apiB)
		w.subscribe(apiB, "new")
		w.settle()
		w.wantTried(apiB, 1)
		if n := len(w.app.of(apiB + "/new")); n != 0 {
			t.Errorf("a new subscription was tried %d times", n)
		}
	})
}

// Nothing is kept of a registration that is missing to nobody any more.
func TestMissingToNobody(t *testing.T) {
	t.Parallel()
	onGraphs(t, allFleets(), func(w *world) {
		w.depends(apiA, nil)
		w.depends(apiB, []catalog.Dependency{needs(apiA, catalog.ConditionStarted)})
		w.start()
		w.becomes(apiB, catalog.HealthHealthy)
		w.vanish(apiA)
		w.becomes(apiA, catalog.HealthMissing)
		_, err := w.UpdateRegistration(t.Context(), apiB, catalog.RegistrationChange{DependsOn: &[]catalog.Dependency{}}, nil)
		must(t, err)
		w.becomes(apiA, "")
		w.becomes(apiB, catalog.HealthHealthy)
	})
}
