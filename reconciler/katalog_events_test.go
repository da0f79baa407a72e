package reconciler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/reconciler"
	"kayra/reconciler/katalog"
	"kayra/store/catalog"
)

// happened waits until a process tells that something has happened to a subscriber of compute, once, and returns it.
func (w *world) happened(p *process, ns string, reason katalog.EventReason, says string) katalog.CREvent {
	w.t.Helper()
	var found katalog.CREvent
	w.eventually(fmt.Sprintf("%s of %s, once", reason, ns), func() bool {
		for _, e := range p.events(w.t, ns) {
			if e.Reason == reason && strings.Contains(e.Message, says) && e.Count == 1 {
				found = e
				return true
			}
		}
		return false
	})
	if found.Object != "subscription/"+ns+"/"+compute || found.Type != reason.Type() || found.FirstSeen == "" || found.LastSeen == "" || found.Age == "" {
		w.t.Errorf("%+v", found)
	}
	return found
}

// What has happened is told by every process, whoever did it, and repetitions are counted.
func TestEvents(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.asked()
		w.start()
		w.register(compute, "apps", "sre")
		w.synced("apps", "sre")
		first := w.sub("sre")
		w.app.behave(fails("sre"))
		for range 2 {
			must(w.t, errOf(w.Resync(w.t.Context(), "sre", compute, nil)))
			w.settle()
		}
		failedBy := w.sub("sre").Attempt.Holder
		w.app.behave(succeeds)
		must(w.t, errOf(w.Resync(w.t.Context(), "sre", compute, nil)))
		w.synced("sre")
		for _, p := range w.started {
			activated := w.happened(p, "sre", katalog.EventActivated, first.CurrentSyncID)
			if activated.Source != first.Attempt.Holder || activated.Source == "" {
				w.t.Errorf("activated by %q, not by %q", activated.Source, first.Attempt.Holder)
			}
			w.happened(p, "sre", katalog.EventReconciled, first.CurrentSyncID)
			sum := int32(0)
			for _, e := range p.events(w.t, "sre") {
				if e.Reason == katalog.EventReconcileError {
					sum += e.Count
				}
			}
			if sum != 2 {
				w.t.Errorf("%d failures: %+v", sum, p.events(w.t, "sre"))
			}
			all := p.events(w.t, "sre")
			if all[0].Reason != katalog.EventReconciled || all[len(all)-1].Reason != katalog.EventActivated {
				w.t.Errorf("not the newest first: %+v", all)
			}
			if !slices.ContainsFunc(all, func(e katalog.CREvent) bool { return e.Reason == katalog.EventReconcileError && e.Source == failedBy }) {
				w.t.Errorf("no failure by %s: %+v", failedBy, all)
			}
			if other := p.events(w.t, "apps"); len(other) != 1 {
				w.t.Errorf("of the other: %+v", other)
			}
		}
	})
}

func errOf[T any](_ T, err error) error { return err }

func TestEventsOfARolloutAndItsRollback(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(rollsBack(2, time.Hour))
		w.asked()
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
		bad := w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"apps", "ops"}}).SyncID
		w.eventually("it is rolled back", func() bool { return w.registered().RolledBack.Total > 0 })
		w.synced("apps", "ops", "sre")
		w.settle()
		for _, p := range w.started {
			w.happened(p, "sre", katalog.EventCanaryHold, bad)
			for _, ns := range []string{"apps", "ops"} {
				if e := w.happened(p, ns, katalog.EventRolledBack, bad); e.Source != w.oneKonductor() {
					t.Errorf("rolled back by %q", e.Source)
				}
				w.happened(p, ns, katalog.EventReconciled, released)
			}
			for _, e := range p.events(t, "sre") {
				if e.Reason == katalog.EventRolledBack {
					t.Error("one that was never tried at the bad id was rolled back")
				}
			}
			info := answer[katalog.CRDInfoResponse](t, p, "/"+compute, http.StatusOK)
			if r := info.Rollback; r == nil || r.TotalRollbacks != 1 || !r.Active || r.LastRollbackAt == "" {
				t.Errorf("rollback: %+v", r)
			}
			if info.SyncID != released {
				t.Errorf("at %s, not at %s", info.SyncID, released)
			}
		}
		w.wantMetric(`rollbacks_total{api="compute.example.com"}`, float64(len(w.started)))
	})
}

func TestEventsOfLaterRetries(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.operated(retries(2, time.Millisecond, time.Millisecond))
		w.asked()
		w.app.behave(fails("sre"))
		w.start()
		w.register(compute, "sre")
		w.eventually("all are made", func() bool { return w.sub("sre").Attempt.Retries == 2 && w.sub("sre").Attempt.RetryAt.IsZero() })
		w.settle()
		for _, p := range w.started {
			w.happened(p, "sre", katalog.EventRetrying, "the first attempt")
			w.happened(p, "sre", katalog.EventRetrying, "retry 1 is made")
			w.happened(p, "sre", katalog.EventRetrying, "retry 2 is made")
		}
		w.wantMetric(`retries_total{api="compute.example.com"}`, 2)
		must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
		must(t, w.DeleteRegistration(t.Context(), compute, nil))
		w.wantNoMetrics("after its deletion")
	})
}

func TestEventsOfAnAttemptThatIsCutOff(t *testing.T) {
	t.Parallel()
	onFleets(t, []fleet{{"local", 1}, {"etcd", 1}}, func(w *world) {
		w.options = cutting
		w.asked()
		calls := w.hold(every)
		w.register(compute, "sre")
		first := w.startOne()
		w.next(calls)
		first.stop()
		second := w.startOne()
		w.next(calls)
		w.happened(second, "sre", katalog.EventInterrupted, "(2 of 3 times)")
		second.stop()
		third := w.startOne()
		w.next(calls)
		third.stop()
		last := w.startOne()
		w.settle()
		w.happened(last, "sre", katalog.EventInterrupted, "begun 3 times and cut off each time")
	})
}

func TestEventsOfADocumentThatCannotBeHad(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.asked()
		w.app.document(func(rw http.ResponseWriter, _ *http.Request) { http.Error(rw, "no", http.StatusInternalServerError) })
		w.start()
		w.register(compute, "sre")
		w.settle()
		for _, p := range w.started {
			if e := w.happened(p, "sre", katalog.EventSpecUnavailable, ""); e.Source != w.sub("sre").Attempt.Holder || e.Source == "" {
				t.Errorf("recorded by %q, not by %q", e.Source, w.sub("sre").Attempt.Holder)
			}
		}
	})
}

// That a dependency is waited for is told once, however often it is looked at.
func TestEventsOfADependency(t *testing.T) {
	t.Parallel()
	onGraphs(t, extremes(), func(w *world) {
		w.asked()
		w.failing(apiA)
		w.depends(apiA, nil, "sre")
		w.depends(compute, []catalog.Dependency{needs(apiA, catalog.ConditionSynced)}, "sre", "apps")
		w.start()
		w.reaches(compute, "apps")
		for _, p := range w.started {
			e := w.happened(p, "sre", katalog.EventWaitingDependency, "waits for "+apiA+" to be synced: this namespace's subscription to it is at")
			if !strings.HasPrefix(e.Source, "r") {
				t.Errorf("seen by %q", e.Source)
			}
			d := p.detail(t, "sre")
			if d.Ready || d.ReadyReason != "waiting_dependency" || !strings.Contains(d.ReadyMessage, "waits for "+apiA+" to be synced") {
				t.Errorf("%+v", d)
			}
		}
		w.failing()
		w.resync(apiA)
		w.reaches(compute, "sre")
		w.settle()
		for _, p := range w.started {
			w.happened(p, "sre", katalog.EventWaitingDependency, "")
		}
	})
}

// What has happened goes with the subscription, and stays when the watch has to begin anew.
func TestEventsStayAsLongAsTheirSubscription(t *testing.T) {
	t.Parallel()
	for _, backend := range []string{"etcd", "local"} {
		t.Run(backend, func(t *testing.T) {
			t.Parallel()
			w, compact := historied(t, backend, true)
			w.asked()
			watch := &severed{}
			w.options = both(w.options, func(o *reconciler.Options) { watch.Store, o.Store = o.Store, watch })
			p := w.startOne()
			w.register(compute, "apps", "sre")
			w.synced("apps", "sre")
			w.settle()
			watch.sever(true)
			w.eventually("the reconciler is not ready", func() bool { return !p.ready() })
			if k := answer[katalog.KatalogResponse](t, p, "", http.StatusOK); k.OrkReady {
				t.Error("it counts as ready while it sees nothing")
			}
			must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
			w.subscribe(compute, "sre")
			compact()
			watch.sever(false)
			w.synced("apps", "sre")
			w.settle()
			for _, ns := range []string{"apps", "sre"} {
				if all := p.events(t, ns); len(all) != 1 || all[0].Reason != katalog.EventActivated || all[0].Count != 1 {
					t.Errorf("%s: %+v", ns, all)
				}
			}
			must(t, w.Unsubscribe(t.Context(), "sre", compute, nil))
			w.eventually("it is gone", func() bool {
				code, _ := p.get(t, "/katalog/"+compute+"/cr/sre/events")
				return code == http.StatusNotFound
			})
			w.subscribe(compute, "sre")
			w.synced("sre")
			w.settle()
			if all := p.events(t, "sre"); len(all) != 1 {
				t.Errorf("of a namesake: %+v", all)
			}
		})
	}
}
