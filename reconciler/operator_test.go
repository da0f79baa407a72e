package reconciler_test

import (
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/store/catalog"
)

// operated has every registration operated so.
func (w *world) operated(o catalog.Operator) {
	w.options = func(opts *reconciler.Options) { opts.Operator = &o }
}

func retries(attempts int, initial, most time.Duration) catalog.Operator {
	return catalog.Operator{Retry: &catalog.Retry{
		MaxAttempts: &attempts, Initial: new(catalog.Duration(initial)), Max: new(catalog.Duration(most)),
	}}
}

// A trigger that has failed is tried again as often as retry says, once each time, over all processes; then no more.
func TestRetryIsBounded(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.operated(retries(3, time.Millisecond, 5*time.Millisecond))
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre", "apps")
		w.eventually("five attempts are made", func() bool { return len(w.app.of("sre")) == 5 })
		w.settle()
		w.wantCalled("sre", 5)
		w.wantCalled("apps", 1)
		if v := w.sub("sre"); v.State != catalog.StateError || v.Attempt.Retries != 3 || !v.Attempt.RetryAt.IsZero() {
			t.Errorf("in the end: %+v", v)
		}
		keys := map[string]bool{}
		for _, c := range w.app.of("sre") {
			keys[c.key] = true
		}
		if len(keys) != 5 {
			t.Errorf("5 attempts had %d idempotency keys", len(keys))
		}
	})
}

// A retry that succeeds ends it, and the next failure has all its retries again.
func TestLaterRetrySucceeds(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(retries(5, time.Millisecond, 5*time.Millisecond))
		w.app.behave(func(call) int {
			if len(w.app.of("sre")) < 4 {
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		})
		w.start()
		w.register(compute, "sre")
		w.synced("sre")
		w.settle()
		w.wantCalled("sre", 4)
		if v := w.sub("sre"); v.State != catalog.StateSuccess || v.Attempt.Retries != 2 {
			t.Errorf("in the end: %+v", v)
		}
	})
}

// What is to be tried again stands on the record: a process that starts later does it, and a restart gives it two attempts
// of its own but no retry more.
func TestRetrySurvivesARestart(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(retries(2, time.Hour, time.Hour))
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre")
		w.eventually("a retry is owed", func() bool { return !w.sub("sre").Attempt.RetryAt.IsZero() })
		w.stopAll()
		w.wantCalled("sre", 2)

		w.operated(retries(2, time.Millisecond, time.Millisecond))
		w.start()
		w.eventually("all are made", func() bool { return w.sub("sre").Attempt.Retries == 2 && w.sub("sre").Attempt.RetryAt.IsZero() })
		w.settle()
		if n := len(w.app.of("sre")); n < 6 {
			t.Errorf("the app was called %d times, not twice for each start and twice for the retries", n)
		}
	})
}

// The app is left alone for as long as it asks for.
func TestRetryHonoursRetryAfter(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		const asked = 3600
		w.operated(retries(2, time.Millisecond, time.Millisecond))
		w.app.refuse(http.StatusTooManyRequests, http.Header{"Retry-After": {strconv.Itoa(asked)}})
		w.start()
		before := time.Now()
		w.register(compute, "sre")
		w.eventually("a retry is owed", func() bool { return !w.sub("sre").Attempt.RetryAt.IsZero() })
		if at := w.sub("sre").Attempt.RetryAt; at.Before(before.Add(asked * time.Second)) {
			t.Errorf("the retry is owed at %s, asked for at %s", at, before)
		}
		w.settle()
		w.wantCalled("sre", 2)
	})
}

// A client need not wait for a retry: its write is a trigger as ever.
func TestTriggersPassARetryThatIsOwed(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(retries(9, time.Hour, time.Hour))
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre")
		w.eventually("a retry is owed", func() bool { return !w.sub("sre").Attempt.RetryAt.IsZero() })
		w.app.behave(func(call) int { return http.StatusOK })
		_, err := w.TouchSubscription(t.Context(), "sre", compute, nil)
		must(t, err)
		w.synced("sre")
	})
}

// A document that could not be fetched is fetched again, too.
func TestRetryOfTheFetch(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(retries(5, time.Millisecond, 5*time.Millisecond))
		w.app.document(func(rw http.ResponseWriter, r *http.Request) {
			if w.app.fetched() < 4 {
				http.Error(rw, "not yet", http.StatusServiceUnavailable)
				return
			}
			serveText(document)(rw, r)
		})
		w.start()
		w.register(compute, "sre")
		w.synced("sre")
		w.wantFetched(4)
	})
}

// Those that are behind have a trigger at the interval, and nobody else.
func TestResync(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.operated(catalog.Operator{Resync: new(catalog.Duration(20 * time.Millisecond))})
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre", "apps")
		w.eventually("sre is tried again and again", func() bool { return len(w.app.of("sre")) >= 6 })
		w.app.behave(func(call) int { return http.StatusOK })
		w.synced("sre", "apps")
		w.settle()
		if n := len(w.app.of("sre")); n%2 == 0 {
			t.Errorf("%d calls: each failed trigger is two attempts, and the last one succeeded at once or at its retry", n)
		}
		w.wantCalled("apps", 1)
	})
}

func rollsBack(after int, within time.Duration) catalog.Operator {
	return catalog.Operator{Rollback: &catalog.Rollback{ConsecutiveFailures: &after, Within: new(catalog.Duration(within))}}
}

// A bad id is taken back by itself: those that moved or were tried are back where all were, and it is not tried again.
func TestRollback(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.operated(rollsBack(2, 0))
		w.start()
		w.register(compute, "apps", "ops", "sre", "web")
		w.synced("apps", "ops", "sre", "web")
		w.settle()
		good := w.sub("sre").ExpectedSyncID

		w.app.behave(func(c call) int {
			if c.syncID != good && c.namespace != "web" {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		bad := w.sync(catalog.SyncRequest{}).SyncID
		w.eventually("it is rolled back", func() bool { return w.registered().RolledBack.Total > 0 })
		w.synced("apps", "ops", "sre", "web")
		w.settle()
		reg := w.registered()
		if reg.SyncID != good || reg.ReleasedSyncID != good || !reg.RollbackStands() || reg.RolledBack.SyncID != bad || reg.RolledBack.Total != 1 {
			t.Errorf("after the rollback: %+v", reg)
		}
		for _, ns := range []string{"apps", "ops", "sre"} {
			if n := calls(w.app.of(ns), bad); n > 2 {
				t.Errorf("%s was tried %d times at the bad id", ns, n)
			}
		}
		w.sync(catalog.SyncRequest{})
		w.eventually("another bad one is rolled back, too", func() bool { return w.registered().RolledBack.Total == 2 })
	})
}

func (w *world) registered() catalog.Registration {
	w.t.Helper()
	reg, err := w.Registration(w.t.Context(), compute)
	must(w.t, err)
	return reg
}

func calls(all []call, syncID string) int {
	n := 0
	for _, c := range all {
		if c.syncID == syncID {
			n++
		}
	}
	return n
}

// While a rollout is pending, it goes back to what is released, and the hold is cleared.
func TestRollbackOfACanary(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(rollsBack(2, time.Hour))
		w.start()
		w.register(compute, "apps", "ops", "sre")
		w.synced("apps", "ops", "sre")
		w.settle()
		released := w.sub("sre").ExpectedSyncID
		w.app.behave(func(c call) int {
			if c.syncID != released {
				return http.StatusInternalServerError
			}
			return http.StatusOK
		})
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"apps", "ops"}})
		w.eventually("it is rolled back", func() bool { return w.registered().RolledBack.Total > 0 })
		w.synced("apps", "ops", "sre")
		w.settle()
		if reg := w.registered(); reg.SyncID != released || reg.Pending() {
			t.Errorf("after the rollback: %+v", reg)
		}
		w.wantCalled("sre", 1)
	})
}

// Nothing is taken back that fewer have failed at, or that some succeed at in between, or when there is nothing to go back
// to, or the target is one of a rollback itself.
func TestNoRollback(t *testing.T) {
	t.Parallel()
	bad := func(w *world, namespaces ...string) {
		w.start()
		w.register(compute, namespaces...)
		w.synced(namespaces...)
		w.settle()
		w.app.behave(func(call) int { return http.StatusInternalServerError })
	}
	for name, test := range map[string]func(w *world){
		"too few": func(w *world) {
			bad(w, "apps")
			w.sync(catalog.SyncRequest{})
		},
		"off": func(w *world) {
			w.operated(rollsBack(0, 0))
			bad(w, "apps", "sre")
			w.sync(catalog.SyncRequest{})
		},
		"nothing to go back to": func(w *world) {
			w.app.behave(func(call) int { return http.StatusInternalServerError })
			w.start()
			w.register(compute, "apps", "sre")
		},
		"paused": func(w *world) {
			w.operated(rollsBack(3, 0))
			bad(w, "apps", "sre")
			w.sync(catalog.SyncRequest{})
			w.settle()
			_, err := w.UpdateRegistration(w.t.Context(), compute, catalog.RegistrationChange{
				Paused: new(true), Operator: json.RawMessage(`{"rollback": {"consecutive_failures": 2}}`),
			}, nil)
			must(w.t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onFleets(t, extremes(), func(w *world) {
				w.operated(rollsBack(2, 0))
				test(w)
				w.settle()
				if reg := w.registered(); reg.RolledBack.Total != 0 {
					t.Errorf("rolled back: %+v", reg)
				}
			})
		})
	}
}
