package reconciler_test

import (
	"testing"

	"kayra/store/catalog"
)

// konductors lists the processes that hold the office.
func (w *world) konductors() []string {
	w.t.Helper()
	all, err := w.Reconcilers(w.t.Context())
	must(w.t, err)
	var ids []string
	for _, r := range all {
		if r.Konductor {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func (w *world) oneKonductor() string {
	w.t.Helper()
	var ids []string
	w.eventually("one process is the konductor", func() bool {
		ids = w.konductors()
		return len(ids) == 1
	})
	return ids[0]
}

// One process is the konductor, and another one is when it ends.
func TestKonductor(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		first := w.oneKonductor()
		for i, p := range w.started {
			if w.identity(i) == first {
				p.stop()
			}
		}
		if w.fleet.processes == 1 {
			w.startOne()
		}
		if second := w.oneKonductor(); second == first {
			t.Errorf("%s is the konductor, although it has ended", first)
		}
		w.register(compute, "sre")
		w.synced("sre")
		w.becomes(compute, catalog.HealthHealthy)
	})
}

// A deleted lease is taken again: the office is never vacant for long.
func TestKonductorsLeaseIsLost(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		w.start()
		w.oneKonductor()
		w.remove(scope().Prefix() + "konductor")
		w.oneKonductor()
		w.register(compute, "sre")
		w.becomes(compute, catalog.HealthHealthy)
	})
}

// The konductor cleans up what it has published of a registration that is no more.
func TestHealthGoesWithItsRegistration(t *testing.T) {
	t.Parallel()
	onFleets(t, extremes(), func(w *world) {
		w.start()
		w.register(compute)
		w.becomes(compute, catalog.HealthHealthy)
		must(t, w.DeleteRegistration(t.Context(), compute, nil))
		w.stays(compute, "")
		w.register(compute)
		w.becomes(compute, catalog.HealthHealthy)
		w.vanish(compute)
		w.becomes(compute, "")
	})
}
