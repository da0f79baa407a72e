package reconciler_test

import (
	"net/http"
	"syscall"
	"testing"

	"kayra/store/catalog"
)

// konductor is the process that holds the office.
func (w *town) konductor() *child {
	w.t.Helper()
	id := w.oneKonductor()
	for _, c := range w.children {
		if c.id == id {
			return c
		}
	}
	w.t.Fatalf("%s is the konductor, and is no process of this town", id)
	return nil
}

// The office of a konductor that was killed goes to another process, which decides what is left to decide.
func TestKilledKonductor(t *testing.T) {
	t.Parallel()
	w := newTown(t, "etcd")
	w.spawn()
	w.spawn()
	first := w.konductor()
	w.register(compute, "sre")
	w.allSynced()
	w.settle()
	w.becomes(compute, catalog.HealthHealthy)
	first.kill()
	w.app.behave(func(call) int { return http.StatusInternalServerError })
	for range 3 { // most likely before the lease has run out, so that nobody decides
		w.resync(compute)
		w.settle()
	}
	w.eventually("another process is the konductor", func() bool {
		ids := w.konductors()
		return len(ids) == 1 && ids[0] != first.id
	})
	w.becomes(compute, catalog.HealthDegraded)
}

// One that was stopped for longer than its lease decides nothing when it goes on.
func TestKonductorThatWasAsleep(t *testing.T) {
	t.Parallel()
	w := newTown(t, "etcd")
	w.spawn()
	w.spawn()
	first := w.konductor()
	w.signal(first, syscall.SIGSTOP)
	w.eventually("another process is the konductor", func() bool {
		ids := w.konductors()
		return len(ids) == 1 && ids[0] != first.id
	})
	second := w.konductor()
	w.signal(first, syscall.SIGCONT)
	w.register(compute, "sre")
	w.becomes(compute, catalog.HealthHealthy)
	w.settle()
	if id := w.oneKonductor(); id != second.id {
		t.Errorf("%s is the konductor again, not %s", id, second.id)
	}
}

// A konductor that is killed while a team is being told leaves that to its successor, who hands over the same event.
func TestKonductorIsKilledDuringADelivery(t *testing.T) {
	t.Parallel()
	b := newBureau(t)
	w := newTown(t, "etcd", func(p *plan) { p.Serve = b.url })
	w.spawn()
	w.spawn()
	first := w.konductor()
	w.owned("sre")
	begun, _ := b.stuck(t)
	w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"sre"}})
	was := <-begun
	b.behave(delivers)
	first.kill()
	w.wantTold(b, "rollout_started")
	if _, heard := b.all(); !heard[0].At.Equal(was.At) || heard[0].Reconciler != first.id {
		t.Errorf("%+v is not %+v", heard[0], was)
	}
}
