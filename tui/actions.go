package tui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
	"kayra/tui/fleet"
	"kayra/tui/screen"
	"kayra/tui/theme"
)

// cannot tells why a key does nothing here, in a sentence; "": it does something.
func (m *Model) cannot(d deed) string {
	s := m.page().Subject(m.data())
	switch d {
	case deedOpen:
		if _, tenant := m.page().(*screen.Tenant); tenant || s.API == "" {
			return "there is nothing to open"
		}
	case deedBack:
		if l := m.list(); len(m.pages) == 1 && (l == nil || l.Filter().Empty()) {
			return "this is the first page"
		}
	case deedFilter:
		if m.list() == nil {
			return "there is no list here to filter"
		}
	case deedCopy:
		if s.Text == "" {
			return "there is nothing selected to copy"
		}
	default:
		if slices.ContainsFunc(m.keys, func(e entry) bool { return e.deed == d && e.writes }) {
			return m.cannotAct(d, s)
		}
	}
	return ""
}

// cannotAct tells why something cannot be done to what is selected.
func (m *Model) cannotAct(d deed, s screen.Subject) string {
	a := m.fleet.API(s.API)
	switch {
	case m.options.ReadOnly:
		return "this was started with --read-only"
	case m.busy:
		return "something is being sent"
	case a == nil:
		return "no API is selected"
	case m.stale():
		return "nothing can be sent: see above"
	case d == deedResync && s.Namespace == "":
		return "no namespace is selected"
	case d == deedResync:
		return ""
	case !a.Registered:
		return "you may not see this registration"
	case (d == deedRelease || d == deedAbort) && !a.Pending():
		return "no canary is pending"
	case d == deedSync && a.Pending():
		return "a canary is pending: P releases it to everyone, A aborts it"
	}
	return ""
}

// begin opens the dialog of an action.
func (m *Model) begin(d deed) tea.Cmd {
	s := m.page().Subject(m.data())
	a := m.fleet.API(s.API)
	m.notice = notice{}
	switch d {
	case deedResync:
		m.dialog = m.resyncDialog(a, m.fleet.Subscription(s.API, s.Namespace))
	case deedPause:
		m.dialog = m.pauseDialog(a)
	case deedCanary:
		return m.canaryDialog(a.Name)
	case deedSync:
		return m.rolloutDialog(rollout.All, a.Name)
	case deedRelease:
		return m.rolloutDialog(rollout.Release, a.Name)
	case deedAbort:
		return m.rolloutDialog(rollout.Abort, a.Name)
	default:
	}
	return nil
}

// open is a dialog about an API, which says where that is.
func (m *Model) about(title string, lines ...dialogLine) *dialog {
	where := dialogLine{name: "context", text: named(m.link.Connection)}
	if m.link.Production {
		where.text, where.tone = "PRODUCTION "+where.text, theme.ToneWarn
	}
	if scope := m.fleet.Scope(); scope != "" {
		where.text += "  " + scope
	}
	return &dialog{title: title, state: dialogAsks, lines: append([]dialogLine{where}, lines...)}
}

func (m *Model) resyncDialog(a *fleet.API, s *fleet.Subscription) *dialog {
	if s == nil {
		return nil
	}
	id := s.CurrentSyncID
	if id == "" {
		id = "none"
	}
	lines := []dialogLine{
		{name: "API", text: a.Name},
		{name: "namespace", text: s.Namespace},
		{name: "sync id", text: fmt.Sprintf("%s, and %s again afterwards", id, s.ExpectedSyncID)},
		{name: "reaches", text: "1 namespace"},
	}
	if a.Paused {
		lines = append(lines, dialogLine{text: "The API is paused: it is done when that ends.", tone: theme.ToneWarn})
	}
	if a.Pending() && s.Active && !slices.Contains(a.CanaryNamespaces, s.Namespace) {
		lines = append(lines, dialogLine{text: "A canary holds this namespace back: it is done when that is released or aborted.", tone: theme.ToneWarn})
	}
	d := m.about("Sync "+s.Namespace+" to "+a.Name+" again?", lines...)
	action := Action{Verb: Resync, API: a.Name, Namespace: s.Namespace}
	d.send = m.once(action, "Asked for: "+s.Namespace+" is synced to "+a.Name+" again.")
	return d
}

func (m *Model) pauseDialog(a *fleet.API) *dialog {
	c := a.Counts
	verb, title, done := Pause, "Pause "+a.Name+"?", a.Name+" is paused. z has it go on."
	effect := fmt.Sprintf("%d wait or run now: what runs ends, and nothing new begins, retries included", c.Waiting+c.Running)
	if a.Paused {
		verb, title, done = Resume, "Have "+a.Name+" go on?", a.Name+" goes on."
		effect = fmt.Sprintf("%d are paused: they are tried now", c.Paused)
	}
	d := m.about(title, dialogLine{name: "API", text: a.Name}, dialogLine{name: "sync id", text: a.SyncID + ", which stays"},
		dialogLine{name: "reaches", text: plural(c.Subscribed, "namespace") + "; " + effect})
	d.send = m.once(Action{Verb: verb, API: a.Name}, done)
	return d
}

// once sends an action the first time that it is called, on the connection that there is now.
func (m *Model) once(a Action, done string) func() tea.Cmd {
	link := m.link
	return func() tea.Cmd { return link.act(a, done) }
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
