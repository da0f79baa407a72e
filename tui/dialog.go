package tui

import (
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"kayra/cli/term"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// dialog asks whether something is to be done. Nothing is done before it is confirmed, and then once.
type dialog struct {
	title string
	lines []dialogLine
	word  string // that has to be typed for a yes; "": a choice is enough
	send  func() tea.Cmd

	input textinput.Model
	yes   bool // what Enter chooses
	state dialogState
}

type dialogState int

const (
	dialogLoads dialogState = iota // what it says is being found out
	dialogAsks
	dialogSends
	dialogOver // nothing can be done any more
)

// dialogLine is a line, or a name with its value. Neither is escaped.
type dialogLine struct {
	name    string // "": text stands alone
	text    string
	tone    theme.Tone
	command bool // text is for a shell
}

// fail has the dialog say why nothing was done.
func (d *dialog) fail(err error) {
	d.state = dialogOver
	d.lines = append(d.lines, dialogLine{text: err.Error(), tone: theme.ToneBad})
}

// answered is a key for the dialog.
func (m *Model) answered(msg tea.KeyMsg) tea.Cmd {
	d := m.dialog
	switch {
	case d.state == dialogSends:
		return nil // there is no way back
	case msg.Type == tea.KeyEsc, d.state != dialogAsks && msg.String() == "enter", d.state != dialogAsks && msg.String() == "q":
		m.decline()
		return nil
	case d.state != dialogAsks:
		return nil
	case d.word != "":
		return m.spelled(msg)
	}
	switch msg.String() {
	case "y", "Y":
		return m.confirm()
	case "n", "N", "q":
		m.decline()
	case "enter":
		if d.yes {
			return m.confirm()
		}
		m.decline()
	case "tab", "shift+tab", "left", "right", "h", "l":
		d.yes = !d.yes
	}
	return nil
}

// spelled is a key for a dialog that has a word to be typed.
func (m *Model) spelled(msg tea.KeyMsg) tea.Cmd {
	d := m.dialog
	if msg.Type == tea.KeyEnter {
		if strings.TrimSpace(d.input.Value()) == d.word {
			return m.confirm()
		}
		m.say(theme.ToneWarn, "That is not "+d.word+". Esc leaves all as it is.")
		return nil
	}
	var cmd tea.Cmd
	d.input, cmd = d.input.Update(msg)
	return cmd
}

func (m *Model) decline() {
	if m.dialog.state == dialogAsks {
		m.say(theme.ToneNone, "Nothing was changed.")
	}
	m.dialog = nil
}

// confirm sends what the dialog asks about.
func (m *Model) confirm() tea.Cmd {
	if m.busy {
		m.say(theme.ToneWarn, "Something else is being sent.")
		return nil
	}
	m.dialog.state, m.busy = dialogSends, true
	return m.dialog.send()
}

// dialogView draws the dialog in the lower part of the screen.
func (m *Model) dialogView(width, height int) string {
	d, th := m.dialog, m.options.Theme
	rule := th.Line + " " + term.Escape(d.title) + " "
	lines := []string{th.Title.Render(widget.Fit(rule, width, th.Ellipsis)) + th.Border.Render(strings.Repeat(th.Line, max(width-widget.Width(rule), 0)))}
	for _, l := range d.lines {
		lines = append(lines, m.dialogLine(&l, width)...)
	}
	foot := append([]string{""}, m.dialogChoice(d, width)...)
	if room := height - len(foot); len(lines) > room {
		lines = append(lines[:max(room-1, 0)], th.Dim.Render(" "+th.Ellipsis))
	}
	return strings.Join(append(lines, foot...), "\n")
}

// dialogLine draws a line of a dialog in as many as it takes. A command that takes several begins where the screen does, so that it
// can be copied as it stands.
func (m *Model) dialogLine(l *dialogLine, width int) []string {
	const names = 12
	th := m.options.Theme
	style := th.Of(l.tone)
	if l.tone == theme.ToneNone {
		style = th.Text
	}
	indent, name := "", ""
	if l.name != "" {
		indent, name = strings.Repeat(" ", names), widget.Pad(l.name, names)
	}
	texts := widget.Wrap(term.Escape(l.text), width-len(indent)-1)
	if l.command && len(texts) > 1 {
		lines := []string{" " + th.Dim.Render(name)}
		for _, text := range widget.Command(l.text, width) {
			lines = append(lines, style.Render(text))
		}
		return lines
	}
	var lines []string
	for i, text := range texts {
		if i > 0 {
			name = indent
		}
		lines = append(lines, " "+th.Dim.Render(name)+style.Render(text))
	}
	return lines
}

// dialogChoice is what stands below a dialog: what can be chosen.
func (m *Model) dialogChoice(d *dialog, width int) []string {
	th := m.options.Theme
	if d.state != dialogAsks || d.word == "" {
		return []string{" " + m.dialogKeys(d)}
	}
	ask := " " + th.Text.Render("Type ") + th.Key.Render(term.Escape(d.word)) + th.Text.Render(" and Enter to do it: ")
	leave := "  " + hint(th, "Esc", "leave all as it is")
	if widget.Width(ask)+len(d.word)+widget.Width(leave) < width {
		return []string{ask + d.input.View() + leave}
	}
	return append(widget.Wrap(" Type "+term.Escape(d.word)+" and Enter to do it, Esc to leave all as it is:", width), " "+d.input.View())
}

// dialogKeys is what can be pressed in a dialog that does not have something typed.
func (m *Model) dialogKeys(d *dialog) string {
	th := m.options.Theme
	switch d.state {
	case dialogLoads:
		return th.Dim.Render("Finding out how things stand"+th.Ellipsis) + "  " + hint(th, "Esc", "leave it")
	case dialogSends:
		return th.Running.Render(th.Run + " Sending it" + th.Ellipsis)
	case dialogOver:
		return hint(th, "Esc", "close")
	case dialogAsks:
	}
	no, yes := th.Selected, th.Text
	if d.yes {
		no, yes = yes, no
	}
	mark := func(on bool) string {
		if on {
			return th.Pointer
		}
		return " "
	}
	return no.Render(" "+mark(!d.yes)+" No ") + " " + yes.Render(" "+mark(d.yes)+" Yes ") + "  " + hint(th, "Tab", "choose") + "  " + hint(th, "Enter", "do so") + "  " + hint(th, "y n Esc", "at once")
}

func hint(th *theme.Theme, key, text string) string {
	return th.Key.Render(key) + " " + th.Dim.Render(text)
}
