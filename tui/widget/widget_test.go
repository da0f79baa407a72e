package widget_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"kayra/tui/theme"
	"kayra/tui/widget"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// plain is a theme whose characters are ASCII, and whose styles are taken away by the tests.
func plain() *theme.Theme { return theme.New(theme.Options{Name: theme.Mono, ASCII: true}) }

func TestBar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		done, failed, total int
		want                string
	}{
		{0, 0, 100, ".........."},
		{100, 0, 100, "##########"},
		{50, 0, 100, "#####....."},
		{50, 50, 100, "#####xxxxx"},
		{1, 0, 10_000, "#........."},
		{9999, 0, 10_000, "#########."},
		{9998, 1, 10_000, "########x."},
		{9999, 1, 10_000, "#########x"},
		{0, 1, 10_000, "x........."},
		{0, 9_999, 10_000, "xxxxxxxxx."},
		{0, 10_000, 10_000, "xxxxxxxxxx"},
		{1, 9_998, 10_000, "#xxxxxxxx."},
		{0, 0, 0, ""},
	} {
		if got := ansi.Strip(widget.Bar(plain(), 10, c.done, c.failed, c.total)); got != c.want {
			t.Errorf("%d done, %d failed of %d: %s, want %s", c.done, c.failed, c.total, got, c.want)
		}
	}
}

func TestABarIsAsWideAsItWasTold(t *testing.T) {
	t.Parallel()
	for width := range 7 {
		for done := range 5 {
			for failed := range 5 - done {
				if got := widget.Width(widget.Bar(plain(), width, done, failed, 4)); got != width {
					t.Errorf("%d done, %d failed of 4 in %d cells take %d", done, failed, width, got)
				}
			}
		}
	}
}

func TestSpark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		numbers []int
		width   int
		want    string
	}{
		{[]int{0, 1, 8, 4}, 4, " .@="},
		{[]int{0, 100, 50, 1}, 4, " @=."},
		{[]int{1, 1, 1, 1, 1, 1}, 3, ":::"},
		{[]int{9, 0, 0, 0, 8}, 3, "@ #"}, // the sums are of two each, from the right
		{nil, 4, ""},
		{[]int{1}, 0, ""},
	} {
		if got := ansi.Strip(widget.Spark(plain(), c.width, c.numbers)); got != c.want {
			t.Errorf("%v in %d cells is %q, want %q", c.numbers, c.width, got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m", time.Hour: "1h",
		47 * time.Hour: "47h", 48 * time.Hour: "2d", 999 * day: "999d", 1000 * day: "2y",
	} {
		if got := widget.Age(d); got != want {
			t.Errorf("Age(%s) = %s, want %s", d, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		-1: "0ms", 250 * time.Microsecond: "0ms", 999 * time.Millisecond: "999ms", time.Second: "1.0s", 9990 * time.Millisecond: "9.9s", 10 * time.Second: "10s",
	} {
		if got := widget.Took(d); got != want {
			t.Errorf("Took(%s) = %s, want %s", d, got, want)
		}
	}
	now := time.Date(2026, 8, 4, 10, 0, 0, 0, time.UTC)
	if got := widget.Since(now, time.Time{}) + widget.Since(now, now.Add(-time.Hour)); got != "1h" {
		t.Errorf("no moment and an hour ago are %q", got)
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := widget.Count(n); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[float64]string{0: "0", 0.5: "0.5", 9.24: "9.2", 12.7: "12", 9999: "9999", 10_000: "10k", 999_999: "999k", 1_250_000: "1.2M"} {
		if got := widget.Short(n); got != want {
			t.Errorf("Short(%v) = %s, want %s", n, got, want)
		}
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		left, right string
		width       int
		want        string
	}{
		{"left", "right", 12, "left   right"},
		{"left", "right", 10, "left right"},
		{"left", "right", 8, "l~ right"},
		{"left", "right", 6, "right"},
		{"left", "right", 4, "rig~"},
		{"left", "", 4, "left"},
		{"", "right", 8, "   right"},
	} {
		got := widget.Ends(c.left, c.right, c.width, "~")
		if strings.TrimRight(got, " ") != c.want || widget.Width(got) > c.width {
			t.Errorf("Ends(%q, %q, %d) = %q, want %q", c.left, c.right, c.width, got, c.want)
		}
	}
}

func TestJoin(t *testing.T) {
	t.Parallel()
	parts := []string{"one", "two", "three"}
	for width, want := range map[int]string{20: "one two three", 13: "one two three", 12: "one two ~", 9: "one two ~", 8: "one ~", 5: "one ~", 4: "one~", 0: ""} {
		if got := widget.Join(parts, " ", width, "~"); got != want && widget.Width(got) > width {
			t.Errorf("in %d cells: %q, want %q", width, got, want)
		}
	}
	for width := range 15 {
		if got := widget.Join(parts, " ", width, "~"); widget.Width(got) > width {
			t.Errorf("in %d cells: %q", width, got)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		block  string
		height int
		want   string
	}{
		{"a\nb\nc", 3, "a\nb\nc"}, {"a\nb\nc", 2, "a\nb"}, {"a", 3, "a\n\n"}, {"", 2, "\n"}, {"a", 0, ""}, {"a\n\nb", 2, "a\n"},
	} {
		if got := widget.Lines(c.block, c.height); got != c.want {
			t.Errorf("Lines(%q, %d) = %q, want %q", c.block, c.height, got, c.want)
		}
	}
}

func TestFitKeepsStylesWhole(t *testing.T) {
	t.Parallel()
	styled := "\x1b[1mbold text\x1b[0m"
	got := widget.Fit(styled, 5, "~")
	if ansi.Strip(got) != "bold~" || !strings.HasSuffix(got, "\x1b[0m") {
		t.Errorf("got %q", got)
	}
	if got := widget.Fit("\u4e16\u754c\u4e16", 4, "~"); widget.Width(got) > 4 {
		t.Errorf("wide characters take %d cells: %q", widget.Width(got), got)
	}
}

func TestWrapBreaksWhereItMust(t *testing.T) {
	t.Parallel()
	for _, line := range widget.Wrap("a sentence with averylongwordthatfitsnowhere in it", 10) {
		if widget.Width(line) > 10 {
			t.Errorf("%q is too long", line)
		}
	}
}

func TestWrapKeepsWordsTogether(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"use --expect-sync-id v1":   {"use", "--expect-sync-id", "v1"},
		"a  b c":                    {"a  b c"},
		"":                          {""},
		"  in front":                {"  in front"},
		"one\ntwo":                  {"one", "two"},
		"0f9a3b52-77a4-9c1e-52d1 x": {"0f9a3b52-77a4-9c", "1e-52d1 x"},
	} {
		if got := widget.Wrap(text, 16); !slices.Equal(got, want) {
			t.Errorf("%q is broken into %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-z\- \x{4e16}]{0,60}`).Draw(t, "text")
		width := rapid.IntRange(2, 30).Draw(t, "width")
		lines := widget.Wrap(text, width)
		for _, line := range lines {
			if widget.Width(line) > width {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
		without := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if got := strings.Join(lines, ""); without(got) != without(text) {
			t.Fatalf("%q has become %q", text, got)
		}
	})
}

func TestASCII(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain \x1b[1mtext\x1b[0m\n": "plain \x1b[1mtext\x1b[0m\n", "n\u00e4h": "n?h", "\u4e16\u754c": "????", "e\u0301": "?", "": "", "\u25b8 a": "? a",
	} {
		if got := widget.ASCII(text); got != want {
			t.Errorf("%q stands as %q, want %q", text, got, want)
		}
	}
}
