package tui_test

import (
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/reconciler/katalog"
	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/tuitest"
)

func TestTheOverviewShowsWhatIsTold(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sees("connecting", "Nothing has been told yet")
		d.sample()
		d.sees("live", "sandbox/eu-west-1", "v1.4.0", "7 APIs", "\u2717 degraded", "63/100", "\u25c6 2", "\u2016 paused")
	})
}

func TestKeysOfAList(t *testing.T) {
	t.Parallel()
	const first, second, third, last = "a-very-long-name-of-", "billing.example.com", "compute.example.com", "storage.example.com"
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"none":           {nil, first},
		"j":              {[]string{"j"}, second},
		"down":           {[]string{"down", "down"}, third},
		"k":              {[]string{"j", "j", "k"}, second},
		"up":             {[]string{"down", "down", "up"}, second},
		"past the top":   {[]string{"k", "k", "j"}, second},
		"G":              {[]string{"G"}, last},
		"past the end":   {[]string{"G", "j", "j", "k"}, "network.example.com"},
		"g":              {[]string{"G", "g"}, first},
		"end and home":   {[]string{"end", "home"}, first},
		"pages":          {[]string{"pgdown"}, last},
		"space":          {[]string{" "}, last},
		"ctrl-f, ctrl-b": {[]string{"ctrl+f", "ctrl+b"}, first},
		"pgup":           {[]string{"G", "pgup"}, first},
		"by failures":    {[]string{"4", "g"}, "dns.example.com"},
		"by health":      {[]string{"2", "g"}, "dns.example.com"},
		"the other way":  {[]string{"1", "g"}, last},
		"both ways":      {[]string{"1", "1", "g"}, first},
		"no such column": {[]string{"9", "g"}, last}, // there is one: the history
		"unknown key":    {[]string{"x", "F"}, first},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drive(t, nil, func(d *driver) {
				d.sample()
				d.press(c.keys...)
				if got := d.selected(); len(got) < len(c.want) || got[:len(c.want)] != c.want {
					t.Errorf("selected %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestOpenAndBack(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("G", "enter")
		d.sees("overview \u203a storage.example.com", "team-0063", "timed out", "target "+tuitest.NewID)
		d.press("enter")
		d.sees("storage.example.com \u203a team-0063", "RUN", "create", "ReconcileError", "no value of .status")
		d.press("enter") // there is nothing below
		d.press("esc")
		d.sees("1 of 100")
		d.press("backspace")
		d.misses("\u203a")
		if got := d.selected(); got != "storage.example.com" {
			t.Errorf("back at %q", got)
		}
		d.press("esc", "esc") // nowhere to go
		d.sees("7 APIs")
	})
}

// What nobody has told is not said to be nothing.
func TestWhatIsNotKnownOfARun(t *testing.T) {
	t.Parallel()
	key := fleet.Key{API: "storage.example.com", Namespace: "team-0063"}
	for name, c := range map[string]struct {
		detail fleet.Detail
		source fleet.Source
		want   []string
		misses []string
	}{
		"by nobody": {
			fleet.Detail{Key: key, Problem: "no reconciler is alive that could tell more"},
			fleet.Source{Synced: true},
			[]string{"not known: no", "reconciler is alive"},
			[]string{"RUN", "EVENTS", "remembered"},
		},
		"to somebody who may not see reconcilers": {
			fleet.Detail{Key: key, Problem: "the server has not told"},
			fleet.Source{Trouble: fleet.Denied, Problem: "ann may not list reconcilers"},
			[]string{"not known: ann", "may not list reconcilers"},
			[]string{"RUN", "EVENTS", "remembered", "has not told"},
		},
		"since the one that made it has ended": {
			fleet.Detail{Key: key, Reconciler: "b", Attempt: &katalog.CRAttempt{Number: 1, Phase: "success", Reconciler: "a"}},
			fleet.Source{Synced: true},
			[]string{"RUN", "No step of it is remembered", "EVENTS"},
			[]string{"Nothing was sent"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drive(t, nil, func(d *driver) {
				d.client.Tells = &c.detail
				d.sample()
				c.source.Name = fleet.AllReconcilers
				d.tell(c.source)
				d.press("G", "enter", "enter")
				d.sees(c.want...)
				d.misses(c.misses...)
			})
		})
	}
}

// Who may see nothing is told so, and what else there is.
func TestNothingMayBeSeen(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		var all []fleet.Update
		for _, name := range []string{fleet.Registrations, fleet.AllSubscriptions, fleet.AllReconcilers, fleet.Katalog} {
			all = append(all, fleet.Source{Name: name, Trouble: fleet.Denied, Problem: "ann may not list " + name})
		}
		d.tell(all...)
		d.sees("not allowed", "You may not see the subscriptions", "-n NAMESPACE")
		d.misses("live", "told yet")
		d.press("w")
		d.sees("You may not see reconcilers")
		d.press("d")
		d.sees("You may not see the subscriptions")
		d.press(":")
		d.typeIn("ns sre")
		d.press("enter")
		d.sees("-n NAMESPACE")
		d.misses("told of subscriptions yet")
	})
}

// How many workers are busy is not said where no reconciler has told.
func TestNoReconcilerTells(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.sees("15/60", "/60")
		for _, id := range []string{"0b9c", "7e21"} {
			d.tell(&fleet.Word{Reconciler: id, Problem: "it is not asked"})
		}
		d.misses("0/?", "/60")
	})
}

func TestNobodyReconciles(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.misses("No reconciler is running")
		d.tell(&fleet.Reconcilers{Whole: true})
		d.sees("No reconciler is running")
		d.press("enter")
		d.sees("No reconciler is running")
	})
}

func TestTheSelectionIsKeptByName(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("G", "enter", "j", "j", "j")
		before := d.selected()
		d.press("1") // by namespace: it is another place
		if got := d.selected(); got != before || before == "" {
			t.Errorf("selected %q, then %q", before, got)
		}
	})
}

func TestQuit(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{
		{"q"}, {"ctrl+c"}, {":", "q", "enter"}, {"/", "a", "ctrl+c"}, {"z", "ctrl+c"}, {"enter", "enter", "q"}, {"?", "q"},
	} {
		t.Run(keys[0], func(t *testing.T) {
			t.Parallel()
			drive(t, nil, func(d *driver) {
				d.sample()
				d.press(keys...)
				if !d.quit || !d.model.Quit() {
					t.Errorf("%q did not quit", keys)
				}
			})
		})
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		for _, c := range []struct {
			width, height int
			sees, misses  string
		}{
			{80, 24, "7 APIs", "too small"},
			{59, 24, "HEALTH", "BUSY"},
			{40, 12, "HEALTH", "7 APIs"},
			{39, 12, "too small", "HEALTH"},
			{40, 11, "too small", "HEALTH"},
			{120, 40, "LAST 5 MINUTES", "too small"},
			{1, 1, "T", "HEALTH"},
		} {
			d.send(tea.WindowSizeMsg{Width: c.width, Height: c.height})
			d.pass(time.Second)
			d.sees(c.sees)
			d.misses(c.misses)
		}
	})
}

func TestResizesAreTakenWhenTheyAreOver(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		for width := 79; width >= 50; width-- {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
		}
		d.sees("BUSY") // as it was
		d.pass(100 * time.Millisecond)
		d.misses("BUSY")
	})
}

func TestReadOnlyDoesNothing(t *testing.T) {
	t.Parallel()
	drive(t, func(o *tui.Options) { o.ReadOnly = true }, func(d *driver) {
		d.sample()
		d.sees("read-only")
		d.press("j", "j", "enter")
		for _, k := range []string{"s", "S", "c", "P", "A", "z"} {
			d.press(k)
			d.sees("--read-only")
			d.misses("No")
			d.press("y", "enter", "esc")
			d.press("j")
		}
		if got := d.client.Actions(); len(got) > 0 {
			t.Errorf("it did %v", got)
		}
	})
}

func TestKeysThatComeTogether(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("jjjk")})
		if got := d.selected(); got != "compute.example.com" {
			t.Errorf("selected %q", got)
		}
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("g/dns")})
		d.sees("/dns", "1 of 1")
		d.press("esc")
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("q"), Paste: true})
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("zy"), Paste: true})
		if d.quit || len(d.client.Actions()) > 0 {
			t.Error("what was pasted was taken for keys")
		}
		d.press("/")
		d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("network"), Paste: true})
		d.sees("1 of 1", "network.example.com")
	})
}
