package reconciler_test

import (
	"encoding/json"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

func (w *world) active(ns string) bool {
	w.t.Helper()
	got, err := w.Namespace(w.t.Context(), ns)
	must(w.t, err)
	return got.Active
}

func TestNamespacesAreActivated(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		_, err := w.CreateNamespace(t.Context(), "early")
		must(t, err)
		w.start()
		w.eventually("one that was there at the start is activated", func() bool { return w.active("early") })
		_, err = w.CreateNamespace(t.Context(), "late")
		must(t, err)
		w.eventually("one that is created is activated", func() bool { return w.active("late") })
		w.settle()

		key := scope().Prefix() + "namespaces/late"
		e, err := w.store.Get(t.Context(), key)
		must(t, err)
		var ns catalog.Namespace
		must(t, catalog.Decode(e, &ns))
		ns.Active = false
		inactive, err := json.Marshal(ns)
		must(t, err)
		_, err = w.store.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(key, inactive)}})
		must(t, err)
		w.eventually("one that is written inactive is activated", func() bool { return w.active("late") })

		w.settle()
		mark := w.mark()
		_, err = w.TouchNamespace(t.Context(), "late", nil)
		must(t, err)
		w.settle()
		if got := w.since(mark); len(got) != 1 {
			t.Errorf("%d writes after a client's write to an active namespace, not that one alone", len(got))
		}
	})
}
