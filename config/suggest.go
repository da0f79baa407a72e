package config

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
)

// unknownKey words the error for a key that is none, with the known one that was probably meant.
func unknownKey(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return fmt.Sprintf("unknown key: did you mean %s?", near)
	}
	if len(known) == 0 {
		return "unknown key: none is allowed here"
	}
	return "unknown key: use " + list(known)
}

// nearest finds the word that name is a likely misspelling of, or "".
func nearest(name string, words []string) string {
	fold := strings.NewReplacer("-", "_", ".", "_")
	name = fold.Replace(strings.ToLower(name))
	best, least := "", max(1, len(name)/3)+1
	for _, word := range words {
		if d := levenshtein.ComputeDistance(name, fold.Replace(strings.ToLower(word))); d < least {
			best, least = word, d
		}
	}
	return best
}
