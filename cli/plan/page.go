package plan

import (
	"fmt"
	"strings"

	"kayra/cli/term"
)

// width is how long a line may be, in cells.
const width = 80

// page is text that is laid out for a terminal.
type page struct{ strings.Builder }

func (p *page) heading(text string) { p.WriteString("\n" + text + "\n") }

// line writes a text behind an indent, in as many lines as it takes.
func (p *page) line(indent, format string, args ...any) {
	rest := term.Escape(fmt.Sprintf(format, args...))
	for first := true; first || rest != ""; first = false {
		var head string
		head, rest = cut(rest, max(width-term.Width(indent), width/4))
		p.WriteString(strings.TrimRight(indent+head, " ") + "\n")
		if first {
			indent = strings.Repeat(" ", term.Width(indent)) + "  "
		}
	}
}

// cut breaks a text where a space is or, if the word behind it fits into no line, at the last cell.
func cut(text string, cells int) (head, rest string) {
	if term.Width(text) <= cells {
		return text, ""
	}
	end, used := 0, 0
	for i, r := range text {
		used += term.Width(string(r))
		if used > cells {
			end = i
			break
		}
	}
	at := strings.LastIndexByte(text[:end+1], ' ')
	word, _, _ := strings.Cut(text[at+1:], " ")
	if at > 0 && term.Width(word) <= cells {
		return text[:at], strings.TrimLeft(text[at:], " ")
	}
	return text[:end], text[end:]
}

// names lists who there is, but not too many.
func (p *page) names(indent string, tenants []Tenant, name func(Tenant) string) {
	var names []string
	for _, t := range tenants[:min(len(tenants), shown)] {
		names = append(names, name(t))
	}
	if more := len(tenants) - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more, which -o json lists", more))
	}
	p.line(indent, "%s", strings.Join(names, ", "))
}
