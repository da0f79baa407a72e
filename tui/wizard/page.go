package wizard

import tea "github.com/charmbracelet/bubbletea"

// page is a step.
type page interface {
	// step is which one it is.
	step() step
	// key takes a key other than Ctrl-C.
	key(m *Model, k tea.KeyMsg) tea.Cmd
	// body are its lines, of which none is wider; it has that much room, and what is more is cut off.
	body(m *Model, width, height int) []string
	// keys are those that do something, the most needed first.
	keys(m *Model) []hint
}

// hint says what a key does.
type hint struct{ key, does string }

// step is a part of the way.
type step int

const (
	stepContext step = iota
	stepAPI
	stepTenants
	stepPreview
	stepConfirm
	stepWatch
	stepDecide
)

func (s step) String() string {
	return [...]string{"context", "API", "tenants", "preview", "confirm", "watch", "decide"}[s]
}

// leaving takes the keys that all pages have: true says that it was one of them.
func (m *Model) leaving(k tea.KeyMsg) (tea.Cmd, bool) {
	switch {
	case k.Type == tea.KeyEsc, k.Type == tea.KeyShiftTab:
		return m.back(), true
	case k.String() == "q":
		return m.end(false), true
	}
	return nil, false
}

// usual are the first keys of a page, then those that all pages have, then its others: where there is no room for all, the
// last ones are left out.
func usual(first []hint, others ...hint) []hint {
	return append(append(first, hint{"Esc", "back"}, hint{"Ctrl-C", "quit"}), others...)
}
