package printer

import (
	"cmp"
	"slices"
	"strings"

	"kayra/cli/term"
)

const (
	gap  = 3   // cells between two columns
	more = "…" // stands for what is not shown
)

// layOut gives the lines of a table whose columns have at least these widths. Each ends with a newline. Where it would be
// wider than the terminal, texts are cut, and then columns left out, those first that tell least.
func (p Printer) layOut(g *grid, widths []int) []string {
	shown, hidden := fit(g.columns, widths, p.Width)
	lines := g.lines
	if g.header != nil {
		lines = append([][]cell{g.header}, lines...)
	}
	out := make([]string, len(lines))
	for i, line := range lines {
		isHeader := g.header != nil && i == 0
		out[i] = p.line(line, shown, isHeader && hidden)
	}
	return out
}

// slot is a column that is shown.
type slot struct{ index, width int }

func (p Printer) line(cells []cell, shown []slot, marked bool) string {
	var b strings.Builder
	for i, s := range shown {
		c := cells[s.index]
		text := term.Cut(c.text, s.width)
		b.WriteString(p.paint(c.tone, text))
		if last := i == len(shown)-1; !last || marked {
			b.WriteString(strings.Repeat(" ", s.width-term.Width(text)+gap))
		}
	}
	if marked {
		b.WriteString(more)
	}
	b.WriteByte('\n')
	return b.String()
}

// fit chooses the columns that are shown in so many cells, 0 for any number, and gives each its width. hidden tells that
// some are not shown.
func fit(columns []column, widths []int, cells int) (shown []slot, hidden bool) {
	for i, w := range widths {
		shown = append(shown, slot{i, w})
	}
	if cells <= 0 {
		return shown, false
	}
	for {
		room := cells
		if hidden {
			room -= gap + term.Width(more)
		}
		least := leastOf(columns, shown)
		if squeeze(columns, shown, room, least < 0 || columns[shown[least].index].rank == 1) {
			return shown, hidden
		}
		if least < 0 {
			return crush(shown, cells), false
		}
		shown, hidden = slices.Delete(shown, least, least+1), true
		for i := range shown {
			shown[i].width = widths[shown[i].index]
		}
	}
}

func total(shown []slot) int {
	sum := gap * max(0, len(shown)-1)
	for _, s := range shown {
		sum += s.width
	}
	return sum
}

// squeeze makes columns of texts narrower, the widest first, until the table fits, and those of names, too, where what else
// could be done is to leave out a column that matters. It tells whether the table fits.
func squeeze(columns []column, shown []slot, cells int, names bool) bool {
	const leastName = 8
	leastOf := func(s slot) int {
		if c := columns[s.index]; c.least > 0 || c.rank > 0 || !names {
			return c.least
		}
		return leastName
	}
	for over := total(shown) - cells; over > 0; over = total(shown) - cells {
		widest, next := -1, 0 // and how wide the next one is
		for i, s := range shown {
			least := leastOf(s)
			switch {
			case least == 0 || s.width <= least:
			case widest < 0 || s.width > shown[widest].width:
				if widest >= 0 {
					next = shown[widest].width
				}
				widest = i
			default:
				next = max(next, s.width)
			}
		}
		if widest < 0 {
			return false
		}
		s := &shown[widest]
		s.width = max(s.width-over, min(next, s.width-1), leastOf(*s))
	}
	return true
}

// leastOf is the column that tells least, or -1 if none may be left out.
func leastOf(columns []column, shown []slot) int {
	least := slices.IndexFunc(shown, func(s slot) bool { return columns[s.index].rank > 0 })
	for i, s := range shown {
		if least >= 0 && columns[s.index].rank >= columns[shown[least].index].rank && columns[s.index].rank > 0 {
			least = i
		}
	}
	return least
}

// crush cuts all columns that are left, the widest most, and leaves out those behind that still have no room.
func crush(shown []slot, cells int) []slot {
	for total(shown) > cells {
		widest := slices.MaxFunc(shown, func(a, b slot) int { return cmp.Compare(a.width, b.width) })
		if widest.width > 1 {
			i := slices.Index(shown, widest)
			shown[i].width--
			continue
		}
		if len(shown) == 1 {
			break
		}
		shown = shown[:len(shown)-1]
	}
	return shown
}
