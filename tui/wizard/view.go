package wizard

import (
	"fmt"
	"strings"

	"kayra/cli/term"
	"kayra/tui/widget"
)

// View implements [tea.Model].
func (m *Model) View() string {
	if m.done {
		return ""
	}
	return m.Render(m.width)
}

// Render draws the wizard in lines of so many cells at most, as many as it was told by SetSize.
func (m *Model) Render(width int) string {
	if m.theme.ASCII {
		return widget.ASCII(m.render(width))
	}
	return m.render(width)
}

func (m *Model) render(width int) string {
	lines := m.above(width)
	bottom := m.below(width)
	lines = append(lines, m.middle(width, max(m.height-len(lines)-len(bottom), 1))...)
	block := widget.Lines(strings.Join(lines, "\n"), m.height-len(bottom))
	if block == "" {
		return strings.Join(bottom[:min(len(bottom), m.height)], "\n")
	}
	return block + "\n" + strings.Join(bottom, "\n")
}

// above is what this is, where, and how far somebody has come.
func (m *Model) above(width int) []string {
	th := m.theme
	title := "Canary"
	if m.outcome.API != "" {
		title += " " + th.Step + " " + m.outcome.API
	}
	where := term.Escape(m.Where)
	if m.Label != "" {
		where = th.Label.Render(" "+term.Escape(m.Label)+" ") + " " + where
	}
	if most := width / 2; widget.Width(where) > most { //nolint:mnd // the title has the rest
		where = widget.Fit(where, most, th.Ellipsis)
	}
	return []string{widget.Ends(th.Title.Render(term.Escape(title)), where, width, th.Ellipsis), m.crumbs(width), ""}
}

// crumbs are the steps, of which the present one is marked.
func (m *Model) crumbs(width int) string {
	th := m.theme
	at, first := stepAPI, stepAPI
	if len(m.stack) > 0 {
		at = m.page().step()
	}
	if len(m.options.Contexts) > 1 {
		first = stepContext
	}
	var parts []string
	cells := 0
	for s := first; s <= stepDecide; s++ {
		style := th.Dim
		if s == at {
			style = th.Key
		}
		parts = append(parts, style.Render(s.String()))
		cells += len(s.String()) + 3
	}
	if cells > width {
		return widget.Fit(th.Key.Render(at.String())+th.Dim.Render(fmt.Sprintf("  step %d of %d", at-first+1, stepDecide-first+1)), width, th.Ellipsis)
	}
	return strings.Join(parts, th.Dim.Render(" "+th.Step+" "))
}

// middle is the page, or what stands in its place.
func (m *Model) middle(width, height int) []string {
	th := m.theme
	switch {
	case m.trouble != nil:
		var lines []string
		for _, line := range widget.Wrap(term.Escape(th.Cross+" "+said(m.trouble)), width) {
			lines = append(lines, th.Bad.Render(line))
		}
		return lines
	case m.busy != "" && len(m.stack) == 0:
		return []string{th.Dim.Render(widget.Fit(term.Escape(m.busy)+th.Ellipsis, width, th.Ellipsis))}
	case len(m.stack) == 0:
		return nil
	}
	lines := m.page().body(m, width, height)
	for i := range lines { // where there is hardly any room, texts cannot be broken
		lines[i] = widget.Fit(lines[i], width, th.Ellipsis)
	}
	return lines
}

// below is what there is to say, and which keys there are.
func (m *Model) below(width int) []string {
	th := m.theme
	say := []string{""}
	switch {
	case m.busy != "":
		say[0] = th.Dim.Render(widget.Fit(term.Escape(m.busy)+th.Ellipsis, width, th.Ellipsis))
	case m.notice != "":
		say = widget.Wrap(term.Escape(m.notice), width)
		if most := 1 + max(m.height-low, 0)/low; len(say) > most {
			say = append(say[:most-1], widget.Fit(strings.Join(say[most-1:], " "), width, th.Ellipsis))
		}
		for i := range say {
			say[i] = th.Warn.Render(say[i])
		}
	}
	return append(say, m.hints(width))
}

func (m *Model) hints(width int) string {
	th := m.theme
	var keys []hint
	switch {
	case m.trouble != nil && m.again != nil:
		keys = usual([]hint{{"r", "try again"}})
	case m.trouble != nil || m.busy != "" || len(m.stack) == 0:
		keys = usual(nil)
	default:
		keys = m.page().keys(m)
	}
	var shown []string
	cells := -gap
	for _, k := range keys {
		name := k.key
		if th.ASCII {
			name = strings.NewReplacer("↑↓", "up/down", "←→", "left/right").Replace(name)
		}
		if one := gap + widget.Width(name) + 1 + widget.Width(k.does); cells+one <= width {
			shown = append(shown, th.Key.Render(name)+" "+k.does)
			cells += one
		}
	}
	return strings.Join(shown, strings.Repeat(" ", gap))
}

// low is how many lines a screen has that has none to spare for what there is to say.
const low = 12

// gap is between the keys that are shown, in cells.
const gap = 2

// heading is what a list asks, with what there is to say about it at the end of the line.
func (m *Model) heading(title, count string, l *list, width int) string {
	th := m.theme
	right := th.Dim.Render(term.Escape(count))
	if f := l.filtered(); f != "" {
		right = th.Match.Render(term.Escape(f)) + " " + right
	}
	return widget.Ends(th.Title.Render(title), right, width, th.Ellipsis)
}
