package table_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"kayra/tui/table"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func plain() *theme.Theme { return theme.New(theme.Options{Name: theme.Mono, ASCII: true}) }

// names are rows of two cells. It counts which of them were looked at.
type names struct {
	all    []string
	looked map[int]int
}

func rowsOf(all ...string) *names { return &names{all, map[int]int{}} }

func (n *names) Len() int         { return len(n.all) }
func (n *names) Key(i int) string { return n.all[i] }
func (n *names) Cells(cells []table.Cell, i int) []table.Cell {
	n.looked[i]++
	return append(cells, table.Cell{Text: n.all[i]}, table.Cell{Text: strconv.Itoa(i)})
}

func twoColumns() *table.Table {
	return table.New(table.Column{Title: "NAME", Min: 6, Max: 10}, table.Column{Title: "N", Min: 3, Right: true, Drop: 1})
}

func render(tb *table.Table, rows table.Rows) []string {
	return strings.Split(ansi.Strip(tb.Render(plain(), rows, table.Sort{Column: -1})), "\n")
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	for i := range got {
		got[i] = strings.TrimRight(got[i], " ")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	tb := twoColumns()
	tb.SetSize(16, 4)
	same(t, render(tb, rowsOf("alpha", "a-very-long-name", "c", "d")),
		"  NAME         N", "> alpha        0", "  a-very-lo~   1", "  c            2")
	tb.SetSize(11, 3) // there is no room for the second column
	same(t, render(tb, rowsOf("alpha", "a-very-long-name")), "  NAME", "> alpha", "  a-very-l~")
	tb.SetSize(5, 3) // nor for all of the first
	same(t, render(tb, rowsOf("alpha", "b")), "  NA~", "> al~", "  b")
	tb.SetSize(16, 1)
	same(t, render(tb, rowsOf("alpha")), "  NAME         N")
	tb.SetSize(16, 4)
	same(t, render(tb, rowsOf()), "  NAME         N")
}

func TestTheOrderIsShown(t *testing.T) {
	t.Parallel()
	tb := twoColumns()
	tb.SetSize(16, 2)
	for by, want := range map[table.Sort]string{{Column: 0}: "  NAME^        N", {Column: 1, Down: true}: "  NAME        Nv"} {
		if got, _, _ := strings.Cut(ansi.Strip(tb.Render(plain(), rowsOf(), by)), "\n"); got != want {
			t.Errorf("%+v: %q, want %q", by, got, want)
		}
	}
}

func TestWhatComesFromOutsideIsEscaped(t *testing.T) {
	t.Parallel()
	tb := twoColumns()
	tb.SetSize(30, 5)
	for _, bad := range []string{"a\x1b[31m", "a\nb", "a\r", "\u202eabc", "\xff"} {
		got := tb.Render(plain(), rowsOf("ok", bad), table.Sort{})
		if strings.Contains(ansi.Strip(got), "\x1b") || strings.Count(got, "\n") != 2 || strings.ContainsAny(got, "\r\u202e") || !utf8.ValidString(got) || strings.Contains(got, "[31m") && !strings.Contains(got, `\x1b[31m`) {
			t.Errorf("%q is shown as %q", bad, got)
		}
	}
}

func TestOnlyRowsOnTheScreenAreLookedAt(t *testing.T) {
	t.Parallel()
	all := make([]string, 10_000)
	for i := range all {
		all[i] = strconv.Itoa(i)
	}
	rows := rowsOf(all...)
	tb := twoColumns()
	tb.SetSize(30, 24)
	for _, by := range []int{0, 1, 5000, 1 << 30, -7000, -1 << 30} {
		tb.Move(rows, by)
		clear(rows.looked)
		render(tb, rows)
		if len(rows.looked) != 23 {
			t.Errorf("after %d it looked at %d rows", by, len(rows.looked))
		}
	}
}

func TestTheSelectedRowIsFollowed(t *testing.T) {
	t.Parallel()
	tb := twoColumns()
	tb.SetSize(30, 3)
	rows := rowsOf("a", "b", "c", "d", "e")
	tb.Move(rows, 2)
	for _, c := range []struct {
		now  []string
		want string
	}{
		{[]string{"a", "b", "c", "d", "e"}, "c"},
		{[]string{"c", "b", "a", "d", "e"}, "c"},
		{[]string{"a", "b", "d", "e", "c"}, "c"},
		{[]string{"a", "b", "d", "e"}, "e"}, // it was the last
		{[]string{"e", "a", "b"}, "e"},
		{nil, "e"}, // and comes back
		{[]string{"a", "e"}, "e"},
		{[]string{"x", "y"}, "y"},
	} {
		rows := rowsOf(c.now...)
		lines := render(tb, rows)
		if tb.Key() != c.want {
			t.Fatalf("of %v %q is selected, want %q", c.now, tb.Key(), c.want)
		}
		if len(c.now) > 0 && !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "> "+c.want) }) {
			t.Errorf("of %v this is on the screen: %q", c.now, lines)
		}
	}
}

func TestClick(t *testing.T) {
	t.Parallel()
	tb := twoColumns()
	tb.SetSize(30, 4)
	rows := rowsOf("a", "b", "c", "d", "e")
	tb.Move(rows, 4)
	render(tb, rows) // shows c, d and e
	for line, want := range map[int]string{0: "", 1: "c", 3: "e", 4: "", -1: ""} {
		tb.Select("d")
		if hit := tb.Click(rows, line); hit != (want != "") || hit && tb.Key() != want {
			t.Errorf("line %d: %v, %q, want %q", line, hit, tb.Key(), want)
		}
	}
	if tb.Click(rowsOf("a"), 2) {
		t.Error("there is no such row")
	}
}

// Whatever the columns and the rows are, no line is wider than the table, there are no more of them than it is high, and the
// selected row is among them.
func TestEverythingFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var columns []table.Column
		for range rapid.IntRange(1, 6).Draw(t, "columns") {
			columns = append(columns, table.Column{
				Title: rapid.StringMatching(`[A-Z ]{0,12}`).Draw(t, "title"), Min: rapid.IntRange(1, 20).Draw(t, "min"),
				Max: rapid.IntRange(0, 40).Draw(t, "max"), Right: rapid.Bool().Draw(t, "right"), Drop: rapid.IntRange(0, 3).Draw(t, "drop"),
			})
		}
		all := rapid.SliceOfNDistinct(rapid.String(), 0, 30, rapid.ID).Draw(t, "rows")
		tb := table.New(columns...)
		width, height := rapid.IntRange(3, 100).Draw(t, "width"), rapid.IntRange(2, 20).Draw(t, "height")
		tb.SetSize(width, height)
		rows := uniform{all, len(columns)}
		for _, by := range rapid.SliceOfN(rapid.IntRange(-40, 40), 1, 5).Draw(t, "moves") {
			tb.Move(rows, by)
			lines := strings.Split(tb.Render(plain(), rows, table.Sort{Column: 0}), "\n")
			if len(lines) > height {
				t.Fatalf("%d lines in a table of %d", len(lines), height)
			}
			selected := 0
			for _, line := range lines {
				if widget.Width(line) > width {
					t.Fatalf("%q takes %d cells of %d", line, widget.Width(line), width)
				}
				if strings.HasPrefix(ansi.Strip(line), ">") {
					selected++
				}
			}
			if want := min(len(all), 1); selected != want {
				t.Fatalf("%d selected rows are on the screen", selected)
			}
		}
	})
}

// uniform are rows whose cells all have the same text.
type uniform struct {
	all     []string
	columns int
}

func (s uniform) Len() int         { return len(s.all) }
func (s uniform) Key(i int) string { return s.all[i] }
func (s uniform) Cells(cells []table.Cell, i int) []table.Cell {
	for range s.columns {
		cells = append(cells, table.Cell{Text: s.all[i]})
	}
	return cells
}
