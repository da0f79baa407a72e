package tui_test

import (
	"testing"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/tuitest"
)

// What a colour tells, a word or a glyph tells as well: without styles, no two states look alike.
func TestStatesAreToldWithoutColors(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct {
		states map[string]fleet.Update
		api    string
		line   string // that tells
	}{
		"reasons": {reasons(), "billing.example.com", "team-0000"},
		"health":  {healths(), "", "empty.example.com"},
		"sources": {sources(), "", "kayra"},
	} {
		for name, th := range themes() {
			t.Run(kind+" in "+name, func(t *testing.T) {
				t.Parallel()
				drive(t, func(o *tui.Options) { o.Theme, o.API = th, c.api }, func(d *driver) {
					d.sample()
					seen := map[string]string{}
					for state, update := range c.states {
						d.tell(update)
						line := d.line(c.line)
						if other, taken := seen[line]; taken || line == "" {
							t.Errorf("%s and %s look the same: %q", state, other, line)
						}
						seen[line] = state
					}
				})
			})
		}
	}
}

// reasons are all that a subscription may have for being as it is.
func reasons() map[string]fleet.Update {
	all := map[string]fleet.Update{}
	at := time.Now().Add(-100 * 24 * time.Hour)
	for _, reason := range []catalog.Reason{
		catalog.ReasonSynced, catalog.ReasonRunning, catalog.ReasonCanaryHold, catalog.ReasonPaused, catalog.ReasonInit, catalog.ReasonQueued,
		catalog.ReasonWaitingDependency, catalog.ReasonBackoff, catalog.ReasonSpecUnavailable, catalog.ReasonNoMode, catalog.ReasonStepFailed,
		catalog.ReasonTimeout, catalog.ReasonInterrupted, "one of a later version",
	} {
		row := tuitest.Row("billing.example.com", "team-0000", tuitest.OldID, reason, at)
		row.Message, row.State, row.CurrentSyncID = "", catalog.StateSuccess, tuitest.OldID
		all[string(reason)] = &fleet.Subscriptions{At: at, Late: true, Changes: []fleet.SubscriptionChange{{Subscription: row}}}
	}
	return all
}

func healths() map[string]fleet.Update {
	all := map[string]fleet.Update{}
	for _, state := range catalog.HealthStates() {
		all[string(state)] = &fleet.Figures{Katalog: &api.Katalog{CRDs: []api.KatalogAPI{{Name: "empty.example.com", State: state}}}}
	}
	return all
}

func sources() map[string]fleet.Update {
	all := map[string]fleet.Update{"live": fleet.Source{Name: fleet.AllSubscriptions, Synced: true}}
	for _, trouble := range []fleet.Trouble{fleet.Offline, fleet.Refused} {
		all[string(trouble)] = fleet.Source{Name: fleet.AllSubscriptions, Trouble: trouble, Problem: "no"}
	}
	return all
}

// The row that is selected, and the choice that Enter takes, are pointed at.
func TestTheSelectionIsToldWithoutColors(t *testing.T) {
	t.Parallel()
	for name, th := range themes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drive(t, func(o *tui.Options) { o.Theme = th }, func(d *driver) {
				d.sample()
				d.sees(th.Pointer + " a-very")
				d.press("j")
				d.sees(th.Pointer + " billing")
				d.press("z")
				d.sees(th.Pointer + " No ")
				d.press("tab")
				d.sees(th.Pointer + " Yes ")
			})
		})
	}
}
