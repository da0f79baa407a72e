package term_test

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kayra/cli/term"
)

// vt is as much of a terminal as a region needs. Its rows are those on the screen and above it.
type vt struct {
	width, height int
	rows          [][]rune
	row, column   int
}

var sequence = regexp.MustCompile(`^\x1b\[(\d*)([A-Za-z])`)

func (v *vt) Write(p []byte) (int, error) {
	text := string(p)
	for text != "" {
		if m := sequence.FindStringSubmatch(text); m != nil {
			v.obey(m[1], m[2])
			text = text[len(m[0]):]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch {
		case r == '\r':
			v.column = 0
		case r == '\n':
			v.row, v.column = v.row+1, 0 // as a terminal has it that is not raw
		default:
			if v.column == v.width {
				v.row, v.column = v.row+1, 0
			}
			v.put(r)
		}
	}
	return len(p), nil
}

func (v *vt) line(row int) []rune {
	for len(v.rows) <= row {
		v.rows = append(v.rows, nil)
	}
	return v.rows[row]
}

func (v *vt) put(r rune) {
	line := v.line(v.row)
	for len(line) <= v.column {
		line = append(line, ' ')
	}
	line[v.column] = r
	v.rows[v.row] = line
	v.column++
}

func (v *vt) obey(number, command string) {
	n, _ := strconv.Atoi(number)
	switch command {
	case "A":
		top := max(0, len(v.rows)-v.height, v.row-v.height+1)
		v.row = max(top, v.row-n)
	case "K":
		if line := v.line(v.row); v.column < len(line) {
			v.rows[v.row] = line[:v.column]
		} else if v.column == v.width && len(line) == v.width { // the cursor stands on the last cell still
			v.rows[v.row] = line[:v.width-1]
		}
	case "J":
		v.obey("", "K")
		v.rows = v.rows[:v.row+1]
	case "m":
	default:
		panic("what is " + command + "?")
	}
}

// resize breaks lines anew, as terminals do that keep text that was too long for a row together.
func (v *vt) resize(width, height int) {
	var rows [][]rune
	row := v.row
	for i, line := range v.rows {
		if i == v.row {
			row = len(rows)
		}
		for len(line) > width {
			rows = append(rows, line[:width])
			line = line[width:]
		}
		rows = append(rows, line)
	}
	if v.row >= len(v.rows) {
		row = len(rows)
	}
	v.rows, v.row, v.width, v.height = rows, row, width, height
}

func (v *vt) screen() string {
	var lines []string
	for _, line := range v.rows {
		lines = append(lines, strings.TrimRight(string(line), " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func lines(texts ...string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = text + "\n"
	}
	return all
}

func draw(t interface{ Fatal(...any) }, r *term.Region, v *vt, texts ...string) {
	if err := r.Draw(lines(texts...), v.width, v.height); err != nil {
		t.Fatal(err)
	}
}

func TestRegion(t *testing.T) {
	t.Parallel()
	v := &vt{width: 10, height: 6}
	_, _ = fmt.Fprint(v, "$ command\n")
	r := &term.Region{Out: v}
	for _, step := range []struct{ draws, want string }{
		{"a,bb", "$ command\na\nbb"},
		{"a,b,ccc", "$ command\na\nb\nccc"},
		{"1234567890,b", "$ command\n1234567890\nb"},
		{"1234567890,c", "$ command\n1234567890\nc"},
		{"x\x1b[31my\x1b[0m", "$ command\nxy"},
		{"", "$ command"},
	} {
		var texts []string
		if step.draws != "" {
			texts = strings.Split(step.draws, ",")
		}
		draw(t, r, v, texts...)
		if diff := cmp.Diff(step.want, v.screen()); diff != "" {
			t.Errorf("after %q:\n%s", step.draws, diff)
		}
	}
	draw(t, r, v, "a", "b")
	if err := r.Clear(v.width, v.height); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprint(v, "message\n")
	draw(t, r, v, "a", "c")
	if got := v.screen(); got != "$ command\nmessage\na\nc" {
		t.Errorf("after a message:\n%s", got)
	}
}

// What has not changed is not written again.
func TestRegionWritesChangesOnly(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := &term.Region{Out: &out}
	for _, last := range []string{"b", "c"} {
		out.Reset()
		if err := r.Draw(lines("a-long-line-that-stays", last), 80, 24); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "\x1b[2A\r\n\x1b[Kc\n" {
		t.Errorf("wrote %q", got)
	}
}

// Whatever was drawn and however the terminal was resized, what was there before stands above what was drawn last.
func TestRegionIsDrawnWhereItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := &vt{width: 20, height: 8}
		_, _ = fmt.Fprint(v, "$ x\n")
		r := &term.Region{Out: v}
		for range rapid.IntRange(1, 8).Draw(t, "times") {
			if rapid.Bool().Draw(t, "resized") {
				v.resize(rapid.IntRange(5, 20).Draw(t, "width"), rapid.IntRange(30, 40).Draw(t, "height"))
			}
			var texts []string
			for range rapid.IntRange(0, 5).Draw(t, "lines") {
				n := rapid.IntRange(0, v.width).Draw(t, "cells")
				texts = append(texts, strings.Repeat(rapid.StringMatching("[a-z]").Draw(t, "letter"), n))
			}
			draw(t, r, v, texts...)
			want := strings.TrimRight("$ x\n"+strings.Join(texts, "\n"), "\n")
			if got := v.screen(); got != want {
				t.Fatalf("got\n%s\nwant\n%s", got, want)
			}
		}
	})
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

func TestRegionThatCannotBeDrawn(t *testing.T) {
	t.Parallel()
	if err := (&term.Region{Out: broken{}}).Draw(lines("a"), 80, 24); err == nil {
		t.Error("it was drawn")
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"abcd", 1, "…"}, {"abcd", 0, ""}, {"", 0, ""}, {"世界", 3, "世…"}, {"世界", 2, "…"}, {"世界", 4, "世界"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
	} {
		if got := term.Cut(c.in, c.n); got != c.want || term.Width(got) > c.n {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
