package tui_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout/rollouttest"
	"kayra/tui"
)

func TestCanary(t *testing.T) {
	t.Parallel()
	const storage = "storage.example.com"
	rolling(t, 3, func(o *tui.Options) { o.Label = "staging" }, func(d *driver, server *rollouttest.Fake) {
		d.press("G", "c")
		d.sees("Canary \u203a storage.example.com", "staging  sandbox", "Which namespaces", "team-0002")
		d.press(" ", "enter")
		d.sees("What the canary does", "kayra rollout start storage.example.com --canary team-0000")
		d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
		d.pass(time.Second)
		d.sees("What the canary does")
		d.press("enter")
		d.sees("alone?")
		if sent := server.Sent(); len(sent) > 0 {
			t.Fatalf("sent %q without a yes", sent)
		}
		d.press("y")
		d.sees("The canary on its way to v2", "0/1 synced")
		server.Set(storage, rollouttest.Synced("team-0000", "v2"))
		d.pass(time.Second)
		d.sees("1 of 1 are there")
		d.press("l")
		d.sees("storage.example.com: canary at v2")
		d.misses("Canary")
		want := fmt.Sprintf(syncOf, storage, `{"canary_namespaces":["team-0000"],"expected_sync_id":"v1"}`)
		if sent := server.Sent(); len(sent) != 1 || sent[0] != want {
			t.Errorf("sent %q, want %s", sent, want)
		}
	})
}

func TestACanaryThatIsLeft(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{
		"Esc": {"esc"}, "Esc twice": {" ", "enter", "esc", "esc"}, "q": {"q"}, "Ctrl-C": {" ", "enter", "enter", "ctrl+c"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
				d.press("G", "c")
				d.press(keys...)
				d.sees("Nothing was changed.", "7 APIs")
				if sent := server.Sent(); len(sent) > 0 || d.quit {
					t.Errorf("sent %q, quit %t", sent, d.quit)
				}
				d.press("c") // it can be begun again
				d.sees("Which namespaces")
			})
		})
	}
}

func TestACanaryThatIsPending(t *testing.T) {
	t.Parallel()
	rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
		d.press("j", "j", "c")
		d.sees("is pending")
		d.press("a", "enter", "y")
		d.sees("Back to v1")
		d.press("ctrl+c")
		d.sees("compute.example.com: aborted, back to v1, and it goes on.", "7 APIs")
		if sent := server.Sent(); len(sent) != 1 {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestACanaryThatCannotBegin(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("G", "c")
		d.sees("Canary of storage.example.com", "there is no engine")
		d.press("esc")
		d.misses("there is no engine")
	})
	rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
		server.Break(errors.New("the server is on fire"))
		d.press("G", "c")
		d.sees("the server is on fire")
		d.press("esc")
		d.sees("the server is on fire", "7 APIs")
	})
}
