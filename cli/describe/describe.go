// Package describe tells of one thing all that there is to know about it, for people. It is made of what the server and a
// reconciler answer, and asks nothing itself.
package describe

import (
	"encoding/json"
	"fmt"
	"strings"

	"kayra/cli/printer"
	"kayra/cli/term"
)

// page is text that is laid out for a terminal.
type page struct{ term.Page }

// fact is a line of a description.
type fact struct{ label, value string }

// facts has a line for each fact that there is, with the values below each other.
func (p *page) facts(indent string, all ...fact) {
	width := 0
	for _, f := range all {
		if f.value != "" {
			width = max(width, term.Width(term.Escape(f.label)))
		}
	}
	for _, f := range all {
		if f.value == "" {
			continue
		}
		label := term.Escape(f.label) + ":"
		p.Cell(fmt.Sprintf("%s%s%s  ", indent, label, strings.Repeat(" ", width+1-term.Width(label))), "%s", f.value)
	}
}

// tree has what a value holds below a heading, if it holds anything.
func (p *page) tree(title string, value any) {
	encoded, err := json.Marshal(value)
	if err != nil || string(encoded) == "{}" || string(encoded) == "null" {
		return
	}
	p.Heading(title)
	_ = printer.Tree(&p.Page, "  ", encoded) // was encoded here
}

// few is a list of names, of which not too many are shown.
func few(names []string) string {
	const shown = 20
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}

// orNone says that there is nothing.
func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}

// Thing describes what nothing is known of but its JSON.
func Thing(document []byte) (string, error) {
	p := &page{}
	if err := printer.Tree(&p.Page, "", document); err != nil {
		return "", fmt.Errorf("describe: %w", err)
	}
	return p.String(), nil
}
