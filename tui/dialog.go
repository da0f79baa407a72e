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
	name string // "": text stands alone
	text string
	tone theme.Tone

	command bool // it can be pasted into a shell
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
		lines = append(lines, l.draw(th, width)...)
	}
	foot := append([]string{""}, m.dialogChoice(d, width)...)
	if room := height - len(foot); len(lines) > room {
		const ends = 2 // the title and the mark
		cut := th.Dim.Render(" " + th.Ellipsis)
		if d.state == dialogOver { // why stands at the end
			lines = append([]string{lines[0], cut}, lines[len(lines)-max(room-ends, 0):]...)
		} else {
			lines = append(lines[:max(room-1, 0)], cut)
		}
	}
	return strings.Join(append(lines, foot...), "\n")
}

// draw draws a line as several, where it has to. A command that takes several begins where the screen does, so that it can be copied as
// it stands.
func (l dialogLine) draw(th *theme.Theme, width int) []string {
	const names = 12
	style := th.Of(l.tone)
	if l.tone == theme.ToneNone {
		style = th.Text
	}
	before := ""
	switch {
	case l.name != "":
		before = th.Dim.Render(widget.Pad(l.name, names))
	case l.tone != theme.ToneNone:
		before = style.Render(th.Mark(l.tone)) + " "
	}
	indent := widget.Width(before)
	lines := widget.Wrap(term.Escape(l.text), width-indent-1)
	if l.command && len(lines) > 1 {
		lines = []string{" " + before}
		for _, text := range widget.Command(l.text, width) {
			lines = append(lines, style.Render(text))
		}
		return lines
	}
	for i, text := range lines {
		lines[i] = " " + before + style.Render(text)
		before = strings.Repeat(" ", indent)
	}
	return lines
}

// dialogChoice are the last lines of a dialog, none of them wider than it.
func (m *Model) dialogChoice(d *dialog, width int) []string {
	th := m.options.Theme
	switch d.state {
	case dialogLoads:
		return []string{beside(width, th.Dim.Render(" Finding out how things stand"+th.Ellipsis), hint(th, "Esc", "leave it"))}
	case dialogSends:
		return []string{th.Running.Render(" " + th.Run + " Sending it" + th.Ellipsis)}
	case dialogOver:
		return []string{" " + hint(th, "Esc", "close")}
	case dialogAsks:
	}
	if d.word != "" {
		return m.dialogWord(d, width)
	}
	return []string{m.dialogYesNo(d, width)}
}

// dialogWord asks for a word, and shows what is typed of it below where there is no room beside it.
func (m *Model) dialogWord(d *dialog, width int) []string {
	th := m.options.Theme
	const margin = 3 // around the input, with its cursor
	word, leave := term.Escape(d.word), hint(th, "Esc", "leave all as it is")
	ask := th.Text.Render(" Type ") + th.Key.Render(word) + th.Text.Render(" and Enter:")
	if room := width - widget.Width(ask) - widget.Width(leave) - margin; room > widget.Width(word) {
		d.input.Width = 0
		return []string{ask + " " + d.input.View() + "  " + leave}
	}
	d.input.Width = width - margin
	return []string{widget.Fit(ask, width, th.Ellipsis), widget.Fit(" "+strings.TrimRight(d.input.View(), " "), width, th.Ellipsis), " " + leave}
}

// dialogYesNo is the choice between no and yes.
func (m *Model) dialogYesNo(d *dialog, width int) string {
	th := m.options.Theme
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
	return beside(width, " "+no.Render(" "+mark(!d.yes)+" No ")+" "+yes.Render(" "+mark(d.yes)+" Yes "),
		hint(th, "y", "yes"), hint(th, "n", "no"), hint(th, "Tab", "choose"), hint(th, "Enter", "take it"))
}

// beside puts hints beside a text, as many as there is room for.
func beside(width int, text string, hints ...string) string {
	const gap = 2
	for _, h := range hints {
		if widget.Width(text)+gap+widget.Width(h) > width {
			break
		}
		text += strings.Repeat(" ", gap) + h
	}
	return text
}

func hint(th *theme.Theme, key, text string) string {
	return th.Key.Render(key) + " " + th.Dim.Render(text)
}
