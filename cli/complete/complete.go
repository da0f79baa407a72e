// Package complete has what a shell that completes a command line is offered, and remembers for some seconds what a server
// has answered, so that one press of the tab key after another asks it once.
package complete

import (
	"strings"
	"unicode"

	"kayra/cli/term"
)

// Most is how many words are offered at once. A shell lays them all out, and nobody reads more.
const Most = 200

// maxNote bounds what is said of a word, in runes: it stands beside the word, in one line.
const maxNote = 60

// Suggestion is a word that may come next.
type Suggestion struct {
	Value string `json:"value"`
	Note  string `json:"note,omitempty"` // what is said of it, or ""
}

// Words are the suggestions that begin with what was typed, in their order and each once, with what is said of them
// behind a tab, as cobra takes them. What a shell could read as more than a word is none of them: the scripts of some
// shells evaluate the line that it would come to stand in.
func Words(all []Suggestion, typed string) []string {
	words := make([]string, 0, min(len(all), Most))
	seen := make(map[string]bool, len(all))
	for _, s := range all {
		if len(words) == Most {
			break
		}
		if !strings.HasPrefix(s.Value, typed) || seen[s.Value] || !plain(s.Value) {
			continue
		}
		seen[s.Value] = true
		words = append(words, word(s))
	}
	return words
}

func word(s Suggestion) string {
	note := []rune(term.Escape(strings.TrimSpace(s.Note)))
	if len(note) == 0 {
		return s.Value
	}
	if len(note) > maxNote {
		note = append(note[:maxNote-1], '…')
	}
	return s.Value + "\t" + string(note)
}

// plain tells a word that means itself in every shell, unquoted. It begins with a letter, a digit or a dot, since elsewhere
// ~, = and @ expand, and a dash begins a flag.
func plain(word string) bool {
	for i, r := range strings.ReplaceAll(word, "!=", "=") { // which recalls nothing from a shell's history
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '.', r == '_':
		case i > 0 && strings.ContainsRune("-:@%+/=~,", r):
		default:
			return false
		}
	}
	return word != ""
}
