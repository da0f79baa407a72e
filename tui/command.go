package tui

import (
	"fmt"
	"slices"
	"strings"
)

// order is a command that was typed.
type order struct {
	verb string // a key of orders; "": nothing was typed
	name string
}

// orders are the commands, each with what it takes; "": nothing.
func orders() map[string]string {
	return map[string]string{
		"overview": "", "api": "NAME", "ns": "NAMESPACE", "ctx": "CONTEXT", "reconcilers": "", "deps": "", "help": "", "q": "",
	}
}

// aliases are other words for commands.
func aliases() map[string]string {
	return map[string]string{
		"apis": "overview", "apiregistrations": "overview", "namespace": "ns", "context": "ctx", "rec": "reconcilers",
		"dependencies": "deps", "h": "help", "?": "help", "quit": "q", "q!": "q", "exit": "q",
	}
}

// parseOrder reads a command. It fails with a sentence for the person who typed it, not escaped.
func parseOrder(line string) (order, error) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return order{}, nil
	}
	verb := strings.ToLower(words[0])
	if long, ok := aliases()[verb]; ok {
		verb = long
	}
	takes, known := orders()[verb]
	switch {
	case !known:
		return order{}, fmt.Errorf("%q is not a command: ? lists those there are", words[0])
	case takes == "" && len(words) > 1:
		return order{}, fmt.Errorf(":%s takes nothing, and %q follows it", verb, words[1])
	case takes != "" && len(words) != 2:
		return order{}, fmt.Errorf("the form is :%s %s", verb, takes)
	case takes != "":
		return order{verb, words[1]}, nil
	}
	return order{verb: verb}, nil
}

// orderForms are the commands as they are typed.
func orderForms() []string {
	var forms []string
	for verb, takes := range orders() {
		forms = append(forms, strings.TrimSpace(":"+verb+" "+takes))
	}
	slices.Sort(forms)
	return forms
}

// mostSuggestions bounds how many names are offered for what was typed.
const mostSuggestions = 200

// suggest completes a line that begins as it was typed. names gives what a command can be about.
func suggest(line string, names func(verb string) []string) []string {
	verb, begun, hasName := strings.Cut(line, " ")
	var all []string
	if !hasName {
		for form, takes := range orders() {
			if strings.HasPrefix(form, verb) {
				if takes != "" {
					form += " "
				}
				all = append(all, form)
			}
		}
		slices.Sort(all)
		return all
	}
	if long, ok := aliases()[verb]; ok {
		verb = long
	}
	for _, name := range names(verb) {
		if strings.HasPrefix(name, begun) {
			if all = append(all, line[:len(line)-len(begun)]+name); len(all) == mostSuggestions {
				break
			}
		}
	}
	return all
}
