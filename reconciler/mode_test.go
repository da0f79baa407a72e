package reconciler_test

import (
	"strings"
	"testing"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// modes makes a world whose reconcilers have the default mode, and steps of a mode "other" that say so.
func (w *world) modes(fallback string) {
	w.options = func(o *reconciler.Options) { o.DefaultMode = fallback }
	w.steps["other"] = []pipeline.Step{{
		Method: "post", Endpoint: w.app.url + "/sync/{{ .Subscription.Namespace }}",
		Data: map[string]any{"sync_id": "by-other"},
	}}
}

func (w *world) setMode(mode string) {
	w.t.Helper()
	_, err := w.UpdateRegistration(w.t.Context(), compute, catalog.RegistrationChange{Mode: &mode}, nil)
	must(w.t, err)
}

func TestModeIsMissing(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.modes("")
		w.start()
		w.register(compute)
		w.settle()
		seen := w.watch(compute, "sre")
		w.subscribe(compute, "sre")
		w.settle()
		w.wantAt("sre", "", catalog.ReasonNoMode)
		got := w.sub("sre")
		if got.State != catalog.StateError || got.Active ||
			!strings.Contains(got.Message, compute) || !strings.Contains(got.Message, "reconciler.default_mode") {
			t.Errorf("without a mode it is %s, active: %t, for %q", got.State, got.Active, got.Message)
		}
		w.wantCalled("sre", 0)
		seen.want(catalog.StateError)
		w.setMode("other")
		w.synced("sre")
		w.settle()
		w.wantCalled("sre", 1)
		seen.want(catalog.StateError, catalog.StateSuccess)
	})
}

func TestModeGoesBackToNone(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.modes("")
		w.start()
		_, err := w.CreateRegistration(t.Context(), compute, catalog.RegistrationChange{Mode: new("other")})
		must(t, err)
		w.subscribe(compute, "sre")
		w.synced("sre")
		w.settle()
		old := w.sub("sre").CurrentSyncID
		_, err = w.UpdateRegistration(t.Context(), compute, catalog.RegistrationChange{Mode: new(""), SyncID: new("v2")}, nil)
		must(t, err)
		w.settle()
		w.wantAt("sre", old, catalog.ReasonNoMode)
		if got := w.sub("sre"); !got.Active {
			t.Error("a failed sync made the subscription inactive")
		}
	})
}

func TestModeOfTheRegistrationWins(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.modes("api")
		w.start()
		w.register(compute, "sre")
		w.synced("sre")
		w.settle()
		w.setMode("other")
		w.sync(catalog.SyncRequest{})
		w.synced("sre")
		calls := w.app.of("sre")
		if len(calls) != 2 || calls[0].syncID == "by-other" || calls[1].syncID != "by-other" {
			t.Errorf("calls %+v, not one by the default mode and one by the mode that was set", calls)
		}
	})
}

// A mode that is configured nowhere stands for success, and is warned of by name.
func TestModeIsConfiguredNowhere(t *testing.T) {
	t.Parallel()
	everyFleet(t, func(w *world) {
		t := w.t
		w.modes("api")
		w.start()
		_, err := w.CreateRegistration(t.Context(), compute, catalog.RegistrationChange{Mode: new("nightly")})
		must(t, err)
		seen := w.watch(compute, "sre")
		w.subscribe(compute, "sre")
		w.synced("sre")
		w.settle()
		w.wantCalled("sre", 0)
		seen.want(catalog.StateSuccess)
		warned := 0
		for _, line := range w.logged() {
			if line.text("level") == "WARN" && line.text("mode") == "nightly" && line.text("namespace") == "sre" {
				warned++
			}
		}
		if warned != 1 {
			t.Errorf("%d warnings of the mode, not one:\n%s", warned, w.log)
		}
	})
}
