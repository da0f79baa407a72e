package tui_test

import (
	"slices"
	"testing"
	"time"

	"kayra/rollout/rollouttest"
	"kayra/store/catalog"
	"kayra/tui/fleet"
	"kayra/tui/tuitest"
)

// Every key of the help does something where it can, and says why where it cannot: none is dead.
func TestEveryKeyOfTheHelp(t *testing.T) {
	t.Parallel()
	at := map[string][]string{ // where a key has something to do, if that is not in the middle of the overview
		"r": {"j"}, "S": {"G", "enter"}, "P": {"j", "j"}, "A": {"j", "j"}, "esc": {"enter"}, "backspace": {"enter"}, "left": {"enter"}, "h": {"enter"},
	}
	for _, key := range keysOfHelp(t) {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			rolling(t, 3, nil, func(d *driver, _ *rollouttest.Fake) {
				where, special := at[key]
				if !special {
					where = []string{"j", "j", "j"}
				}
				d.press(where...)
				before := d.view()
				d.press(key)
				if d.view() == before && !d.quit && key != "ctrl+z" {
					t.Errorf("%s does nothing:\n%s", key, before)
				}
				if d.quit != (key == "q" || key == "ctrl+c") {
					t.Errorf("it quits: %t", d.quit)
				}
			})
		})
	}
}

func keysOfHelp(t *testing.T) []string {
	t.Helper()
	var keys []string
	rolling(t, 3, nil, func(d *driver, _ *rollouttest.Fake) { keys = d.model.Keys() })
	if len(keys) < 30 || !slices.Contains(keys, "c") {
		t.Fatalf("the keys are %q", keys)
	}
	return keys
}

// The row that is selected stays so by its name, wherever others move it, and keys are about it.
func TestTheSelectionStaysWhereRowsMove(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("G", "enter", "j", "j", "j", "j")
		chosen := d.selected()
		if chosen != "team-0065" {
			t.Fatalf("selected %q", chosen)
		}
		for i, reason := range []catalog.Reason{catalog.ReasonSynced, catalog.ReasonStepFailed, catalog.ReasonBackoff, catalog.ReasonQueued} {
			var changes []fleet.SubscriptionChange
			for _, name := range []string{chosen, "team-0001", "team-0090"} {
				changes = append(changes, fleet.SubscriptionChange{Subscription: tuitest.Row("storage.example.com", name, tuitest.NewID, reason, time.Now())})
			}
			d.tell(&fleet.Subscriptions{At: time.Now(), Changes: changes})
			if got := d.selected(); got != chosen {
				t.Errorf("after %d changes %q is selected, not %q", i+1, got, chosen)
			}
		}
		d.press("S", "y")
		if got := d.client.Actions(); len(got) != 1 || got[0].Namespace != chosen {
			t.Errorf("did %v", got)
		}
		d.tell(&fleet.Subscriptions{At: time.Now(), Changes: []fleet.SubscriptionChange{{Subscription: tuitest.Row("storage.example.com", chosen, "", "", time.Now()), Gone: true}}})
		if got := d.selected(); got == chosen || got == "" {
			t.Errorf("%q is selected, which is gone", got)
		}
	})
}

// A dialog is about what it was opened for, whatever happens below it.
func TestADialogKeepsItsSubject(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("G", "z")
		d.tell(&fleet.APIs{Whole: true})
		d.sees("Pause storage.example.com?")
		d.press("y")
		if got := d.client.Actions(); len(got) != 1 || got[0].API != "storage.example.com" {
			t.Errorf("did %v", got)
		}
	})
}
