package tui_test

import (
	"errors"
	"testing"
	"time"

	"github.com/muesli/termenv"

	"kayra/rollout/rollouttest"
	"kayra/tui"
	"kayra/tui/fleet"
	"kayra/tui/theme"
)

// scene is a screen of the dashboard, and how it is come to.
type scene struct {
	name    string
	change  func(o *tui.Options)
	tenants int // of storage.example.com at the server that rollouts speak to; 0: three
	height  int // 0: 24 lines
	silent  bool
	walk    func(d *driver)
}

// scenes are all screens: what the golden files show.
func scenes() []scene {
	keys := func(all ...string) func(*driver) { return func(d *driver) { d.press(all...) } }
	typed := func(prompt, text string, then ...string) func(*driver) {
		return func(d *driver) {
			d.press(prompt)
			d.typeIn(text)
			d.press(then...)
		}
	}
	trouble := func(s fleet.Source) func(*driver) {
		return func(d *driver) {
			s.Name, s.Since, s.Retry = fleet.Registrations, time.Now(), time.Now().Add(30*time.Second)
			d.tell(s)
			d.pass(13 * time.Second)
		}
	}
	told := func(updates ...fleet.Update) func(*driver) { return func(d *driver) { d.tell(updates...) } }
	return []scene{
		{name: "connecting", silent: true, walk: func(*driver) {}},
		{name: "overview", walk: keys("j")},
		{name: "overview, by failures", walk: keys("4", "G")},
		{name: "an API that moves", walk: keys("G", "enter", "j")},
		{name: "an API with a canary", walk: keys("j", "j", "enter")},
		{name: "an API that is degraded", walk: keys("j", "j", "j", "enter")},
		{name: "an API without subscribers", walk: typed(":", "api empty.example.com", "enter")},
		{name: "a subscription", walk: keys("G", "enter", "enter")},
		{name: "the end of a subscription", walk: keys("G", "enter", "enter", "G")},
		{name: "a namespace", walk: typed(":", "ns team-0002", "enter")},
		{name: "reconcilers", walk: keys("w")},
		{name: "dependencies", walk: keys("d")},
		{name: "help", walk: keys("?")},
		{name: "the end of the help", walk: keys("w", "?", "G")},
		{name: "sync", walk: keys("G", "s")},
		{name: "sync of many", tenants: 40, walk: func(d *driver) {
			d.press("G", "s")
			d.typeIn("storage.exa")
		}},
		{name: "release", walk: keys("j", "j", "P")},
		{name: "abort, yes chosen", walk: keys("j", "j", "A", "tab")},
		{name: "re-sync", walk: keys("G", "enter", "S")},
		{name: "pause", walk: keys("G", "z")},
		{name: "pause, refused", walk: func(d *driver) {
			d.client.Refuse = errors.New("user \"ann\" may not update apiregistrations: ask a sysadmin for a role that lets you")
			d.press("G", "z", "y")
		}},
		{name: "done", walk: keys("G", "z", "y")},
		{name: "canary", walk: keys("G", "c")},
		{name: "filter", walk: typed("/", "team-net !dns")},
		{name: "filter that nothing matches", walk: typed("/", "zzz", "enter")},
		{name: "command", walk: typed(":", "api c")},
		{name: "command that is none", walk: typed(":", "frobnicate", "enter")},
		{name: "offline", walk: trouble(fleet.Source{Trouble: fleet.Offline, Problem: "dial tcp 10.0.0.7:8080: connect: connection refused"})},
		{name: "logged out", walk: trouble(fleet.Source{Trouble: fleet.Unauthenticated, Problem: "the server does not know the token: `kayra login` gets another one"})},
		{name: "read-only", change: func(o *tui.Options) { o.ReadOnly = true }, walk: keys("G", "s")},
		{name: "production", change: func(o *tui.Options) { o.Production, o.Context = true, "prod" }, walk: keys("G", "s")},
		{name: "frozen", walk: func(d *driver) {
			d.press("p")
			d.pass(5 * time.Second)
		}},
		{name: "nothing is registered", silent: true, walk: told(&fleet.APIs{Whole: true}, &fleet.Subscriptions{Whole: true},
			fleet.Source{Name: fleet.Registrations, Synced: true}, fleet.Source{Name: fleet.AllSubscriptions, Synced: true})},
		{name: "no reconciler", silent: true, walk: func(d *driver) {
			d.tell(&fleet.Reconcilers{Whole: true}, fleet.Source{Name: fleet.AllReconcilers, Synced: true})
			d.press("w")
		}},
		{name: "low", height: 12, walk: keys("j")},
		{name: "low, with a dialog", height: 12, walk: keys("j", "j", "P")},
		{name: "too low", height: 11, walk: keys("j")},
	}
}

// show walks to a scene, in a theme.
func (s *scene) show(t *testing.T, th *theme.Theme, look func(d *driver)) {
	t.Helper()
	server := rollouttest.NewFake()
	if s.tenants == 0 {
		s.tenants = 3
	}
	furnish(server, s.tenants)
	drive(t, func(o *tui.Options) {
		o.Theme, o.Place.Program, o.Place.Server = th, "kayra", o.Server
		if s.change != nil {
			s.change(o)
		}
	}, func(d *driver) {
		d.client.Engine = engineOf(server)
		if !s.silent {
			d.sample()
		}
		s.walk(d)
		look(d)
	})
}

// themes are all looks that there are, by the name of their golden files.
func themes() map[string]*theme.Theme {
	all := map[string]*theme.Theme{ascii: theme.New(theme.Options{Name: theme.Mono, Profile: termenv.TrueColor, ASCII: true})}
	for _, name := range theme.Names() {
		all[name] = theme.New(theme.Options{Name: name, Profile: termenv.TrueColor})
	}
	return all
}

// ascii is the look of a terminal without anything else.
const ascii = "ascii"
