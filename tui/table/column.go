package table

import "slices"

// Column says what a column is like.
type Column struct {
	Title string
	Min   int  // cells that it takes at least
	Max   int  // and at most; 0: Min
	Right bool // what is in it ends at its right edge
	Drop  int  // when it is left out for want of room: the greatest first; 0: never
}

// most is how wide a column may be.
func (c Column) most() int { return max(c.Min, c.Max) }

// gap is what is left free between two columns, and pointer what the mark of the selected row takes.
const (
	gap     = 1
	pointer = 2
)

// layout gives the width of each column in so many cells; 0: it is left out. What is left over goes to those that can be
// wider, evenly.
func layout(columns []Column, width int) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = c.Min
	}
	for more := true; more && taken(widths) > width; {
		more = dropOne(columns, widths)
	}
	shrink(widths, taken(widths)-width)
	for spare := width - taken(widths); spare > 0; {
		before := spare
		for i, c := range columns {
			if spare > 0 && widths[i] > 0 && widths[i] < c.most() {
				widths[i]++
				spare--
			}
		}
		if spare == before {
			break
		}
	}
	return widths
}

// taken is how many cells columns take, with the pointer and the gaps.
func taken(widths []int) int {
	sum := pointer - gap
	for _, w := range widths {
		if w > 0 {
			sum += gap + w
		}
	}
	return sum
}

func dropOne(columns []Column, widths []int) bool {
	worst := -1
	for i, c := range columns {
		if widths[i] > 0 && c.Drop > 0 && (worst < 0 || c.Drop > columns[worst].Drop) {
			worst = i
		}
	}
	if worst < 0 {
		return false
	}
	widths[worst] = 0
	return true
}

// shrink takes cells away from the widest columns.
func shrink(widths []int, cells int) {
	for ; cells > 0; cells-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= 1 {
			return
		}
		widths[widest]--
	}
}
