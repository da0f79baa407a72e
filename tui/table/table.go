// Package table shows rows of which it looks at no others than those that are on the screen. No line is longer than the
// table is wide, and what comes from outside is escaped.
package table

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"kayra/cli/term"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// Rows are what a table shows.
type Rows interface {
	// Len is how many there are.
	Len() int
	// Key is what a row is known by, which stays the same when its place changes.
	Key(i int) string
	// Cells appends a row's cells to a slice, one for each column.
	Cells(cells []Cell, i int) []Cell
}

// Cell is what a row has in a column.
type Cell struct {
	Text  string // escaped when it is shown, unless it is Drawn
	Style lipgloss.Style
	Drawn func(width int) string // draws the cell, with styles, in so many cells or less; nil: Text is shown
}

// Table shows a window of rows, of which one is selected. It keeps to the row that is selected, wherever that moves.
type Table struct {
	columns []Column
	widths  []int
	width   int
	height  int // with the line of the titles

	key    string // of the selected row
	at     int    // where it was last
	offset int    // of the first row that is shown
	cells  []Cell
}

// New makes a table without rows.
func New(columns ...Column) *Table {
	return &Table{columns: columns, widths: make([]int, len(columns))}
}

// SetSize says how many cells the table has, with the line of the titles.
func (t *Table) SetSize(width, height int) {
	if width != t.width {
		t.widths = layout(t.columns, width)
	}
	t.width, t.height = width, height
}

// Columns are those of the table.
func (t *Table) Columns() []Column { return t.columns }

// Key is that of the selected row; "": there is none.
func (t *Table) Key() string { return t.key }

// Select has the row of a key be the selected one.
func (t *Table) Select(key string) { t.key = key }

// Move has another row be the selected one: so many further down, or up. It stops at the ends.
func (t *Table) Move(rows Rows, by int) {
	t.find(rows)
	t.put(rows, t.at+by)
}

// Page is how many rows are shown at once.
func (t *Table) Page() int { return max(t.height-1, 1) }

// Click has the row be the selected one that is shown in a line, counted from the titles' line. It tells whether there is one.
func (t *Table) Click(rows Rows, line int) bool {
	i := t.offset + line - 1
	if line < 1 || line >= t.height || i >= rows.Len() {
		return false
	}
	t.put(rows, i)
	return true
}

// At is where the selected row is; -1: there are no rows.
func (t *Table) At(rows Rows) int {
	t.find(rows)
	return t.at
}

// put selects the row at a place.
func (t *Table) put(rows Rows, i int) {
	t.at = min(max(i, 0), rows.Len()-1)
	t.key = ""
	if t.at >= 0 {
		t.key = rows.Key(t.at)
	}
}

// find finds the selected row again. One that is gone leaves its place to the one that stands there now.
func (t *Table) find(rows Rows) {
	n := rows.Len()
	if n == 0 {
		t.at = -1
		return
	}
	t.at = min(max(t.at, 0), n-1)
	if t.key == "" {
		t.put(rows, t.at)
		return
	}
	for away := range n { // it has not moved far, mostly
		if i := t.at - away; i >= 0 && rows.Key(i) == t.key {
			t.at = i
			return
		}
		if i := t.at + away; i < n && rows.Key(i) == t.key {
			t.at = i
			return
		}
	}
	t.put(rows, t.at)
}

// Sort is the column that rows are ordered by; -1: another order.
type Sort struct {
	Column int
	Down   bool // the greatest first
}

// Render draws the table in no more lines than it is high. The last one has no end of line.
func (t *Table) Render(th *theme.Theme, rows Rows, sort Sort) string {
	t.find(rows)
	t.scroll(rows.Len())
	var b strings.Builder
	t.titles(&b, th, sort)
	for i := t.offset; i < min(rows.Len(), t.offset+t.height-1); i++ {
		b.WriteByte('\n')
		t.row(&b, th, rows, i)
	}
	return b.String()
}

// scroll keeps the selected row in the window, and the window full.
func (t *Table) scroll(rows int) {
	page := t.Page()
	t.offset = min(t.offset, max(t.at, 0))
	t.offset = max(t.offset, t.at-page+1)
	t.offset = max(min(t.offset, rows-page), 0)
}

func (t *Table) titles(b *strings.Builder, th *theme.Theme, sort Sort) {
	var line strings.Builder
	line.WriteString(strings.Repeat(" ", pointer-gap))
	for i, c := range t.columns {
		if t.widths[i] == 0 {
			continue
		}
		title := c.Title
		if sort.Column == i {
			title += order(th, sort.Down)
		}
		line.WriteString(strings.Repeat(" ", gap) + place(title, t.widths[i], c.Right, th))
	}
	b.WriteString(th.Heading.Render(widget.Fit(strings.TrimRight(line.String(), " "), t.width, th.Ellipsis)))
}

func order(th *theme.Theme, down bool) string {
	if down {
		return th.Down
	}
	return th.Up
}

func (t *Table) row(b *strings.Builder, th *theme.Theme, rows Rows, i int) {
	t.cells = rows.Cells(t.cells[:0], i)
	selected := i == t.at
	if selected {
		t.selected(b, th)
		return
	}
	left := t.width - (pointer - gap)
	b.WriteString(strings.Repeat(" ", pointer-gap))
	for n, cell := range t.cells {
		w := min(t.widths[n], left-gap) // there may be more columns than cells
		if w <= 0 {
			continue
		}
		b.WriteString(strings.Repeat(" ", gap))
		b.WriteString(cell.draw(w, t.columns[n].Right, th))
		left -= gap + w
	}
}

// selected draws the row that is selected, all of it in one style.
func (t *Table) selected(b *strings.Builder, th *theme.Theme) {
	var line strings.Builder
	line.WriteString(th.Pointer)
	for n, cell := range t.cells {
		if w := t.widths[n]; w > 0 {
			line.WriteString(strings.Repeat(" ", gap) + cell.plain(w, t.columns[n].Right, th))
		}
	}
	b.WriteString(th.Selected.Render(widget.Pad(widget.Fit(line.String(), t.width, th.Ellipsis), t.width)))
}

func (c *Cell) draw(width int, right bool, th *theme.Theme) string {
	if c.Drawn != nil {
		return widget.Pad(c.Drawn(width), width)
	}
	text := widget.Fit(term.Escape(c.Text), width, th.Ellipsis)
	blank := strings.Repeat(" ", max(width-widget.Width(text), 0))
	if text != "" {
		text = c.Style.Render(text)
	}
	if right {
		return blank + text
	}
	return text + blank
}

func (c *Cell) plain(width int, right bool, th *theme.Theme) string {
	if c.Drawn != nil {
		return widget.Pad(ansi.Strip(c.Drawn(width)), width)
	}
	return place(term.Escape(c.Text), width, right, th)
}

// place makes a text as wide as a column.
func place(text string, width int, right bool, th *theme.Theme) string {
	text = widget.Fit(text, width, th.Ellipsis)
	if right {
		return widget.PadLeft(text, width)
	}
	return widget.Pad(text, width)
}
