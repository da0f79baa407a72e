package reconciler_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"kayra/store/catalog"
)

// Processes that see the same change share the work, and lose little of their time to each other.
func TestFanOutOverThreeProcesses(t *testing.T) {
	t.Parallel()
	const subscribers = 300
	w := newTown(t, "etcd", func(p *plan) { p.LeaseTTL = time.Minute }) // which no process loses, however slow the machine is
	names := w.crowd(subscribers)
	for range 3 {
		w.spawn()
	}
	w.allSynced()
	w.settle()
	w.app.forget()
	overtaken := w.overtaken()
	w.app.behave(func(call) int {
		<-time.After(10 * time.Millisecond) // so long the step takes
		return http.StatusOK
	})
	id := w.sync(catalog.SyncRequest{}).SyncID
	w.allSynced()
	w.settle()
	for _, ns := range names {
		w.wantCalls(ns, 1)
	}
	if n := w.app.fetched(); n != 1 {
		t.Errorf("%d fetches of the document", n)
	}
	for _, c := range w.children {
		share := 0
		for line := range strings.Lines(c.logged()) {
			if strings.Contains(line, `"msg":"reconciled"`) && strings.Contains(line, `"lock_id":`) && strings.Contains(line, id) {
				share++
			}
		}
		t.Logf("%s reconciled %d of %d", c.id, share, subscribers)
		if share == 0 {
			t.Errorf("%s took no part", c.id)
		}
	}
	lost := w.overtaken() - overtaken
	t.Logf("%.0f transactions were overtaken", lost)
	if lost >= subscribers { // as most would be if all processes went through the jobs in the same order
		t.Errorf("%.0f transactions were overtaken for %d subscribers", lost, subscribers)
	}
}

func (w *town) overtaken() float64 {
	w.t.Helper()
	sum := 0.0
	for _, c := range w.children {
		sum += w.metric(c, "kayra_reconciler_overtaken_total")
	}
	return sum
}
