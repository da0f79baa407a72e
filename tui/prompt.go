package tui

import (
	"slices"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"kayra/tui/screen"
	"kayra/tui/theme"
)

// prompt is a line that is typed.
type prompt struct {
	input  textinput.Model
	filter bool          // it is a filter; otherwise it is a command
	before screen.Filter // that there was
}

// mostTyped bounds what is typed, in characters.
const mostTyped = 300

// newInput is a line without a mark in front of it, and without a cursor that blinks.
func newInput(th *theme.Theme) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = mostTyped
	in.TextStyle, in.CompletionStyle = th.Text, th.Dim
	in.Cursor.Style, in.Cursor.TextStyle = th.Renderer().NewStyle().Reverse(true), th.Dim
	in.Cursor.SetMode(cursor.CursorStatic)
	in.KeyMap.Paste = key.NewBinding() // would run a program; what is pasted comes as if it were typed
	in.Focus()
	return in
}

// ask begins a line. A filter changes the list while it is typed.
func (m *Model) ask(d deed) {
	p := &prompt{input: newInput(m.options.Theme), filter: d == deedFilter}
	if p.filter {
		l := m.list()
		if l == nil {
			m.say(theme.ToneWarn, "There is no list here to filter.")
			return
		}
		p.before = l.Filter()
		p.input.SetValue(p.before.String())
		p.input.CursorEnd()
	} else {
		p.input.ShowSuggestions = true
	}
	m.prompt, m.notice = p, notice{}
	m.suggest()
}

// typed is a key for the line that is typed.
func (m *Model) typed(msg tea.KeyMsg) tea.Cmd {
	p := m.prompt
	switch {
	case msg.Type == tea.KeyEsc, msg.Type == tea.KeyBackspace && p.input.Value() == "":
		m.prompt = nil
		if l := m.list(); p.filter && l != nil {
			l.SetFilter(p.before)
		}
		return nil
	case msg.Type == tea.KeyEnter:
		m.prompt = nil
		if p.filter {
			return nil
		}
		return m.obey(p.input.Value())
	case p.filter && (msg.Type == tea.KeyUp || msg.Type == tea.KeyDown):
		m.page().Scroll(m.data(), m.distance(deedOf(m.keys, msg.String())))
		return nil
	}
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	if l := m.list(); p.filter && l != nil {
		l.SetFilter(screen.ParseFilter(p.input.Value()))
	}
	m.suggest()
	return cmd
}

// suggest offers what the command may go on with.
func (m *Model) suggest() {
	if m.prompt.filter {
		return
	}
	m.prompt.input.SetSuggestions(suggest(m.prompt.input.Value(), m.names))
}

// names are what a command can be about.
func (m *Model) names(verb string) []string {
	var names []string
	switch verb {
	case "ctx":
		return m.link.Contexts
	case "api":
		for _, a := range m.fleet.APIs() {
			names = append(names, a.Name)
		}
	case "ns":
		names = m.fleet.Namespaces()
	}
	slices.Sort(names)
	return names
}
