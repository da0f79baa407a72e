package rows

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fvbommel/sortorder"
)

// Sort orders things by a text of each: numbers by their size, times by which is earlier, durations by which is shorter, and
// all else as people do, so that ns2 comes before ns10. Numbers come before times, these before durations, and these before
// all else. What has no text comes last, whichever way round. Of equal ones the order stays.
func Sort[T any](things []T, texts []string, descending bool) {
	order := make([]int, len(things))
	keys := make([]sortKey, len(things))
	for i, text := range texts {
		order[i], keys[i] = i, newSortKey(text)
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return compare(&keys[a], &keys[b], descending)
	})
	sorted := make([]T, len(things))
	for to, from := range order {
		sorted[to] = things[from]
	}
	copy(things, sorted)
}

// sortKey is a text with what it means.
type sortKey struct {
	kind   int
	number float64 // of a number; of a duration its seconds
	time   time.Time
	text   string
}

const (
	ofNumber = iota
	ofTime
	ofDuration
	ofText
	ofNothing
)

func newSortKey(text string) sortKey {
	if text == "" {
		return sortKey{kind: ofNothing}
	}
	if strings.ContainsRune("0123456789.+-", rune(text[0])) {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return sortKey{kind: ofNumber, number: n, text: text}
		}
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			return sortKey{kind: ofTime, time: t, text: text}
		}
		if d, err := time.ParseDuration(text); err == nil {
			return sortKey{kind: ofDuration, number: d.Seconds(), text: text}
		}
	}
	return sortKey{kind: ofText, text: text}
}

func compare(a, b *sortKey, descending bool) int {
	if a.kind == ofNothing || b.kind == ofNothing {
		return cmp.Compare(a.kind, b.kind)
	}
	order := cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.number, b.number), a.time.Compare(b.time), naturally(a.text, b.text))
	if descending {
		return -order
	}
	return order
}

func naturally(a, b string) int {
	switch {
	case sortorder.NaturalLess(a, b):
		return -1
	case sortorder.NaturalLess(b, a):
		return 1
	}
	return 0
}
