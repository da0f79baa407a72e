// Package widget has the small parts that screens are made of. They are functions of what they show: they know of no keys,
// do no I/O, and no line of theirs is longer than they were told.
package widget

import (
	"strings"
	"unicode/utf8"

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

// Wrap breaks a text that is not styled into lines of at most so many cells: at spaces or, where a word is longer than a line, within
// it. Hyphens break nothing: names, ids and options have them.
func Wrap(text string, width int) []string {
	width = max(width, 1)
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line, gap := "", ""
		for i, word := range strings.Split(paragraph, " ") {
			if i > 0 {
				gap += " "
			}
			if word == "" {
				continue
			}
			if i > 0 && Width(line+gap+word) > width {
				if line != "" {
					lines = append(lines, line)
				}
				line, gap = "", ""
			}
			parts := strings.Split(ansi.Hardwrap(line+gap+word, width, true), "\n")
			lines = append(lines, parts[:len(parts)-1]...)
			line, gap = parts[len(parts)-1], ""
		}
		lines = append(lines, line)
	}
	return lines
}

// ASCII has characters other than those of ASCII stand as question marks, in as many cells. The text may be styled.
func ASCII(text string) string {
	var b strings.Builder
	for text != "" {
		cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		if text = text[len(cluster):]; cluster[0] < utf8.RuneSelf && len(cluster) == 1 {
			b.WriteString(cluster)
		} else {
			b.WriteString(strings.Repeat("?", width))
		}
	}
	return b.String()
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
