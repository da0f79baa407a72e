package tui_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/tuitest"
)

// rolling is a dashboard above a server of rollouts, which has compute.example.com with a pending canary, and storage.example.com with
// so many subscriptions.
func rolling(t *testing.T, tenants int, change func(*tui.Options), fn func(d *driver, server *rollouttest.Fake)) {
	t.Helper()
	server := rollouttest.NewFake()
	furnish(server, tenants)
	drive(t, func(o *tui.Options) {
		o.Place = rollout.Place{Program: "kayra", Server: "http://localhost:8080"}
		if change != nil {
			change(o)
		}
	}, func(d *driver) {
		d.client.Engine = engineOf(server)
		d.sample()
		fn(d, server)
	})
}

// furnish has a server have compute.example.com with a pending canary, and storage.example.com with so many subscriptions.
func furnish(server *rollouttest.Fake, tenants int) {
	server.Register("compute.example.com", "apps", "sre", "team-0000", "team-0001")
	server.Edit("compute.example.com", func(r *api.Registration) { r.SyncID, r.CanaryNamespaces = "v1-canary", []string{"apps", "sre"} })
	server.Set("compute.example.com", rollouttest.Synced("apps", "v1-canary"), rollouttest.Failed("sre", "v1", "v1-canary"))
	names := make([]string, tenants)
	for i := range names {
		names[i] = fmt.Sprintf("team-%04d", i)
	}
	server.Register("storage.example.com", names...)
}

func engineOf(server *rollouttest.Fake) *rollout.Engine {
	return rollout.New(server, rollouttest.Group)
}

const syncOf = "PUT /apis/catalog.example.com/v1/apiregistrations/%s/sync %s"

func TestActions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  []string // selects the API
		key  string
		says []string
		sent string
		done string
	}{
		"sync": {
			[]string{"G"},
			"s",
			[]string{"Sync storage.example.com for everyone?", "sandbox  sandbox/eu-west-1", "v1", "mints", "3 namespaces: team-0000, team-0001, team-0002", "kayra sync storage.example.com --expect-sync-id v1"},
			fmt.Sprintf(syncOf, "storage.example.com", `{"expected_sync_id":"v1"}`), "storage.example.com: sync to v2.",
		},
		"release": {
			[]string{"j", "j"},
			"P",
			[]string{"Release the canary of compute.example.com", "v1-canary, which the canaries have", "3 namespaces: sre, team-0000, team-0001", "canary sre ended in error"},
			fmt.Sprintf(syncOf, "compute.example.com", `{"release":true,"expected_sync_id":"v1-canary"}`), "compute.example.com: released v1-canary to everyone.",
		},
		"abort": {
			[]string{"j", "j"},
			"A",
			[]string{"Abort the canary of compute.example.com", "v1-canary", "v1", "2 namespaces: apps, sre"},
			fmt.Sprintf(syncOf, "compute.example.com", `{"abort":true,"expected_sync_id":"v1-canary"}`), "compute.example.com: aborted, back to v1.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
				d.press(c.row...)
				for _, no := range [][]string{{"esc"}, {"enter"}, {"n"}, {"q"}, {"tab", "tab", "enter"}} { // No is what Enter says
					d.press(c.key)
					d.sees(c.says...)
					d.press(no...)
					d.sees("Nothing was changed")
				}
				if sent := server.Sent(); len(sent) > 0 {
					t.Fatalf("sent %q without a yes", sent)
				}
				d.press(c.key)
				d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("yyy")}) // one yes
				d.sees(c.done)
				if sent := server.Sent(); len(sent) != 1 || sent[0] != c.sent {
					t.Errorf("sent %q, want %s", sent, c.sent)
				}
			})
		})
	}
}

func TestYesByTab(t *testing.T) {
	t.Parallel()
	rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
		d.press("G", "s", "tab", "enter")
		if sent := server.Sent(); len(sent) != 1 {
			t.Errorf("sent %q", sent)
		}
	})
}

func TestAWideActionTakesTheName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tenants int
		change  func(*tui.Options)
	}{
		"many tenants": {11, nil},
		"production":   {1, func(o *tui.Options) { o.Production = true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rolling(t, c.tenants, c.change, func(d *driver, server *rollouttest.Fake) {
				d.press("G", "s")
				d.sees("Type storage.example.com and Enter")
				d.press("y", "enter")
				d.sees("That is not storage.example.com")
				d.press("backspace")
				d.typeIn("storage.example.com")
				if sent := server.Sent(); len(sent) > 0 {
					t.Fatalf("sent %q", sent)
				}
				d.press("enter")
				if sent := server.Sent(); len(sent) != 1 {
					t.Errorf("sent %q", sent)
				}
			})
		})
	}
}

// Those that are not active yet are tried, too, by what is done to everyone: they are counted, and said.
func TestWhoIsNotActiveYetIsReached(t *testing.T) {
	t.Parallel()
	rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
		idle := make([]api.Row, 20)
		for i := range idle {
			idle[i] = rollouttest.Idle(fmt.Sprintf("idle-%d", i))
		}
		server.Set("storage.example.com", idle[:2]...)
		d.press("G", "s")
		d.sees("3 namespaces: team-0000", "2 namespaces: idle-0, idle-1, not active yet", "y yes")
		d.press("esc")
		server.Set("storage.example.com", idle...)
		d.press("s")
		d.sees("20 namespaces", "Type storage.example.com")
	})
}

// A command that a dialog shows can be copied, whatever the width: nothing stands before its lines, and a shell joins them.
func TestTheCommandOfADialogCanBeCopied(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 52, 80, 120} {
		rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
			id := "01234567-89ab-cdef-0123-456789abcdef"
			server.Edit("storage.example.com", func(r *api.Registration) { r.SyncID = id })
			d.send(tea.WindowSizeMsg{Width: width, Height: 40})
			d.pass(time.Second)
			d.press("G", "s")
			_, after, _ := strings.Cut(d.view(), "the same")
			var command strings.Builder
			for line := range strings.Lines(after) {
				line = strings.TrimRight(line, " \n")
				if line == "" && command.Len() > 0 {
					break
				}
				command.WriteString(strings.TrimSuffix(line, "\\"))
			}
			if got, want := strings.TrimSpace(command.String()), "kayra sync storage.example.com --expect-sync-id "+id; got != want {
				t.Errorf("at %d columns it is\n%s\nand not\n%s\n%s", width, got, want, d.view())
			}
		})
	}
}

func TestWhatIsTypedIsSeen(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 60, 80, 120} {
		rolling(t, 11, nil, func(d *driver, _ *rollouttest.Fake) {
			d.send(tea.WindowSizeMsg{Width: width, Height: 24})
			d.pass(time.Second)
			d.press("G", "s")
			d.typeIn("storage.ex")
			var last string
			for line := range strings.Lines(strings.TrimSpace(d.view())) {
				if strings.Contains(line, "storage.ex") {
					last = line
				}
				if n := ansi.StringWidth(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%d cells of %d: %s", n, width, line)
				}
			}
			if at := strings.LastIndex(last, "storage.ex"); at < 0 || ansi.StringWidth(last[:at])+len("storage.ex") > width || strings.HasPrefix(last[at:], "storage.example") {
				t.Errorf("at %d columns what is typed is not seen:\n%s", width, d.view())
			}
		})
	}
}

// What there is to say is said to its end, where there is room.
func TestLongNotices(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.client.Refuse = errors.New(strings.Repeat("the server does not want this, ", 6) + "and this is the end")
		d.press("G", "z", "y", "esc")
		d.sees("and this is the end", "storage.example.com")
		if n := strings.Count(d.view(), "\n") + 1; n != 24 {
			t.Errorf("%d lines", n)
		}
		d.send(tea.WindowSizeMsg{Width: 60, Height: 12})
		d.pass(time.Second)
		d.misses("and this is the end")
		if n := strings.Count(d.view(), "\n") + 1; n != 12 {
			t.Errorf("%d lines", n)
		}
	})
}

func TestADialogSaysWhatHasChanged(t *testing.T) {
	t.Parallel()
	rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
		d.press("j", "j", "P")
		server.Edit("compute.example.com", func(r *api.Registration) {
			r.SyncID, r.ReleasedSyncID, r.CanaryNamespaces = "v9", "v9", []string{}
		})
		d.press("y")
		d.sees("nothing was changed by this release", "v9")
		d.press("esc")
		d.misses("Release the canary")
	})
}

func TestADialogThatCannotBeFilled(t *testing.T) {
	t.Parallel()
	rolling(t, 3, nil, func(d *driver, server *rollouttest.Fake) {
		server.Break(errors.New("the server is on fire"))
		d.press("G", "s")
		d.sees("the server is on fire")
		d.press("y", "enter")
		d.misses("on fire")
		server.Break(nil)
		server.Edit("compute.example.com", func(r *api.Registration) { r.CanaryNamespaces = nil })
		d.press("g", "j", "j", "A") // the copy still has it pending
		d.sees("nothing was changed by this abort", "no rollout is")
	})
}

func TestWhatCannotBeDoneSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"sync while a canary is pending": {[]string{"j", "j", "s"}, "a canary is pending: P releases it to everyone, A aborts it"},
		"release without a canary":       {[]string{"G", "P"}, "no canary is pending"},
		"abort without a canary":         {[]string{"G", "A"}, "no canary is pending"},
		"re-sync of an API":              {[]string{"G", "S"}, "no namespace is selected"},
		"sync of a reconciler":           {[]string{"w", "s"}, "no API is selected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rolling(t, 3, nil, func(d *driver, _ *rollouttest.Fake) {
				d.press(c.keys...)
				d.sees(c.want)
				d.misses("Yes")
			})
		})
	}
}

func TestSmallActions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys []string
		says string
		want tui.Action
		done string
	}{
		"re-sync from a list": {[]string{"G", "enter", "S"}, "Sync team-0063 to storage.example.com again?", tui.Action{Verb: tui.Resync, API: "storage.example.com", Namespace: "team-0063"}, "Asked for: team-0063"},
		"re-sync from a page": {[]string{"G", "enter", "enter", "S"}, "Sync team-0063 to storage.example.com again?", tui.Action{Verb: tui.Resync, API: "storage.example.com", Namespace: "team-0063"}, "Asked for: team-0063"},
		"pause":               {[]string{"G", "z"}, "Pause storage.example.com?", tui.Action{Verb: tui.Pause, API: "storage.example.com"}, "storage.example.com is paused"},
		"resume":              {[]string{"j", "z"}, "Have billing.example.com go on?", tui.Action{Verb: tui.Resume, API: "billing.example.com"}, "billing.example.com goes on"},
		"of the dependencies": {[]string{"d", "z"}, "Pause empty.example.com?", tui.Action{Verb: tui.Pause, API: "empty.example.com"}, "empty.example.com is paused"},
		"of one namespace's":  {[]string{":", "n", "s", " ", "a", "p", "p", "s", "enter", "S"}, "Sync apps to compute.example.com again?", tui.Action{Verb: tui.Resync, API: "compute.example.com", Namespace: "apps"}, "Asked for: apps"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drive(t, nil, func(d *driver) {
				d.sample()
				d.press(c.keys...)
				d.sees(c.says, "No", "Yes")
				d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("yy")}) // one yes
				if got := d.client.Actions(); len(got) != 1 || got[0] != c.want {
					t.Errorf("did %v, want %v", got, c.want)
				}
				d.sees(c.done)
			})
		})
	}
}

func TestAnActionThatIsRefused(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.client.Refuse = errors.New("you may not do this")
		d.press("G", "z", "y")
		d.sees("Pause storage.example.com?", "you may not do this")
		d.press("y", "enter")
		d.misses("Pause storage.example.com?")
		if got := d.client.Actions(); len(got) != 1 {
			t.Errorf("did %v", got)
		}
	})
}

func TestNothingIsSentWhileOffline(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		now := time.Now()
		d.tell(fleet.Source{Name: fleet.Registrations, Trouble: fleet.Offline, Problem: "connection refused\x1b[31m", Since: now, Retry: now.Add(9 * time.Second)})
		d.sees("offline 1s, retry in 8s", `connection refused\x1b[31m`, "storage.example.com")
		d.press("G", "z")
		d.sees("nothing can be sent")
		d.pass(3 * time.Second)
		d.sees("offline 4s, retry in 5s")
		d.press("r")
		if d.client.Tries() != 1 {
			t.Errorf("tried %d times", d.client.Tries())
		}
		d.press("enter") // and everything else works
		d.sees("team-0063")
		d.press(":")
		d.typeIn("ctx other")
		d.press("enter")
		d.sees("This is other now")
	})
}

func TestLiveAgain(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.tell(fleet.Source{Name: fleet.AllSubscriptions, Trouble: fleet.Offline, Problem: "gone", Since: time.Now()})
		d.misses("live")
		d.tell(fleet.Source{Name: fleet.AllSubscriptions, Synced: true})
		d.sees("live")
	})
}

// A server that has stopped answering keeps its streams open. Nothing is live then.
func TestASilentServerIsNotLive(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.tell(fleet.Source{Name: fleet.Katalog, Trouble: fleet.Offline, Problem: "no answer within 5s", Since: time.Now()})
		d.misses("live")
		d.sees("offline", "no answer within 5s")
		d.tell(fleet.Source{Name: fleet.Katalog, Trouble: fleet.Denied, Problem: "no"})
		d.sees("live")
		d.tell(fleet.Source{Name: fleet.Katalog, Trouble: fleet.Refused, Problem: "an older server"})
		d.sees("live")
	})
}

func TestHeldScreens(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("p")
		row := tuitest.Row("empty.example.com", "team-0000", tuitest.OldID, catalog.ReasonSynced, time.Now())
		d.tell(&fleet.Subscriptions{At: time.Now(), Changes: []fleet.SubscriptionChange{{Subscription: row}}})
		d.sees("frozen 1s", "no subscribers")
		d.press("j")
		if got := d.selected(); got != "billing.example.com" {
			t.Errorf("selected %q", got)
		}
		d.press("p")
		d.misses("no subscribers")
		d.sees("1/1", "live")
	})
}

func TestCopy(t *testing.T) {
	t.Parallel()
	drive(t, nil, func(d *driver) {
		d.sample()
		d.press("j", "y")
		d.sees("Sent to the terminal's clipboard: billing.example.com")
		d.press("G", "enter", "y", "enter", "y")
		want := []string{"billing.example.com", "team-0063", "team-0063/storage.example.com: timeout: step wait: no value of .status was done within 30s"}
		if strings.Join(d.copied, "\n") != strings.Join(want, "\n") {
			t.Errorf("copied %q", d.copied)
		}
		d.press("?", "y")
		d.sees("there is nothing selected to copy")
	})
}
