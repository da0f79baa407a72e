package tui

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"kayra/cli/term"
	"kayra/tui/fleet"
	"kayra/tui/screen"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// The smallest screen that anything is shown on, and the lowest that has more than one line above and below the list.
const (
	leastWidth  = 40
	leastHeight = 12
	fullHeight  = 16
)

// View implements [tea.Model].
func (m *Model) View() string {
	if th := m.options.Theme; th.ASCII {
		return widget.ASCII(m.frame())
	}
	return m.frame()
}

// frame is all that is on the screen.
func (m *Model) frame() string {
	switch {
	case m.width == 0 || m.height == 0:
		return ""
	case m.width < leastWidth || m.height < leastHeight:
		return widget.Lines(strings.Join(widget.Wrap("The terminal is too small for this: it takes 40 columns and 12 lines. q quits.", m.width), "\n"), m.height)
	}
	if m.wizard != nil {
		return m.wizard.View()
	}
	height := m.bodyHeight()
	var middle []string
	if m.dialog != nil {
		box := m.dialogView(m.width, height)
		height -= strings.Count(box, "\n") + 1
		middle = append(middle, box)
	}
	m.page().SetSize(m.width, max(height, 1))
	if height > 0 {
		middle = append([]string{m.body()}, middle...)
	}
	return strings.Join(slices.Concat(m.head(), middle, m.foot()), "\n") // the page before what is said of it
}

// body is the page that is shown, dimmed where it may be out of date.
func (m *Model) body() string {
	text := m.page().Render(m.data())
	if !m.stale() {
		return text
	}
	lines := strings.Split(ansi.Strip(text), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = m.options.Theme.Dim.Render(line)
		}
	}
	return strings.Join(lines, "\n")
}

// place tells the page its size, and the wizard.
func (m *Model) place() {
	m.page().SetSize(m.width, m.bodyHeight())
	if m.wizard != nil {
		m.wizard.SetSize(m.width, m.height)
	}
}

// top is how many lines stand above the page.
func (m *Model) top() int { return m.edge() + len(m.banner()) }

// edge is how many lines stand above the page at least, and below it.
func (m *Model) edge() int {
	if m.height < fullHeight {
		return 1
	}
	return 2 //nolint:mnd // where and how it was come to; what was done and the keys
}

func (m *Model) bodyHeight() int { return max(m.height-m.top()-m.bottom(), 1) }

// bottom is how many lines stand below the page.
func (m *Model) bottom() int {
	if m.prompt != nil {
		return m.edge()
	}
	return m.edge() + len(m.saying()) - 1
}

// head is what stands above a page: where this is, and how fresh it is.
func (m *Model) head() []string {
	th := m.options.Theme
	full := m.height >= fullHeight
	left := m.where(full)
	if !full {
		left += " " + th.Dim.Render(th.Step) + " " + th.Text.Render(m.page().Title())
	}
	lines := []string{widget.Ends(left, m.freshness(), m.width, th.Ellipsis)}
	if full {
		position := m.position()
		lines = append(lines, widget.Ends(m.path(m.width-widget.Width(position)-1), position, m.width, th.Ellipsis))
	}
	return append(lines, m.banner()...)
}

// mostSaid is in how many lines something is said, at most.
const mostSaid = 3

// banner is what keeps the screen from being up to date.
func (m *Model) banner() []string {
	th, trouble := m.options.Theme, m.trouble()
	if trouble == "" {
		return nil
	}
	const indent = "   "
	lines := m.brief(term.Escape(trouble), m.width-len(indent))
	for i, line := range lines {
		before := indent
		if i == 0 {
			before = " " + th.Alert + " "
		}
		lines[i] = th.Banner.Render(widget.Pad(before+line, m.width))
	}
	return lines
}

// brief breaks a text into a few lines, or one where the screen is low, and cuts what is more.
func (m *Model) brief(text string, width int) []string {
	most := mostSaid
	if m.height < fullHeight {
		most = 1
	}
	lines := widget.Wrap(text, width)
	if len(lines) <= most {
		return lines
	}
	rest := strings.Join(lines[most-1:], " ")
	return append(lines[:most-1], widget.Fit(rest, width, m.options.Theme.Ellipsis))
}

// where is the context that is shown, which is told by a word where it is one to be careful with.
func (m *Model) where(full bool) string {
	th := m.options.Theme
	name := term.Escape(named(m.link.Connection))
	var parts []string
	if m.link.Production {
		parts = append(parts, th.Label.Render(" PRODUCTION "+name+" "))
	} else {
		parts = append(parts, contextStyle(th, name).Render(name))
	}
	if m.options.ReadOnly {
		parts = append(parts, th.Warn.Render("read-only"))
	}
	if full {
		parts = slices.Insert(parts, 0, th.Title.Render("kayra"))
		if scope := m.fleet.Scope(); scope != "" {
			parts = append(parts, th.Dim.Render(term.Escape(scope)))
		}
		if version := m.fleet.Version(); version != "" && m.width >= wide {
			parts = append(parts, th.Dim.Render(term.Escape(version)))
		}
	}
	return strings.Join(parts, "  ")
}

// wide is from how many columns on there is room for what is nice to know.
const wide = 70

// contextStyle is always the same for a context, and another one for most others.
func contextStyle(th *theme.Theme, name string) lipgloss.Style {
	styles := []lipgloss.Style{th.OK, th.Warn, th.Held, th.Running}
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return styles[h.Sum32()%uint32(len(styles))].Bold(true)
}

// path is how the page was come to. Where there is no room for all of it, the end of it is shown.
func (m *Model) path(width int) string {
	th := m.options.Theme
	step := th.Dim.Render(" " + th.Step + " ")
	path := th.Title.Render(m.page().Title())
	for i, p := range slices.Backward(m.pages[:len(m.pages)-1]) {
		cut := th.Dim.Render(th.Ellipsis) + step + path
		path = th.Dim.Render(p.Title()) + step + path
		if i > 0 && widget.Width(path)+widget.Width(th.Ellipsis+step) > width || widget.Width(path) > width {
			return cut
		}
	}
	return path
}

// position is the filter that is set, and what of the page is on the screen.
func (m *Model) position() string {
	th := m.options.Theme
	var parts []string
	if l := m.list(); l != nil && !l.Filter().Empty() {
		parts = append(parts, th.Match.Render("/"+term.Escape(l.Filter().String())))
	}
	if p, ok := m.page().(interface{ Position(d *screen.Data) string }); ok {
		if at := p.Position(m.data()); at != "" {
			parts = append(parts, th.Dim.Render(at))
		}
	}
	return strings.Join(parts, "  ")
}

// freshness is how up to date the screen is.
func (m *Model) freshness() string {
	th := m.options.Theme
	switch s, off := m.offline(); {
	case m.frozen != nil:
		return th.Warn.Render(th.Stop + " frozen " + widget.Age(m.now.Sub(m.frozen.since)))
	case m.failed != nil || off && s.Trouble != fleet.Offline:
		return th.Bad.Render(th.Cross + " cut off")
	case off:
		return th.Bad.Render(th.Offline + " offline " + widget.Since(m.now, s.Since))
	case m.fleet.Source(fleet.AllSubscriptions).Trouble == fleet.Denied:
		return th.Warn.Render(th.Alert + " not allowed")
	case m.told.IsZero():
		return th.Dim.Render(th.Wait + " connecting")
	case !m.fleet.Complete():
		return th.Dim.Render(th.Wait + " loading " + widget.Count(m.fleet.Subscriptions()))
	}
	return th.OK.Render(th.Live + " live")
}

// offline is the first of the sources that tells nothing although screens cannot do without, or because the server does not answer.
func (m *Model) offline() (fleet.Source, bool) {
	for _, name := range []string{fleet.Registrations, fleet.AllSubscriptions} {
		if s := m.fleet.Source(name); s.Trouble != fleet.Fine && s.Trouble != fleet.Denied {
			return s, true
		}
	}
	s := m.fleet.Source(fleet.Katalog) // which is asked: a server that hangs leaves its streams open
	return s, s.Trouble == fleet.Offline
}

// stale tells whether what is shown may be out of date.
func (m *Model) stale() bool {
	_, off := m.offline()
	return off || m.failed != nil
}

// trouble is what keeps the screen from being up to date, in a sentence that is not escaped; "": nothing does.
func (m *Model) trouble() string {
	if m.failed != nil {
		return m.failed.Error()
	}
	s, off := m.offline()
	switch {
	case off && s.Trouble == fleet.Offline && s.Retry.After(m.now):
		return "offline " + widget.Since(m.now, s.Since) + ", retry in " + widget.Age(s.Retry.Sub(m.now)) + " (r: now): " + s.Problem
	case off && s.Trouble == fleet.Offline:
		return "offline " + widget.Since(m.now, s.Since) + ", trying: " + s.Problem
	case off:
		return s.Problem
	}
	denied := m.fleet.Source(fleet.Registrations)
	if subs := m.fleet.Source(fleet.AllSubscriptions); subs.Trouble == fleet.Denied {
		denied = subs
	}
	return denied.Problem
}

// foot is what stands below a page: what was done, and which keys there are.
func (m *Model) foot() []string {
	lines := m.saying()
	if m.prompt != nil {
		lines = []string{m.prompted()}
	}
	if m.height < fullHeight {
		if m.prompt == nil && m.notice.text == "" {
			lines = []string{m.hints()}
		}
		return lines
	}
	return append(lines, m.hints())
}

// saying is what was done, or why not.
func (m *Model) saying() []string {
	th := m.options.Theme
	if m.notice.text == "" || m.dialog != nil && m.dialog.state == dialogOver { // which says it itself
		return []string{""}
	}
	style, mark := th.Of(m.notice.tone), th.Mark(m.notice.tone)+" "
	if m.notice.tone == theme.ToneNone {
		style, mark = th.Text, ""
	}
	lines := m.brief(mark+term.Escape(m.notice.text), m.width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

// prompted is the line that is typed.
func (m *Model) prompted() string {
	th := m.options.Theme
	mark := ":"
	if m.prompt.filter {
		mark = "/"
	}
	const least = 10
	m.prompt.input.Width = max(m.width-least, least)
	return widget.Fit(th.Key.Render(mark)+strings.TrimRight(m.prompt.input.View(), " "), m.width, th.Ellipsis)
}

// hints are the keys that are of use here, as many as there is room for.
func (m *Model) hints() string {
	th := m.options.Theme
	line := ""
	for _, h := range m.useful() {
		part := th.Key.Render(m.glyphs(h.key)) + " " + th.Dim.Render(h.text)
		if line != "" {
			part = "  " + part
		}
		if widget.Width(line)+widget.Width(part) > m.width {
			break
		}
		line += part
	}
	return line
}

type useful struct{ key, text string }

func (m *Model) useful() []useful {
	switch {
	case m.dialog != nil:
		return nil
	case m.prompt != nil && m.prompt.filter:
		return []useful{{"Enter", "keep the filter"}, {"Esc", "as it was"}, {"!word", "without"}}
	case m.prompt != nil:
		return []useful{{"Tab", "complete"}, {"Enter", "do it"}, {"Esc", "leave it"}}
	}
	var all []useful
	for _, h := range []struct {
		deed deed
		useful
	}{
		{deedOpen, useful{"Enter", "open"}},
		{deedBack, useful{"Esc", "back"}},
		{deedRelease, useful{"P", "release"}},
		{deedAbort, useful{"A", "abort"}},
		{deedSync, useful{"s", "sync"}},
		{deedCanary, useful{"c", "canary"}},
		{deedResync, useful{"S", "re-sync"}},
		{deedFilter, useful{"/", "filter"}},
		{deedCommand, useful{":", "command"}},
		{deedHelp, useful{"?", "help"}},
		{deedQuit, useful{"q", "quit"}},
		{deedPause, useful{"z", "pause"}},
		{deedCopy, useful{"y", "copy"}},
		{deedProcesses, useful{"w", "reconcilers"}},
		{deedGraph, useful{"d", "dependencies"}},
	} {
		if m.cannot(h.deed) == "" {
			all = append(all, h.useful)
		}
	}
	return all
}

// glyphs has a key's name in ASCII where nothing else is shown.
func (m *Model) glyphs(name string) string {
	if !m.options.Theme.ASCII {
		return name
	}
	return strings.NewReplacer("↑", "Up", "↓", "Down", "→", "Right", "←", "Left").Replace(name)
}
