package screen

import (
	"fmt"
	"strings"

	"kayra/tui/widget"
)

// pager shows lines, of which some may be below or above the screen.
type pager struct {
	width, height int
	offset        int
	length        int // lines that there were when it was drawn last
}

// SetSize says how many cells and lines the screen has.
func (p *pager) SetSize(width, height int) { p.width, p.height = width, height }

// scroll goes so many lines down, or up. It stops at the ends.
func (p *pager) scroll(by int) {
	p.offset = min(max(p.offset+by, 0), max(p.length-p.height, 0))
}

// Position is which lines are on the screen, where not all of them are.
func (p *pager) Position(*Data) string {
	if p.length <= p.height {
		return ""
	}
	return fmt.Sprintf("lines %d-%d of %d", p.offset+1, min(p.offset+p.height, p.length), p.length)
}

// draw draws the lines that are on the screen.
func (p *pager) draw(lines []string, ellipsis string) string {
	p.length = len(lines)
	p.scroll(0)
	shown := lines[p.offset:min(len(lines), p.offset+p.height)]
	for i, line := range shown {
		shown[i] = widget.Fit(line, p.width, ellipsis)
	}
	return widget.Lines(strings.Join(shown, "\n"), p.height)
}
