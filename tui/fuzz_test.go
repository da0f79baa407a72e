package tui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout/rollouttest"
	"kayra/store/catalog"
	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/tuitest"
)

// fuzzed is a dashboard whose every frame is held to the rules that all follow.
type fuzzed struct {
	*driver

	width, height int
}

// fuzz runs fn with a dashboard in one of the looks.
func fuzz(t *testing.T, look byte, fn func(d *fuzzed)) {
	t.Helper()
	all := themes()
	names := []string{ascii, "contrast", "dark", "light", "mono"}
	th := all[names[int(look)%len(names)]]
	server := rollouttest.NewFake()
	furnish(server, 12)
	drive(t, func(o *tui.Options) { o.Theme = th }, func(d *driver) {
		d.client.Engine = engineOf(server)
		f := &fuzzed{driver: d, width: 80, height: 24}
		f.sample()
		d.watch = func(screen string) {
			if fault := faultOf(screen, f.width, f.height, th); fault != "" {
				f.t.Fatalf("%dx%d in %s: %s\n%s", f.width, f.height, th.Name, fault, screen)
			}
		}
		fn(f)
	})
}

// happens are the things that a byte of a fuzzed sequence stands for: keys first, and what may happen between them.
func happens() []func(f *fuzzed) {
	var all []func(f *fuzzed)
	for key := range strings.FieldsSeq("up down left right enter esc tab shift+tab backspace pgup pgdown home end ctrl+z " +
		"j k g G l h / : w d ? s S c P A z p r y m q n Y N 1 2 3 4 5 6 7 8 9 ! a e i o t . - v") {
		all = append(all, func(f *fuzzed) { f.press(key) })
	}
	all = append(all, func(f *fuzzed) { f.press(" ") })
	for _, size := range [][2]int{{80, 24}, {40, 12}, {40, 15}, {41, 16}, {59, 24}, {60, 14}, {120, 40}, {39, 24}, {1, 1}, {300, 100}} {
		all = append(all, func(f *fuzzed) {
			f.width, f.height = max(f.width, size[0]), max(f.height, size[1]) // the last size holds until it has settled
			f.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			f.pass(time.Second)
			f.width, f.height = size[0], size[1]
		})
	}
	for _, text := range []string{"storage.example.com", "\u4e16\u754c", "\x1b[31m\u202e\u0301", "api compute", "ns team-0003", "ctx prod", "reconcilers"} {
		all = append(all, func(f *fuzzed) { f.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true}) })
	}
	for _, click := range []tea.MouseButton{tea.MouseButtonLeft, tea.MouseButtonWheelUp, tea.MouseButtonWheelDown} {
		all = append(all, func(f *fuzzed) { f.send(tea.MouseMsg{Button: click, Action: tea.MouseActionPress, Y: 9}) })
	}
	for _, trouble := range []fleet.Trouble{fleet.Fine, fleet.Offline, fleet.Unauthenticated, fleet.Denied, fleet.Refused} {
		all = append(all, func(f *fuzzed) {
			s := fleet.Source{Name: fleet.AllSubscriptions, Trouble: trouble, Since: time.Now(), Retry: time.Now().Add(9 * time.Second)}
			if trouble != fleet.Fine {
				s.Problem = "dial tcp \x1b[31m\u4e16\u754c: " + strings.Repeat("a long problem ", 20)
			}
			f.tell(s)
		})
	}
	row := func(name string, r catalog.Reason) func(f *fuzzed) {
		return func(f *fuzzed) {
			s := tuitest.Row("storage.example.com", name, tuitest.NewID, r, time.Now())
			s.Message = "\x1b]0;owned\a \u4e16\u754c\n" + s.Message
			f.tell(&fleet.Subscriptions{At: time.Now(), Changes: []fleet.SubscriptionChange{{Subscription: s}}})
		}
	}
	return append(all, row("team-0000", catalog.ReasonRunning), row("team-0063", catalog.ReasonSynced), row("\u4e16\u754c\x1b[2J", catalog.ReasonStepFailed),
		func(f *fuzzed) { f.tell(&fleet.APIs{Whole: true}, &fleet.Subscriptions{Whole: true, At: time.Now()}) },
		func(f *fuzzed) { f.sample() },
		func(f *fuzzed) { f.pass(30 * time.Second) },
	)
}

// FuzzKeys has anything happen in any order. Nothing panics, and every frame follows the rules that all follow.
func FuzzKeys(f *testing.F) {
	all := happens()
	const enter = 4
	for i := 0; i < len(all); i += 4 {
		f.Add(byte(i), []byte{byte(i), enter, byte(i + 1), byte(i + 2), enter, byte(i + 3)})
	}
	f.Fuzz(func(t *testing.T, look byte, sequence []byte) {
		const most = 60
		fuzz(t, look, func(d *fuzzed) {
			for _, b := range sequence[:min(len(sequence), most)] {
				if d.quit {
					return
				}
				all[int(b)%len(all)](d)
			}
		})
	})
}

// FuzzPrompt types anything as a filter and as a command. A filter shows rows that were there before, and is kept as it was typed; what
// is typed changes nothing at the server.
func FuzzPrompt(f *testing.F) {
	for _, text := range []string{"dns", "!dns team", "! !", "api compute", "ns team-0003", "ctx prod", "q", "q!", "Q", "?", "apis", " help ", "api a b", "\x1b[31m", "\xff\xfe", "世界 \u202e", "ctx \u0301"} {
		f.Add(byte(len(text)), text)
	}
	f.Fuzz(func(t *testing.T, look byte, text string) {
		for _, prompt := range []string{"/", ":"} {
			fuzz(t, look, func(d *fuzzed) {
				before := d.rows()
				d.press(prompt)
				d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text)})
				if prompt == "/" {
					for _, row := range d.rows() {
						if !slices.Contains(before, row) {
							d.t.Errorf("the filter %q shows %q, which was not there", text, row)
						}
					}
				}
				d.press("tab", "left", "backspace", "right", "enter")
				if d.quit && prompt == "/" || len(d.client.Actions()) > 0 {
					d.t.Errorf("%s%q did something", prompt, text)
				}
			})
		}
	})
}
