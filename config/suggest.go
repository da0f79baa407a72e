package config

import (
	"fmt"
	"strings"
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
		if d := distance(name, fold.Replace(strings.ToLower(word))); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance is the number of single letters to insert, delete or replace on the way from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
