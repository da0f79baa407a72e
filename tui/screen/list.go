package screen

import (
	"strings"

	"kayra/tui/table"
	"kayra/tui/widget"
)

// content is what a List shows.
type content interface {
	// title is what the screen is called, escaped.
	title() string
	// rows are those that a filter takes, in an order.
	rows(d *Data, by table.Sort, f Filter) table.Rows
	// subject is what the row of a key is about.
	subject(d *Data, key string) Subject
	// above are the lines above the table, where there is room for them.
	above(d *Data, width int) []string
	// nothing is what is said where there are no rows.
	nothing(d *Data) string
}

// List is a screen that is a table, with an order and a filter.
type List struct {
	content content
	table   *table.Table
	sort    table.Sort
	filter  Filter

	width, height int
	top           int // lines above the table, as it was drawn last
}

func newList(c content, by table.Sort, columns ...table.Column) *List {
	return &List{content: c, table: table.New(columns...), sort: by}
}

// SetSize says how many cells and lines the screen has.
func (l *List) SetSize(width, height int) { l.width, l.height = width, height }

// Title is what the screen is called, escaped.
func (l *List) Title() string { return l.content.title() }

// Filter is the filter that is set.
func (l *List) Filter() Filter { return l.filter }

// SetFilter says which rows are shown.
func (l *List) SetFilter(f Filter) { l.filter = f }

// Columns are the titles of the columns, in the order of their keys.
func (l *List) Columns() []string {
	columns := l.table.Columns()
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.Title
	}
	return titles
}

// SortBy orders by a column or, if that is so already, the other way round. It tells whether there is such a column.
func (l *List) SortBy(column int) bool {
	switch {
	case column < 0 || column >= len(l.table.Columns()):
		return false
	case l.sort.Column == column:
		l.sort.Down = !l.sort.Down
	default:
		l.sort = table.Sort{Column: column}
	}
	return true
}

// Sorted is the column that rows are ordered by.
func (l *List) Sorted() int { return l.sort.Column }

// Select selects the row of a key.
func (l *List) Select(key string) { l.table.Select(key) }

// Scroll selects the row that is so many further down, or up.
func (l *List) Scroll(d *Data, by int) { l.table.Move(l.rows(d), by) }

// Click selects the row in a line of the screen. It tells whether there is one.
func (l *List) Click(d *Data, line int) bool { return l.table.Click(l.rows(d), line-l.top) }

// Position is which row is selected, of how many.
func (l *List) Position(d *Data) string {
	rows := l.rows(d)
	if rows.Len() == 0 {
		return ""
	}
	return widget.Count(l.table.At(rows)+1) + " of " + widget.Count(rows.Len())
}

// Subject is what is selected.
func (l *List) Subject(d *Data) Subject {
	rows := l.rows(d)
	i := l.table.At(rows)
	if i < 0 {
		return l.content.subject(d, "")
	}
	return l.content.subject(d, rows.Key(i))
}

func (l *List) rows(d *Data) table.Rows { return l.content.rows(d, l.sort, l.filter) }

// minRows is how many lines the table has at least, before others get any.
const minRows = 6

// Render draws the screen.
func (l *List) Render(d *Data) string {
	var above []string
	if l.width >= roomy && l.height >= tall {
		above = l.content.above(d, l.width)
		above = above[:min(len(above), l.height-minRows)]
	}
	l.top = len(above)
	l.table.SetSize(l.width, l.height-l.top)
	var b strings.Builder
	for _, line := range above {
		b.WriteString(widget.Fit(line, l.width, d.Theme.Ellipsis) + "\n")
	}
	rows := l.rows(d)
	b.WriteString(l.table.Render(d.Theme, rows, l.sort))
	if rows.Len() == 0 {
		l.empty(&b, d)
	}
	return widget.Lines(b.String(), l.height)
}

func (l *List) empty(b *strings.Builder, d *Data) {
	text := l.content.nothing(d)
	if !l.filter.Empty() {
		text = "Nothing here matches the filter /" + l.filter.String() + "  Esc takes it away."
	}
	const indent = "  "
	b.WriteByte('\n')
	for _, line := range widget.Wrap(safe(text), l.width-len(indent)) {
		b.WriteString("\n" + indent + d.Theme.Dim.Render(line))
	}
}
