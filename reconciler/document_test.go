package reconciler_test

import (
	"strings"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

func TestOneFetchForAll(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		names := w.crowd(50)
		w.allSynced()
		w.settle()
		w.wantFetched(1)
		w.sync(catalog.SyncRequest{})
		w.allSynced()
		w.settle()
		w.wantFetched(2)
		for _, ns := range names {
			w.wantCalled(ns, 2)
		}
	})
}

func TestDocumentIsFetchedWithoutSubscribers(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		full := padded(catalog.MaxDocument)
		w.app.document(serveText(full))
		w.register(compute)
		w.settle()
		w.wantFetched(1)
		if got, err := w.Document(t.Context(), compute); err != nil || string(got) != full {
			t.Errorf("the document that is kept has %d bytes, not %d: %v", len(got), len(full), err)
		}
		apis, err := w.APIs(t.Context())
		must(t, err)
		if len(apis) != 1 || len(apis[0].Resources) != 1 || apis[0].Resources[0].Name != "machines" {
			t.Errorf("the resources are %+v", apis)
		}
		w.app.document(serveText("none"))
		w.sync(catalog.SyncRequest{})
		w.settle()
		w.wantFetched(3)
	})
}

func (w *world) documents() []string {
	w.t.Helper()
	var ids []string
	for _, kind := range []string{"documents/", "resources/"} {
		prefix := kind + scope().String() + "/" + compute + "/"
		l, err := w.store.List(w.t.Context(), prefix, store.ListOptions{})
		must(w.t, err)
		for _, e := range l.Entries {
			ids = append(ids, strings.TrimPrefix(e.Key, prefix))
		}
	}
	return ids
}

// The documents that the registration can go back to are kept, so that an abort needs no fetch. All others go.
func TestDocumentsAreKeptAsLongAsTheyAreOfUse(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.start()
		old, _ := w.canary("sre")
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"core"}})
		w.settle()
		if got := w.documents(); len(got) != 4 { // with the resources of each
			t.Errorf("documents after two canaries: %v", got)
		}
		w.app.document(serveText("none"))
		w.app.forget()
		w.sync(catalog.SyncRequest{Abort: true})
		w.settle()
		w.wantFetched(0)
		w.wantAt("sre", old, catalog.ReasonSynced)
		w.app.document(serveText(document))
		for range 3 {
			w.sync(catalog.SyncRequest{})
			w.allSynced()
			w.settle()
		}
		if got := w.documents(); len(got) > 4 {
			t.Errorf("documents after three syncs: %v", got)
		}
		for _, ns := range []string{"apps", "core", "sre"} {
			must(t, w.Unsubscribe(t.Context(), ns, compute, nil))
		}
		must(t, w.DeleteRegistration(t.Context(), compute, nil))
		w.settle()
		if got := w.documents(); len(got) > 0 {
			t.Errorf("documents of a deleted registration: %v", got)
		}
	})
}

// An id that was given to everyone can be gone back to, even if not everyone reached it.
func TestAbortToAnIDThatIsNotGood(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		w.register(compute, "apps", "sre")
		w.synced("apps", "sre")
		w.settle()
		w.app.behave(fails("sre"))
		released := w.sync(catalog.SyncRequest{}).SyncID
		w.settle()
		w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"apps"}})
		w.settle()
		w.app.document(serveText("none"))
		w.app.behave(succeeds)
		w.app.forget()
		w.sync(catalog.SyncRequest{Abort: true})
		w.settle()
		w.wantFetched(0)
		for _, ns := range []string{"apps", "sre"} {
			w.wantAt(ns, released, catalog.ReasonSynced)
			w.wantCalled(ns, 1)
		}
	})
}
