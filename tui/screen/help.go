package screen

import (
	"fmt"

	"kayra/tui/widget"
)

// Help is what keys do, and what is typed.
type Help struct {
	pager

	parts []HelpPart
}

// HelpPart is keys that belong together.
type HelpPart struct {
	Title string
	Lines []HelpLine
}

// HelpLine is a key, or what is typed, with what it does.
type HelpLine struct {
	Key  string
	Text string
	Off  string // why it does nothing here; "": it does
}

// NewHelp makes a help.
func NewHelp(parts []HelpPart) *Help { return &Help{parts: parts} }

// Title is what the screen is called.
func (*Help) Title() string { return "help" }

// Scroll goes so many lines down, or up.
func (h *Help) Scroll(_ *Data, by int) { h.scroll(by) }

// Subject is none.
func (*Help) Subject(*Data) Subject { return Subject{} }

// Render draws the screen.
func (h *Help) Render(d *Data) string {
	const keys = 14
	th := d.Theme
	var lines []string
	for i, part := range h.parts {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, th.Heading.Render(part.Title))
		for _, l := range part.Lines {
			style, text := th.Text, l.Text
			if l.Off != "" {
				style, text = th.Dim, fmt.Sprintf("%s (not now: %s)", l.Text, l.Off)
			}
			before := "  " + th.Key.Render(l.Key) + widget.Pad("", keys-widget.Width(l.Key))
			for _, line := range widget.Wrap(text, h.width-keys-len("  ")) {
				lines = append(lines, before+style.Render(line))
				before = widget.Pad("", keys+len("  "))
			}
		}
	}
	return h.draw(lines, th.Ellipsis)
}
