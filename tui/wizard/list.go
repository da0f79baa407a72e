package wizard

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/cli/term"
	"kayra/tui/widget"
)

// list is a list of things of which one is pointed at. It draws those that are in sight alone.
type list struct {
	items  []item
	shown  []int // indexes of those that the filter leaves
	at     int   // which one of the shown is pointed at
	top    int   // the first of the shown that is in sight
	room   int   // how many are in sight
	filter input
	typing bool // keys go to the filter
}

// item is a thing of a list. Its texts are not escaped.
type item struct {
	name string   // its identity, and what the filter looks at
	rest []string // columns
}

// set puts other things into the list, and keeps what is pointed at.
func (l *list) set(items []item) {
	name := ""
	if one := l.current(); one != nil {
		name = one.name
	}
	l.items = items
	l.sift(name)
}

// sift applies the filter.
func (l *list) sift(keep string) {
	l.shown, l.at = l.shown[:0], 0
	for i, one := range l.items {
		if strings.Contains(one.name, l.filter.text) {
			if one.name == keep {
				l.at = len(l.shown)
			}
			l.shown = append(l.shown, i)
		}
	}
	l.follow()
}

// current is the thing that is pointed at; nil: none is.
func (l *list) current() *item {
	if l.at >= len(l.shown) {
		return nil
	}
	return &l.items[l.shown[l.at]]
}

// point points at a thing.
func (l *list) point(name string) { l.sift(name) }

// follow has what is pointed at be in sight.
func (l *list) follow() {
	room := max(l.room, 1)
	l.top = max(min(l.top, l.at, len(l.shown)-room), l.at-room+1, 0)
}

// key takes a key that moves or filters: true says that it was one.
func (l *list) key(k tea.KeyMsg) bool {
	if l.typing {
		return l.keyOfFilter(k)
	}
	var by int
	switch k.String() {
	case "up", "k":
		by = -1
	case "down", "j":
		by = 1
	case "pgup", "ctrl+b":
		by = -max(l.room, 1)
	case "pgdown", "ctrl+f":
		by = max(l.room, 1)
	case "home", "g":
		by = -len(l.shown)
	case "end", "G":
		by = len(l.shown)
	case "/":
		l.typing = true
		return true
	default:
		return false
	}
	l.at = max(min(l.at+by, len(l.shown)-1), 0)
	l.follow()
	return true
}

// keyOfFilter takes a key while the filter is typed. Esc takes the filter away, Enter and the arrows keep it.
func (l *list) keyOfFilter(k tea.KeyMsg) bool {
	name := ""
	if one := l.current(); one != nil {
		name = one.name
	}
	switch k.Type {
	case tea.KeyEsc:
		l.typing, l.filter = false, input{}
	case tea.KeyEnter, tea.KeyUp, tea.KeyDown, tea.KeyTab:
		l.typing = false
	default:
		l.filter.key(k)
	}
	l.sift(name)
	return true
}

// lines draws the list. mark is what stands before a thing's name.
func (l *list) lines(m *Model, width, height int, mark func(*item) string) []string {
	th := m.theme
	l.room = max(height, 1)
	l.follow()
	if len(l.shown) == 0 {
		text := "there is nothing"
		if l.filter.text != "" {
			text = "nothing has " + l.filter.text + " in its name"
		}
		return []string{th.Dim.Render(widget.Fit("  "+term.Escape(text), width, th.Ellipsis))}
	}
	sight := l.shown[l.top:min(l.top+l.room, len(l.shown))]
	cells := l.cells(sight, width)
	lines := make([]string, len(sight))
	for i, at := range sight {
		one := &l.items[at]
		pointer := " "
		if l.top+i == l.at {
			pointer = th.Pointer
		}
		columns := []string{pointer + " " + mark(one) + widget.Pad(widget.Fit(term.Escape(one.name), cells, th.Ellipsis), cells)}
		for _, column := range one.rest {
			columns = append(columns, term.Escape(column))
		}
		text := widget.Fit(strings.Join(columns, "  "), width, th.Ellipsis)
		if l.top+i == l.at {
			text = th.Selected.Render(widget.Pad(text, width))
		}
		lines[i] = text
	}
	return lines
}

// cells is how wide the names are, of those in sight.
func (l *list) cells(sight []int, width int) int {
	widest := 0
	for _, at := range sight {
		widest = max(widest, widget.Width(term.Escape(l.items[at].name)))
	}
	return min(widest, max(width*3/5, 1)) //nolint:mnd // the columns have the rest
}

// filtered says what the filter is, or how it is reached.
func (l *list) filtered() string {
	switch {
	case l.typing:
		return "/" + l.filter.text + "_"
	case l.filter.text != "":
		return "/" + l.filter.text
	}
	return ""
}
