package printer

import (
	"fmt"
	"strings"
)

// rules say what a role gives: VERBS on RESOURCES of APIS, for each rule.
func rules(r row) string {
	const shown = 3
	list, _ := elements(r.node, "rules")
	parts := make([]string, 0, shown)
	for _, rule := range list[:min(shown, len(list))] {
		parts = append(parts, fmt.Sprintf("%s on %s of %s",
			plain(field(rule, "verbs")), plain(field(rule, "resources")), plain(field(rule, "apis"))))
	}
	return joined(parts, len(list)-shown)
}

// boundTo is the namespace of a role binding.
func boundTo(r row) string {
	if in := r.get("namespace"); in != "" {
		return in
	}
	return "(all)"
}

// subjects are those of a role binding, each as KIND NAME.
func subjects(r row) string {
	const shown = 3
	list, _ := elements(r.node, "subjects")
	parts := make([]string, 0, shown)
	for _, s := range list[:min(shown, len(list))] {
		parts = append(parts, plain(field(s, "kind"))+" "+plain(field(s, "name")))
	}
	return joined(parts, len(list)-shown)
}

// joined is a list of which so many more are not shown.
func joined(parts []string, more int) string {
	text := strings.Join(parts, "; ")
	if more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
