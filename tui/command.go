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

// form is how a command is typed.
type form struct {
	takes string // "": nothing
	does  string // what it does
}

// orders are the commands.
func orders() map[string]form {
	return map[string]form{
		"overview":    {"", "all APIs"},
		"api":         {"NAME", "one API, by its long or its short name"},
		"ns":          {"NAMESPACE", "the subscriptions of a namespace"},
		"ctx":         {"CONTEXT", "another server where you are logged in"},
		"reconcilers": {"", "the reconcilers"},
		"deps":        {"", "which API needs which"},
		"help":        {"", "this help"},
		"q":           {"", "quit"},
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
	is, known := orders()[verb]
	switch {
	case !known:
		return order{}, fmt.Errorf("%q is not a command: ? lists those there are", words[0])
	case is.takes == "" && len(words) > 1:
		return order{}, fmt.Errorf(":%s takes nothing, and %q follows it", verb, words[1])
	case is.takes != "" && len(words) != 2:
		return order{}, fmt.Errorf("the form is :%s %s", verb, is.takes)
	case is.takes != "":
		return order{verb, words[1]}, nil
	}
	return order{verb: verb}, nil
}

// mostSuggestions bounds how many names are offered for what was typed.
const mostSuggestions = 200

// suggest completes a line that begins as it was typed. names gives what a command can be about.
func suggest(line string, names func(verb string) []string) []string {
	verb, begun, hasName := strings.Cut(line, " ")
	var all []string
	if !hasName {
		for whole, is := range orders() {
			if strings.HasPrefix(whole, verb) {
				if is.takes != "" {
					whole += " "
				}
				all = append(all, whole)
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
