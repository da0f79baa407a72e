package reconciler_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

// useless are documents that no subscription moves without, each with what the failure says.
func useless() map[string]struct {
	serve http.HandlerFunc
	says  string
} {
	type bad = struct {
		serve http.HandlerFunc
		says  string
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	return map[string]bad{
		"500":         {status(http.StatusInternalServerError), "answered 500"},
		"404":         {status(http.StatusNotFound), "answered 404"},
		"no content":  {status(http.StatusNoContent), "answered 204"},
		"not JSON":    {serveText("openapi: 3.1.0\npaths: {}\n"), "not an OpenAPI document in JSON"},
		"not OpenAPI": {serveText(`{"hello": "world"}`), `"openapi" field is missing or not 3.x`},
		"Swagger 2.0": {serveText(`{"swagger": "2.0", "paths": {}}`), `"openapi" field is missing or not 3.x`},
		"too large":   {serveText(padded(catalog.MaxDocument + 1)), "more than 1 MiB"},
	}
}

// padded is a document of a size.
func padded(size int) string { return document + strings.Repeat(" ", size-len(document)) }

// heals are the writes that have the document fetched again.
func heals() map[string]func(w *world) error {
	return map[string]func(w *world) error{
		"registration write": func(w *world) error {
			_, err := w.UpdateRegistration(w.t.Context(), compute, catalog.RegistrationChange{Owner: new("sre-b")}, nil)
			return err
		},
		"no-op PUT": func(w *world) error {
			_, err := w.TouchSubscription(w.t.Context(), "sre", compute, nil)
			return err
		},
		"new subscription": func(w *world) error {
			w.subscribe(compute, "late")
			return nil
		},
	}
}

// wantSpecFailed checks that a failed fetch left the subscriptions where they were, and sent nothing.
func (w *world) wantSpecFailed(at, says string, namespaces ...string) {
	w.t.Helper()
	for _, ns := range namespaces {
		w.wantAt(ns, at, catalog.ReasonSpecUnavailable)
		if got := w.sub(ns); got.State != catalog.StateError || !strings.Contains(got.Message, says) || !got.Active {
			w.t.Errorf("%s is %s, active: %t, for %q; want an error that says %q", ns, got.State, got.Active, got.Message, says)
		}
		w.wantCalled(ns, 0)
	}
}

func (w *world) wantFetched(want int) {
	w.t.Helper()
	if got := w.app.fetched(); got != want {
		w.t.Errorf("the document was fetched %d times, not %d", got, want)
	}
}

// A document that cannot be had fails all that wait for it, by two fetches a trigger. One that comes is a trigger for them.
func TestDocumentIsMandatory(t *testing.T) {
	t.Parallel()
	kinds := useless()
	ways := slices.Sorted(maps.Keys(heals()))
	for i, name := range slices.Sorted(maps.Keys(kinds)) {
		bad, how := kinds[name], ways[i%len(ways)]
		t.Run(name+", healed by a "+how, func(t *testing.T) {
			t.Parallel()
			onFleets(t, extremes(), func(w *world) {
				t := w.t
				w.start()
				w.app.document(serveText(document))
				w.register(compute, "apps", "core", "sre")
				w.synced("apps", "core", "sre")
				w.settle()
				old := w.sub("sre").CurrentSyncID
				w.app.document(bad.serve)
				w.app.forget()
				w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
				w.settle()
				w.wantSpecFailed(old, bad.says, "sre")
				w.wantAt("apps", old, catalog.ReasonCanaryHold)
				if got := w.sub("apps"); got.State != catalog.StateSuccess {
					t.Errorf("apps is %s, though it is held", got.State)
				}
				w.wantFetched(2)

				w.sync(catalog.SyncRequest{})
				w.settle()
				w.wantSpecFailed(old, bad.says, "apps", "core", "sre")
				w.wantFetched(4)

				w.app.document(serveText(document))
				w.app.forget()
				must(t, heals()[how](w))
				w.allSynced()
				w.settle()
				w.wantFetched(1)
				for _, ns := range []string{"apps", "core", "sre"} {
					w.wantCalled(ns, 1)
					if w.sub(ns).CurrentSyncID == old {
						t.Errorf("%s did not move when the document came by a %s", ns, how)
					}
				}
			})
		})
	}
}

func TestGatewayHangs(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.gateway.Timeout = 100 * time.Millisecond
		w.start()
		w.app.document(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		w.register(compute)
		w.settle()
		w.wantFetched(2)
		w.subscribe(compute, "sre")
		w.settle()
		w.wantFetched(4)
		w.wantAt("sre", "", catalog.ReasonSpecUnavailable)
		if got := w.sub("sre"); got.State != catalog.StateError || !strings.Contains(got.Message, "timed out after 100ms") {
			t.Errorf("it is %s for %q", got.State, got.Message)
		}
	})
}

// No gateway is a failure like any other. A reconciler's start is a trigger, also for the fetch.
func TestNoGateway(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		url := w.gateway.URL
		w.gateway.URL = ""
		w.start()
		w.register(compute, "sre")
		w.settle()
		w.wantAt("sre", "", catalog.ReasonSpecUnavailable)
		if got := w.sub("sre"); got.State != catalog.StateError || !strings.Contains(got.Message, "reconciler.gateway_url is not set") {
			t.Errorf("without a gateway it is %s for %q", got.State, got.Message)
		}
		for _, p := range w.started {
			p.stop()
		}
		w.gateway.URL = url
		w.startOne()
		w.synced("sre")
		w.wantFetched(1)
	})
}

// What reconcilers write while a fetch fails is no trigger for another one.
func TestRunEndsAfterTheFetchHasFailed(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		calls := w.hold(of("sre"))
		w.register(compute, "apps", "sre")
		w.synced("apps")
		run := w.next(calls)
		w.app.document(serveText("none"))
		w.app.forget()
		w.sync(catalog.SyncRequest{})
		w.eventually("the failure is recorded", func() bool { return w.sub("apps").State == catalog.StateError })
		run.answer(http.StatusOK)
		w.eventually("the run's failure is recorded", func() bool { return w.sub("sre").Reason == catalog.ReasonSpecUnavailable })
		w.settle()
		w.wantFetched(2)
		w.wantAt("sre", run.syncID, catalog.ReasonSpecUnavailable)
	})
}

// A registration that is deleted while its document is fetched leaves nothing behind.
func TestRegistrationIsDeletedDuringTheFetch(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		fetching, proceed := make(chan struct{}), make(chan struct{})
		w.app.document(func(rw http.ResponseWriter, r *http.Request) {
			fetching <- struct{}{}
			<-proceed
			serveText(document)(rw, r)
		})
		w.register(compute)
		<-fetching
		must(t, w.DeleteRegistration(t.Context(), compute, nil))
		close(proceed)
		w.settle()
		w.wantNoLocks()
		if got := w.documents(); len(got) > 0 {
			t.Errorf("documents of a deleted registration: %v", got)
		}
		w.app.document(serveText(document))
		w.register(compute, "sre")
		w.synced("sre")
	})
}

// A store may be set to take less than a document. Trying again would not mend that.
func TestDocumentThatTheStoreRefuses(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, etcdtest.MaxRequest(100<<10))
	options := etcd.Options{Endpoints: server.Endpoints(), Prefix: server.Prefix(t), RequestTimeout: patience}
	w := newWorldOn(t, fleet{"etcd", 1}, onEtcd(options))
	w.start()
	w.app.document(serveText(padded(200 << 10)))
	w.register(compute, "sre")
	w.eventually("the fetch has failed", func() bool { return w.sub("sre").State == catalog.StateError })
	w.settle()
	if got := w.sub("sre"); got.Reason != catalog.ReasonSpecUnavailable ||
		!strings.Contains(got.Message, "204800 bytes") || !strings.Contains(got.Message, "--max-request-bytes") {
		t.Errorf("the subscription says %s: %s", got.Reason, got.Message)
	}
	w.app.document(serveText(document))
	w.sync(catalog.SyncRequest{})
	w.synced("sre")
}
