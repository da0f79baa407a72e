package plan

import (
	"fmt"
	"strings"

	"kayra/cli/term"
)

// page is text that is laid out for a terminal.
type page struct{ term.Page }

// names lists who there is, but not too many.
func (p *page) names(indent string, tenants []Tenant, name func(Tenant) string) {
	var names []string
	for _, t := range tenants[:min(len(tenants), shown)] {
		names = append(names, name(t))
	}
	if more := len(tenants) - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more, which -o json lists", more))
	}
	p.Line(indent, "%s", strings.Join(names, ", "))
}
