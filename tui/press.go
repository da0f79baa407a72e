package tui

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/tui/screen"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// pressed does what a key does: to the dialog, to the line that is typed, or to the page. Keys that came together, as they do over a
// slow line, are taken one by one. What is pasted is not taken for keys.
func (m *Model) pressed(msg tea.KeyMsg) tea.Cmd {
	if m.wizard != nil && msg.Type != tea.KeyCtrlZ {
		return m.guided(msg)
	}
	if msg.Type == tea.KeyRunes && m.types() {
		return m.pressedOne(msg)
	}
	if msg.Paste {
		return nil
	}
	if msg.Type != tea.KeyRunes || len(msg.Runes) < 2 {
		return m.pressedOne(msg)
	}
	cmds := make([]tea.Cmd, len(msg.Runes))
	for i := range msg.Runes {
		cmds[i] = m.pressed(tea.KeyMsg{Type: tea.KeyRunes, Runes: msg.Runes[i : i+1], Alt: msg.Alt})
		if m.types() && i+1 < len(msg.Runes) { // the rest is typed
			return tea.Batch(append(cmds[:i+1], m.pressedOne(tea.KeyMsg{Type: tea.KeyRunes, Runes: msg.Runes[i+1:]}))...)
		}
	}
	return tea.Batch(cmds...)
}

// types tells whether letters are text.
func (m *Model) types() bool {
	return m.prompt != nil || m.dialog != nil && m.dialog.state == dialogAsks && m.dialog.word != ""
}

func (m *Model) pressedOne(msg tea.KeyMsg) tea.Cmd {
	switch {
	case msg.Type == tea.KeyCtrlC:
		m.quit = true
		return tea.Quit
	case msg.Type == tea.KeyCtrlZ:
		return tea.Suspend
	case m.dialog != nil:
		return m.answered(visible(msg))
	case m.prompt != nil:
		return m.typed(visible(msg))
	}
	pressed := msg.String()
	if l := m.list(); l != nil && len(pressed) == 1 && pressed >= "1" && pressed <= "9" {
		l.SortBy(int(pressed[0] - '1'))
		return nil
	}
	return m.perform(deedOf(m.keys, pressed))
}

// visible is a key without characters that cannot be seen, such as those that have a text run the other way.
func visible(msg tea.KeyMsg) tea.KeyMsg {
	msg.Runes = slices.DeleteFunc(slices.Clone(msg.Runes), func(r rune) bool { return !unicode.IsPrint(r) })
	return msg
}

// perform does what a key does on a page.
func (m *Model) perform(d deed) tea.Cmd {
	if why := m.cannot(d); why != "" {
		m.say(theme.ToneWarn, why)
		return nil
	}
	switch d {
	case deedUp, deedDown, deedPageUp, deedPageDown, deedFirst, deedLast:
		m.page().Scroll(m.data(), m.distance(d))
	case deedOpen:
		return m.open()
	case deedBack:
		m.back()
	case deedFilter, deedCommand:
		m.ask(d)
	case deedProcesses:
		m.show(screen.NewProcesses())
	case deedGraph:
		m.show(screen.NewGraph())
	case deedHelp:
		m.show(m.help())
	case deedFreeze:
		m.freeze()
	case deedRetry:
		m.link.hurry()
		m.say(theme.ToneNone, "Trying again.")
	case deedCopy:
		return m.copySubject()
	case deedMouse:
		return m.toggleMouse()
	case deedSuspend:
		return tea.Suspend
	case deedQuit:
		m.quit = true
		return tea.Quit
	case deedSync, deedResync, deedCanary, deedRelease, deedAbort, deedPause:
		return m.begin(d)
	case deedNone:
	}
	return nil
}

// distance is how far a key moves.
func (m *Model) distance(d deed) int {
	const far = 1 << 30
	page := max(m.bodyHeight()-2, 1)
	switch d {
	case deedUp:
		return -1
	case deedDown:
		return 1
	case deedPageUp:
		return -page
	case deedPageDown:
		return page
	case deedFirst:
		return -far
	case deedLast:
		return far
	default:
	}
	return 0
}

func (m *Model) freeze() {
	if m.frozen != nil {
		m.say(theme.ToneNone, "The screen goes on, after "+widget.Age(m.now.Sub(m.frozen.since))+".")
		m.thaw()
		return
	}
	m.frozen = &frozen{since: m.now}
	m.say(theme.ToneNone, "The screen is frozen. p has it go on.")
}

// mostCopied is how much of a text goes to the clipboard, in bytes: terminals take about 100,000 of base64.
const mostCopied = 64 << 10

// copySubject brings what is selected to the clipboard.
func (m *Model) copySubject() tea.Cmd {
	text := m.page().Subject(m.data()).Text
	switch {
	case text == "":
		m.say(theme.ToneWarn, "There is nothing selected to copy.")
		return nil
	case m.options.Copy == nil:
		m.say(theme.ToneWarn, "There is no clipboard.")
		return nil
	case len(text) > mostCopied:
		m.say(theme.ToneWarn, "That is too much for the clipboard of a terminal.")
		return nil
	}
	return m.worker.do(func(context.Context) tea.Msg { return copiedMsg{text, m.options.Copy(text)} })
}

type copiedMsg struct {
	text string
	err  error
}

func (m *Model) copied(msg copiedMsg) {
	if msg.err != nil {
		m.say(theme.ToneBad, msg.err.Error())
		return
	}
	m.say(theme.ToneOK, "Sent to the terminal's clipboard: "+msg.text)
}

func (m *Model) toggleMouse() tea.Cmd {
	m.mouse = !m.mouse
	if m.mouse {
		m.say(theme.ToneNone, "The mouse selects rows. m has it select text again.")
		return tea.EnableMouseCellMotion
	}
	m.say(theme.ToneNone, "The mouse selects text again.")
	return tea.DisableMouse
}

// help is the help for the page that is shown.
func (m *Model) help() page {
	var parts []screen.HelpPart
	for _, e := range m.keys {
		if len(parts) == 0 || parts[len(parts)-1].Title != e.group {
			parts = append(parts, screen.HelpPart{Title: e.group})
		}
		last := &parts[len(parts)-1]
		line := screen.HelpLine{Key: m.glyphs(e.Help().Key), Text: e.Help().Desc}
		if e.writes {
			line.Off = m.cannot(e.deed)
		}
		last.Lines = append(last.Lines, line)
	}
	if l := m.list(); l != nil {
		order := screen.HelpPart{Title: "Order (again: the other way round)"}
		for i, title := range l.Columns() {
			order.Lines = append(order.Lines, screen.HelpLine{Key: string(rune('1' + i)), Text: "by " + title})
		}
		parts = append(parts, order)
	}
	typed := screen.HelpPart{Title: "Commands"}
	for _, verb := range slices.Sorted(maps.Keys(orders())) {
		is := orders()[verb]
		typed.Lines = append(typed.Lines, screen.HelpLine{Key: strings.TrimSpace(":" + verb + " " + is.takes), Text: is.does})
	}
	return screen.NewHelp(append(parts, typed))
}
