package tui_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/muesli/termenv"

	"kayra/tui/theme"
)

func widths() []int { return []int{40, 80, 120} }

// TestGolden has all screens at several widths and in all themes.
//
// WIDTH.golden has what is drawn, where a part of another style than that of text stands as «STYLE:part». All themes draw the
// same, in their own styles, which styles.golden has. ascii-WIDTH.golden has what is drawn with ASCII alone, without styles.
// After a wanted change, run it with -update and look at the diff.
func TestGolden(t *testing.T) {
	t.Parallel()
	named := pictures(t, marked(t))
	for _, width := range widths() {
		same(t, strconv.Itoa(width), named[width].marked())
	}
	looks := map[string]string{}
	for name, th := range themes() {
		drawn := pictures(t, th)
		for _, width := range widths() {
			if name == ascii {
				same(t, fmt.Sprintf("ascii-%d", width), drawn[width].plain())
				continue
			}
			for style, sequence := range drawn[width].stylesOf(t, name, named[width]) {
				looks[fmt.Sprintf("%-8s %-13s", name, style)] = sequence
			}
		}
	}
	var legend strings.Builder
	for _, look := range slices.Sorted(maps.Keys(looks)) {
		fmt.Fprintf(&legend, "%s ^[%sm\n", look, looks[look])
	}
	same(t, "styles", legend.String())
}

// picture is all screens at one width.
type picture []drawing

// drawing is a screen, as cells with the sequence that styles them.
type drawing struct {
	scene string
	cells []cell
}

type cell struct {
	char  rune // a line ends with \n
	style string
}

// pictures draws all screens, and holds them to the rules that all follow.
func pictures(t *testing.T, th *theme.Theme) map[int]picture {
	t.Helper()
	all := map[int]picture{}
	for _, s := range scenes() {
		s.show(t, th, func(d *driver) {
			for _, width := range widths() {
				height := s.height
				if height == 0 {
					height = 24
				}
				d.send(tea.WindowSizeMsg{Width: width, Height: height})
				d.pass(100 * time.Millisecond)
				screen := d.model.View()
				if fault := faultOf(screen, width, height, th); fault != "" {
					t.Errorf("%s in %s at %d: %s:\n%s", s.name, th.Name, width, fault, ansi.Strip(screen))
				}
				all[width] = append(all[width], drawing{s.name, cellsOf(screen)})
			}
		})
	}
	return all
}

var (
	sequence = regexp.MustCompile(`^\x1b\[([\d;]*)m`)
	colored  = regexp.MustCompile(`\x1b\[(\d+;)*(3|4|9|10)\d[;m]`)
)

// faultOf is which of the rules that every screen follows one breaks; "": none.
func faultOf(screen string, width, height int, th *theme.Theme) string {
	lines := strings.Split(screen, "\n")
	if len(lines) > height {
		return fmt.Sprintf("%d lines", len(lines))
	}
	for _, line := range lines {
		plain := ansi.Strip(line)
		switch {
		case ansi.StringWidth(line) > width:
			return fmt.Sprintf("a line of %d cells: %q", ansi.StringWidth(line), line)
		case th.Name == theme.Mono && colored.MatchString(line):
			return fmt.Sprintf("a colour: %q", line)
		case strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e }):
			return fmt.Sprintf("a control character: %q", line)
		case th.ASCII && strings.ContainsFunc(plain, func(r rune) bool { return r > 0x7f }):
			return fmt.Sprintf("not ASCII: %q", plain)
		case strings.ToValidUTF8(line, "") != line:
			return fmt.Sprintf("not UTF-8: %q", line)
		}
	}
	return ""
}

func cellsOf(screen string) []cell {
	var cells []cell
	for style := ""; screen != ""; {
		if m := sequence.FindStringSubmatch(screen); m != nil {
			style = strings.TrimPrefix(m[1], "0")
			screen = screen[len(m[0]):]
			continue
		}
		r, size := utf8.DecodeRuneInString(screen)
		screen = screen[size:]
		cells = append(cells, cell{r, style})
	}
	return append(cells, cell{'\n', ""})
}

// marked is a theme each of whose styles can be told from all others. Their sequences have their names.
func marked(t *testing.T) *theme.Theme {
	t.Helper()
	th := theme.New(theme.Options{Name: theme.Dark, Profile: termenv.TrueColor})
	styles := reflect.ValueOf(&th.Styles).Elem()
	for i := range styles.NumField() {
		if styles.Type().Field(i).Name == "Text" { // has no style in any theme
			continue
		}
		color := lipgloss.Color(fmt.Sprintf("#0000%02x", i))
		styles.Field(i).Set(reflect.ValueOf(th.Renderer().NewStyle().Foreground(color)))
	}
	return th
}

var mark = regexp.MustCompile(`^(?:(1;)|(7;))?38;2;0;0;(\d+)$`)

// styleNamed is the name of a sequence of the marked theme.
func styleNamed(sequence string) string {
	m := mark.FindStringSubmatch(sequence)
	if m == nil {
		return map[string]string{"7": "reverse"}[sequence]
	}
	var i int
	_, _ = fmt.Sscan(m[3], &i)
	name := reflect.TypeFor[theme.Styles]().Field(i).Name
	if m[1] != "" {
		name += "+bold"
	}
	return name
}

// marked is a picture of the marked theme as it stands in a golden file.
func (p picture) marked() string {
	var b strings.Builder
	for _, s := range p {
		fmt.Fprintf(&b, "=== %s\n", s.scene)
		was := ""
		for _, c := range s.cells {
			name := styleNamed(c.style)
			if name != was {
				if was != "" {
					b.WriteString("»")
				}
				if was = name; name != "" {
					b.WriteString("«" + name + ":")
				}
			}
			b.WriteRune(c.char)
		}
	}
	return trimmed(b.String())
}

// plain is a picture without styles.
func (p picture) plain() string {
	var b strings.Builder
	for _, s := range p {
		fmt.Fprintf(&b, "=== %s\n", s.scene)
		for _, c := range s.cells {
			b.WriteRune(c.char)
		}
	}
	return trimmed(b.String())
}

func trimmed(text string) string { return regexp.MustCompile(`(?m) +$`).ReplaceAllString(text, "") }

// stylesOf has the sequence of each style, found by a picture of the same that is marked. What is drawn must be the same, and each style
// always look the same.
func (p picture) stylesOf(t *testing.T, name string, named picture) map[string]string {
	t.Helper()
	found := map[string]string{}
	for i, s := range p {
		if !slices.EqualFunc(s.cells, named[i].cells, func(a, b cell) bool { return a.char == b.char }) {
			t.Errorf("%s draws another screen %s", name, s.scene)
			continue
		}
		for at, c := range s.cells {
			style := styleNamed(named[i].cells[at].style)
			if c.char == ' ' || c.char == '\n' || style == "" { // blanks in an underlined text have a style of their own
				continue
			}
			if was, known := found[style]; known && was != c.style {
				t.Errorf("%s: %s is %q and %q", name, style, was, c.style)
			}
			found[style] = c.style
		}
	}
	return found
}

func same(t *testing.T, name, got string) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		golden.RequireEqual(t, got)
	})
}
