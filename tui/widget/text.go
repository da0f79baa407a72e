// Package widget has the small parts that screens are made of. They are functions of what they show: they know of no keys,
// do no I/O, and no line of theirs is longer than they were told.
package widget

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Fit cuts a text that takes more than so many cells, and marks where. It may be styled.
func Fit(text string, width int, ellipsis string) string {
	if len(text) <= width { // no character takes more cells than bytes
		return text
	}
	return ansi.Truncate(text, max(width, 0), ellipsis)
}

// Width is how many cells a text takes, which may be styled.
func Width(text string) int { return ansi.StringWidth(text) }

// Pad fills a text up to so many cells, on its right.
func Pad(text string, width int) string { return text + blank(width-ansi.StringWidth(text)) }

// PadLeft fills a text up to so many cells, on its left.
func PadLeft(text string, width int) string { return blank(width-ansi.StringWidth(text)) + text }

func blank(cells int) string { return strings.Repeat(" ", max(cells, 0)) }

// Ends puts two texts at the ends of a line of so many cells. Where there is no room for both, what is on the left is cut.
func Ends(left, right string, width int, ellipsis string) string {
	room := width - ansi.StringWidth(right)
	if right != "" {
		room--
	}
	if room < 1 {
		return Fit(right, width, ellipsis)
	}
	left = Fit(left, room, ellipsis)
	return left + blank(width-ansi.StringWidth(left)-ansi.StringWidth(right)) + right
}

// Join puts parts beside each other, as many of them as there is room for in so many cells.
func Join(parts []string, gap string, width int, ellipsis string) string {
	line := ""
	for i, part := range parts {
		next := part
		if i > 0 {
			next = line + gap + part
		}
		more := 0
		if i < len(parts)-1 {
			more = Width(gap) + Width(ellipsis)
		}
		if Width(next)+more > width {
			if i < len(parts)-1 || Width(next) > width {
				return Fit(line+gap+ellipsis, width, ellipsis)
			}
		}
		line = next
	}
	return line
}

// Wrap breaks a text into lines of at most so many cells: at spaces or, where a word is longer than a line, within it.
func Wrap(text string, width int) []string {
	return strings.Split(ansi.Wrap(text, max(width, 1), ""), "\n")
}

// Lines makes a block of exactly so many lines: what is too much is cut off at the end.
func Lines(block string, height int) string {
	if height < 1 {
		return ""
	}
	n := strings.Count(block, "\n") + 1
	if n <= height {
		return block + strings.Repeat("\n", height-n)
	}
	end := 0
	for range height {
		end += strings.IndexByte(block[end:], '\n') + 1
	}
	return block[:end-1]
}
