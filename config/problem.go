package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is all that is wrong with a configuration. Its text has one line for each mistake, and each line says by itself
// where the mistake is, which key it concerns and what is allowed.
type Error struct{ problems []problem }

// problem is one mistake.
type problem struct {
	place place
	key   string // "" when it concerns the whole
	text  string
}

// place is where a value stands: in a line of a file, or in a variable or flag.
type place struct {
	name string
	line int // 0: not in a file, or not known
}

func (p place) String() string {
	if p.line == 0 {
		return p.name
	}
	return fmt.Sprintf("%s:%d", p.name, p.line)
}

func (p problem) String() string {
	parts := make([]string, 0, 3)
	for _, part := range []string{p.place.String(), p.key, p.text} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// Error lists the mistakes in the order of the file.
func (e *Error) Error() string {
	lines := make([]string, 0, len(e.problems))
	for _, p := range e.problems {
		lines = append(lines, p.String())
	}
	return strings.Join(slices.Compact(lines), "\n")
}

// failure makes an error of the problems, or nil.
func failure(problems []problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b problem) int { return cmp.Compare(a.place.line, b.place.line) })
	return &Error{problems: problems}
}

// Warning is something that is probably a mistake but can be started with.
type Warning struct {
	Place string // a variable, or FILE:LINE
	Key   string // "" when it concerns no key
	Text  string
}

// String is the warning as one line.
func (w Warning) String() string {
	return problem{place: place{name: w.Place}, key: w.Key, text: w.Text}.String()
}
