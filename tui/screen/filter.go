package screen

import "strings"

// Filter says which rows are shown: those with all of its words in what they show, and without those that a ! stands
// before. Capitals make no difference. Its zero value takes all.
type Filter struct {
	text    string
	with    []string
	without []string
}

// ParseFilter reads a filter as it is typed. A ! by itself, to which a word may follow yet, means nothing.
func ParseFilter(text string) Filter {
	f := Filter{text: strings.TrimSpace(text)}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		switch not, negated := strings.CutPrefix(word, "!"); {
		case negated && not != "":
			f.without = append(f.without, not)
		case !negated:
			f.with = append(f.with, word)
		}
	}
	return f
}

// String is the filter as it was typed.
func (f Filter) String() string { return f.text }

// Empty tells that it takes all.
func (f Filter) Empty() bool { return len(f.with) == 0 && len(f.without) == 0 }

// Match tells whether it takes a row that shows these texts.
func (f Filter) Match(texts ...string) bool {
	for _, word := range f.with {
		if !within(word, texts) {
			return false
		}
	}
	for _, word := range f.without {
		if within(word, texts) {
			return false
		}
	}
	return true
}

func within(word string, texts []string) bool {
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), word) {
			return true
		}
	}
	return false
}
