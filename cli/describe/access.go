package describe

import (
	"cmp"
	"fmt"
	"strings"

	"kayra/server/api"
	"kayra/store/catalog"
)

// RoleFacts are what is known of a role.
type RoleFacts struct {
	Role     api.Role
	Bindings []api.RoleBinding // that give it
}

// Role describes a role.
func Role(f RoleFacts) string {
	p := &page{}
	p.facts("", fact{"Name", f.Role.Name})
	p.rules(f.Role.Rules)
	if len(f.Bindings) == 0 {
		p.Heading("Nobody has it.")
		return p.String()
	}
	p.Heading("Given by")
	var facts []fact
	for _, b := range f.Bindings {
		facts = append(facts, fact{b.Name, fmt.Sprintf("to %s, %s", cmp.Or(subjects(b), "nobody"), where(b))})
	}
	p.facts("  ", facts...)
	return p.String()
}

// BindingFacts are what is known of a role binding.
type BindingFacts struct {
	Binding api.RoleBinding
	Role    *api.Role // nil: it was not read
}

// Binding describes a role binding.
func Binding(f BindingFacts) string {
	p := &page{}
	p.facts("",
		fact{"Name", f.Binding.Name}, fact{"Role", f.Binding.Role}, fact{"Holds", where(f.Binding)},
		fact{"Subjects", orNone(subjects(f.Binding))})
	if f.Role != nil {
		p.rules(f.Role.Rules)
	}
	return p.String()
}

func (p *page) rules(rules []catalog.Rule) {
	if len(rules) == 0 {
		p.Heading("It gives nothing.")
		return
	}
	p.Heading("What it gives")
	for _, r := range rules {
		p.Line("  ", "%s on %s of %s", all(r.Verbs, "everything"), all(r.Resources, "all resources"), all(r.APIs, "all APIs"))
	}
}

// all is a list, in which a star stands for all there is.
func all(list []string, everything string) string {
	if len(list) == 1 && list[0] == "*" {
		return everything
	}
	return strings.Join(list, ", ")
}

func where(b api.RoleBinding) string {
	if b.Namespace == "" {
		return "everywhere"
	}
	return "in namespace " + b.Namespace
}

func subjects(b api.RoleBinding) string {
	var names []string
	for _, s := range b.Subjects {
		names = append(names, fmt.Sprintf("%s %s", s.Kind, s.Name))
	}
	return few(names)
}
