package term

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Escape makes what a terminal would obey visible: control characters, marks that reorder text, invalid UTF-8. Text that
// came from elsewhere passes through it before it is shown.
func Escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || !strconv.IsPrint(r) {
			quoted := strconv.Quote(s[i : i+size])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Width is the number of cells that escaped text takes in a terminal.
func Width(s string) int {
	cells := 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf:
			cells++
		case unicode.In(r, unicode.Mn, unicode.Me):
		case isWide(r):
			cells += 2
		default:
			cells++
		}
	}
	return cells
}

func isWide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// Cut is the beginning of an escaped text that takes at most so many cells, of which the last one says that it was cut.
func Cut(s string, cells int) string {
	if Width(s) <= cells {
		return s
	}
	used := 0
	for i, r := range s {
		used += Width(string(r))
		if used > cells-1 {
			return s[:i] + "…"[:len("…")*min(1, max(0, cells))]
		}
	}
	return s
}
