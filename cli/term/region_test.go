package term_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kayra/cli/term"
	"kayra/cli/term/termtest"
)

func lines(texts ...string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = text + "\n"
	}
	return all
}

func draw(t interface{ Fatal(...any) }, r *term.Region, v *termtest.Screen, texts ...string) {
	if err := r.Draw(lines(texts...), v.Width, v.Height); err != nil {
		t.Fatal(err)
	}
}

func TestRegion(t *testing.T) {
	t.Parallel()
	v := termtest.New(10, 6)
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
		if diff := cmp.Diff(step.want, v.String()); diff != "" {
			t.Errorf("after %q:\n%s", step.draws, diff)
		}
	}
	draw(t, r, v, "a", "b")
	if err := r.Clear(v.Width, v.Height); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprint(v, "message\n")
	draw(t, r, v, "a", "c")
	if got := v.String(); got != "$ command\nmessage\na\nc" {
		t.Errorf("after a message:\n%s", got)
	}
}

// What has not changed is not written again.
func TestRegionWritesChangesOnly(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := &term.Region{Out: &out}
	for i, want := range []string{"", "\x1b[2A\r\n\x1b[Kc\n", ""} {
		out.Reset()
		if err := r.Draw(lines("a-long-line-that-stays", []string{"b", "c", "c"}[i]), 80, 24); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != want && i > 0 {
			t.Errorf("wrote %q, want %q", got, want)
		}
	}
}

// Whatever was drawn and however the terminal was resized, what was there before stands above what was drawn last.
func TestRegionIsDrawnWhereItIs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := termtest.New(20, 8)
		_, _ = fmt.Fprint(v, "$ x\n")
		r := &term.Region{Out: v}
		for range rapid.IntRange(1, 8).Draw(t, "times") {
			if rapid.Bool().Draw(t, "resized") {
				v.Resize(rapid.IntRange(5, 20).Draw(t, "width"), rapid.IntRange(30, 40).Draw(t, "height"))
			}
			var texts []string
			for range rapid.IntRange(0, 5).Draw(t, "lines") {
				n := rapid.IntRange(0, v.Width).Draw(t, "cells")
				texts = append(texts, strings.Repeat(rapid.StringMatching("[a-z]").Draw(t, "letter"), n))
			}
			draw(t, r, v, texts...)
			want := strings.TrimRight("$ x\n"+strings.Join(texts, "\n"), "\n")
			if got := v.String(); got != want {
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
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"abcd", 1, "…"},
		{"abcd", 0, ""},
		{"", 0, ""},
		{"世界", 3, "世…"},
		{"世界", 2, "…"},
		{"世界", 4, "世界"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
	} {
		if got := term.Cut(c.in, c.n); got != c.want || term.Width(got) > c.n {
			t.Errorf("Cut(%q, %d) = %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
