package reconciler_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"kayra/reconciler"
	"kayra/store/catalog"
)

// line is a line of the log.
type line map[string]any

func (l line) text(key string) string {
	text, _ := l[key].(string)
	return text
}

// logged is what the reconcilers have logged.
func (w *world) logged() []line {
	w.t.Helper()
	var lines []line
	for text := range strings.Lines(w.log.String()) {
		var l line
		must(w.t, json.Unmarshal([]byte(text), &l))
		lines = append(lines, l)
	}
	return lines
}

// Whatever is logged about a job tells which slot worked toward which sync id.
func TestEveryLineOfAJobNamesItsSlotAndItsTarget(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		const slots = 3
		w.options = func(o *reconciler.Options) { o.MaxConcurrent = slots }
		w.start()
		w.app.behave(fails("failing"))
		w.app.document(serveText("none"))
		w.register(compute, "apps", "failing")
		w.settle()
		targets := map[string]bool{"": true, w.sub("apps").ExpectedSyncID: true}
		w.app.document(serveText(document))
		targets[w.sync(catalog.SyncRequest{}).SyncID] = true
		w.settle()
		targets[w.sync(catalog.SyncRequest{CanaryNamespaces: []string{"apps"}}).SyncID] = true
		w.settle()
		w.setMode("nightly")
		w.sync(catalog.SyncRequest{Abort: true})
		w.settle()

		ofProcess := []string{
			"the watch of the store runs", "this reconciler is the konductor now", "workers started", "health changed",
		}
		seen := map[string]int{}
		for _, l := range w.logged() {
			message := l.text("msg")
			seen[message]++
			if slices.Contains(ofProcess, message) {
				continue
			}
			slot, ok := l["lock_id"].(float64)
			if !ok || slot < 0 || slot >= slots {
				t.Errorf("lock_id %v: %v", l["lock_id"], l)
			}
			if syncID, ok := l["sync_id"].(string); !ok || !targets[syncID] {
				t.Errorf("sync_id %v: %v", l["sync_id"], l)
			}
			if (l.text("api") == "") != (l.text("sync_id") == "") {
				t.Errorf("a job for an API has a target, the activation of a namespace has none: %v", l)
			}
		}
		for _, want := range []string{
			"namespace activated", "activated", "reconciled", "sync failed", "step succeeded", "step failed",
			"the attempt failed and is retried right away", "OpenAPI document fetched",
			"the OpenAPI document could not be fetched: no subscription moves to this sync id",
			"the mode is configured nowhere: nothing is sent, and the sync counts as done",
		} {
			if seen[want] == 0 {
				t.Errorf("no line says %q", want)
			}
		}
	})
}
