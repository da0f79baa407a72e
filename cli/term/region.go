package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Region is the last lines of what a terminal shows, which are drawn again where they are. The cursor is left below them, so
// that whatever ends the program leaves the terminal in order. Its zero value draws nowhere: set Out.
type Region struct {
	Out io.Writer

	lines []string
	width int // of the terminal when they were drawn
}

// Draw shows the lines, which end with a newline each, and have at most as many cells as the terminal has columns. They must
// be fewer than its rows. Only what differs is written.
func (r *Region) Draw(lines []string, width, height int) error {
	if width == r.width && slices.Equal(lines, r.lines) {
		return nil
	}
	var b strings.Builder
	old := r.lines
	b.WriteString(r.up(width, height))
	if width != r.width {
		old = nil
		b.WriteString("\x1b[J")
	}
	for i, line := range lines {
		if i < len(old) && old[i] == line {
			b.WriteString("\n")
			continue
		}
		b.WriteString("\x1b[K" + line) // behind a line that fills its row it would erase the last cell
	}
	if len(lines) < len(old) {
		b.WriteString("\x1b[J")
	}
	r.lines, r.width = slices.Clone(lines), width
	return r.write(b.String())
}

// Clear takes the lines away. What is written next stands where they were.
func (r *Region) Clear(width, height int) error {
	up := r.up(width, height)
	if up == "" {
		return nil
	}
	r.lines = nil
	return r.write(up + "\x1b[J")
}

func (r *Region) write(text string) error {
	if _, err := io.WriteString(r.Out, text); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	return nil
}

// up moves the cursor to the first of the lines. Where the terminal has become narrower, those that do not fit any more take
// several rows.
func (r *Region) up(width, height int) string {
	rows := 0
	for _, line := range r.lines {
		cells := Width(unpainted(strings.TrimSuffix(line, "\n")))
		rows += max(1, (cells+max(1, width)-1)/max(1, width))
	}
	rows = min(rows, max(0, height-1))
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%dA\r", rows)
}

// unpainted is a text without what colours it.
func unpainted(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "m")
	}
}
