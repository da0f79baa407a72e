package term

import (
	"fmt"
	"strings"
)

// pageWidth is how long a line may be, in cells.
const pageWidth = 80

// Page is text that is laid out for a terminal. Its zero value is empty.
type Page struct{ strings.Builder }

// Heading writes a line of its own, below an empty one.
func (p *Page) Heading(text string) { p.WriteString("\n" + text + "\n") }

// Line writes an escaped text behind an indent, in as many lines as it takes, the others two cells further in.
func (p *Page) Line(indent, format string, args ...any) {
	p.lines(indent, "  ", fmt.Sprintf(format, args...))
}

// Cell is Line with the others as far in as the first.
func (p *Page) Cell(indent, format string, args ...any) {
	p.lines(indent, "", fmt.Sprintf(format, args...))
}

// Verbatim writes an escaped text behind an indent, in one line however long it is, so that it can be copied.
func (p *Page) Verbatim(indent, text string) { p.WriteString(indent + Escape(text) + "\n") }

func (p *Page) lines(indent, further, text string) {
	rest := Escape(text)
	for first := true; first || rest != ""; first = false {
		var head string
		head, rest = cut(rest, max(pageWidth-Width(indent), pageWidth/4)) //nolint:mnd // at least a quarter
		p.WriteString(strings.TrimRight(indent+head, " ") + "\n")
		if first {
			indent = strings.Repeat(" ", Width(indent)) + further
		}
	}
}

// cut breaks a text where a space is or, if the word behind it fits into no line, at the last cell.
func cut(text string, cells int) (head, rest string) {
	if Width(text) <= cells {
		return text, ""
	}
	end, used := 0, 0
	for i, r := range text {
		used += Width(string(r))
		if used > cells {
			end = i
			break
		}
	}
	at := strings.LastIndexByte(text[:end+1], ' ')
	word, _, _ := strings.Cut(text[at+1:], " ")
	if at > 0 && Width(word) <= cells {
		return text[:at], strings.TrimLeft(text[at:], " ")
	}
	return text[:end], text[end:]
}
