package wizard_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"kayra/rollout"
	"kayra/rollout/rollouttest"
	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tui/theme"
	"kayra/tui/wizard"
)

const (
	minted   = "0f9a3b52-77a4-9c1e-52d1-2c9f4e0b6a11"
	released = "b7d0c9a2-1f40-6bd3-9c55-7e21d8f0a6c4"
)

// scene is a screen of the wizard.
type scene struct {
	name   string
	api    string                               // that it begins with
	before func(f *rollouttest.Fake)            // what there is
	walk   func(d *driver, f *rollouttest.Fake) // to the screen
}

// scenes are screens with texts as they come from elsewhere: long ones, wide ones, and such as a terminal would obey.
func scenes() []scene {
	plain := func(*rollouttest.Fake) {}
	pending := func(f *rollouttest.Fake) {
		f.Edit(compute, func(reg *api.Registration) {
			reg.SyncID, reg.ReleasedSyncID, reg.CanaryNamespaces, reg.Owner = minted, released, []string{"apps", "core"}, "sre-a"
		})
		f.Set(compute, rollouttest.Synced("apps", minted), rollouttest.Synced("sre", released),
			rollouttest.Going("core", released, catalog.ReasonRunning, "attempt 1 to reach sync_id "+minted+" is running"))
		f.Ran(compute, "core", rollout.Run{SyncID: minted, Attempt: 2, Of: 3, Steps: []rollout.Step{
			{Name: "begin", State: "ok", Took: 12 * time.Millisecond},
			{Name: "await", State: "running", Since: rollouttest.At().Add(-94 * time.Second)},
			{Name: "step-3", State: "failed", Reason: "GET https://compute.example.com/jobs/1 answered 500 \x1b[2J and more of it"},
		}})
	}
	failed := func(f *rollouttest.Fake) {
		pending(f)
		f.Set(compute, rollouttest.Failed("core", released, minted))
	}
	watch := func(d *driver, _ *rollouttest.Fake) {
		d.sees("is pending")
		d.press("w")
		d.sees("1/2 synced", "step-3")
	}
	preview := func(d *driver, _ *rollouttest.Fake) {
		d.sees("Which namespaces")
		d.press("space", "enter")
		d.sees("What the canary does")
	}
	return []scene{
		{"APIs", "", func(f *rollouttest.Fake) {
			pending(f)
			f.Edit("net.example.com", func(reg *api.Registration) { reg.Paused, reg.Owner = true, "net\x1b[31m \u4e16\u754c" })
		}, func(d *driver, _ *rollouttest.Fake) { d.sees("rollout pending", "paused") }},
		{"tenants", compute, func(f *rollouttest.Fake) {
			f.WithoutDocument(compute)
			f.Set(compute, rollouttest.Idle("late"), rollouttest.Failed("sre", "v0", "v1"), rollouttest.Going("core", "v0", catalog.ReasonWaitingDependency, ""))
		}, func(d *driver, _ *rollouttest.Fake) {
			d.sees("not active yet", "step_failed")
			d.press("down", "space", "down", "space")
			d.sees("2 chosen")
		}},
		{"filter", compute, plain, func(d *driver, _ *rollouttest.Fake) {
			d.sees("Which namespaces")
			d.press("/", "s", "enter", "enter")
			d.sees("/s", "a canary needs")
		}},
		{"preview", compute, func(f *rollouttest.Fake) { f.Set(compute, rollouttest.Idle("late")) }, preview},
		{"question", compute, plain, func(d *driver, f *rollouttest.Fake) {
			preview(d, f)
			d.press("enter")
			d.sees("alone?")
		}},
		{"watch", compute, pending, watch},
		{"decide, while it goes on", compute, pending, func(d *driver, f *rollouttest.Fake) {
			watch(d, f)
			d.press("enter")
			d.sees("go on watching")
		}},
		{"decide, failed", compute, failed, func(d *driver, _ *rollouttest.Fake) {
			d.sees("is pending")
			d.press("w")
			d.sees("ended in error")
		}},
		{"type the name", compute, failed, func(d *driver, _ *rollouttest.Fake) {
			d.sees("is pending")
			d.press("p")
			d.sees("What the release does")
			d.press("enter", "comp")
			d.sees("comp_")
		}},
		{"pending", compute, pending, func(d *driver, _ *rollouttest.Fake) { d.sees("is pending, for 2") }},
		{"nothing there", "no.example.com", plain, func(d *driver, _ *rollouttest.Fake) { d.sees("not found") }},
	}
}

func (s scene) set(t *testing.T, th *theme.Theme) *driver {
	t.Helper()
	f := fake()
	s.before(f)
	d := driveIn(t, f, th, func(o *wizard.Options) { o.API = s.api; o.Where = "prod at https://kayra.example.com" })
	s.walk(d, f)
	return d
}

func TestRender(t *testing.T) {
	t.Parallel()
	themes := map[string]theme.Options{
		"dark": {Name: theme.Dark, Profile: termenv.TrueColor}, "light": {Name: theme.Light, Profile: termenv.ANSI256},
		"contrast": {Name: theme.Contrast, Profile: termenv.TrueColor}, "mono": {Name: theme.Mono, Profile: termenv.ANSI}, "ascii": {Name: theme.Mono, Profile: termenv.ANSI, ASCII: true},
	}
	for name, o := range themes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screens := map[int]*strings.Builder{40: {}, 80: {}, 120: {}}
			for _, s := range scenes() {
				d := s.set(t, theme.New(o))
				for width, b := range screens {
					d.m.SetSize(width, 20)
					fmt.Fprintf(b, "=== %s\n%s\n", s.name, visible(d.m.Render(width)))
				}
			}
			for width, b := range screens {
				t.Run(strconv.Itoa(width), func(t *testing.T) { golden.RequireEqual(t, b.String()) })
			}
		})
	}
}

// visible makes escapes visible, and trailing blanks short.
func visible(screen string) string {
	var lines []string
	for line := range strings.SplitSeq(screen, "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), "\x1b", "^")
}

// TestNoLineIsTooLong draws every screen at all sizes.
func TestNoLineIsTooLong(t *testing.T) {
	t.Parallel()
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, ascii := range []bool{false, true} {
				d := s.set(t, theme.New(theme.Options{Name: theme.Dark, Profile: termenv.ANSI256, ASCII: ascii}))
				for width := 1; width <= 130; width += 1 + width/20 {
					for _, height := range []int{1, 2, 5, 12, 24, 60} {
						d.m.SetSize(width, height)
						screen := d.m.View()
						if n := strings.Count(screen, "\n") + 1; n != height {
							t.Fatalf("%dx%d: %d lines", width, height, n)
						}
						for line := range strings.SplitSeq(screen, "\n") {
							if ansi.StringWidth(line) > width {
								t.Fatalf("%dx%d: %q is too long", width, height, line)
							}
							plain := ansi.Strip(line)
							if strings.ContainsAny(plain, "\x1b\a") || ascii && strings.ContainsFunc(plain, func(r rune) bool { return r > 126 }) {
								t.Fatalf("%dx%d: %q", width, height, plain)
							}
						}
					}
				}
			}
		})
	}
}
