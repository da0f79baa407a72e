package theme_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/muesli/termenv"

	"kayra/tui/theme"
)

// luminance is the relative luminance of WCAG 2.
func luminance(c colorful.Color) float64 {
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b //nolint:mnd // as the standard has them
}

func contrast(a, b colorful.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func hex(t *testing.T, s string) colorful.Color {
	t.Helper()
	c, err := colorful.Hex(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// colors are a colour as terminals of 16 million and of 256 colours show it.
func colors(t *testing.T, c lipgloss.TerminalColor) map[string]colorful.Color {
	t.Helper()
	complete, ok := c.(lipgloss.CompleteColor)
	if !ok {
		t.Fatalf("%#v is no complete color", c)
	}
	return map[string]colorful.Color{
		complete.TrueColor: hex(t, complete.TrueColor),
		complete.ANSI256:   termenv.ConvertToRGB(termenv.ANSI256.Color(complete.ANSI256)),
	}
}

func TestTextCanBeReadOnUsualBackgrounds(t *testing.T) {
	t.Parallel()
	for name, backgrounds := range map[string][]string{
		theme.Dark:  {"#000000", "#1E1E1E", "#282C34", "#002B36"},
		theme.Light: {"#FFFFFF", "#FAFAFA", "#FDF6E3"},
	} {
		th := theme.New(theme.Options{Name: name, Profile: termenv.TrueColor})
		text := map[string]lipgloss.Style{
			"dim": th.Dim, "ok": th.OK, "running": th.Running, "warn": th.Warn, "bad": th.Bad, "held": th.Held, "key": th.Key,
		}
		fills := map[string]lipgloss.Style{"bar": th.Bar, "barBad": th.BarBad, "border": th.Border}
		for _, back := range backgrounds {
			for what, style := range text {
				for value, c := range colors(t, style.GetForeground()) {
					if got := contrast(c, hex(t, back)); got < 4.5 {
						t.Errorf("%s: %s %s on %s has a contrast of %.1f", name, what, value, back, got)
					}
				}
			}
			for what, style := range fills {
				for value, c := range colors(t, style.GetForeground()) {
					if got := contrast(c, hex(t, back)); got < 2.5 {
						t.Errorf("%s: %s %s on %s has a contrast of %.1f", name, what, value, back, got)
					}
				}
			}
		}
	}
}

func TestTextOnAColorCanBeRead(t *testing.T) {
	t.Parallel()
	for _, name := range theme.Names() {
		th := theme.New(theme.Options{Name: name, Profile: termenv.TrueColor})
		for what, style := range map[string]lipgloss.Style{
			"selected": th.Selected, "banner": th.Banner, "label": th.Label, "warn": th.Warn, "bad": th.Bad, "held": th.Held, "running": th.Running,
		} {
			if _, none := style.GetBackground().(lipgloss.NoColor); none {
				continue
			}
			text, back := colors(t, style.GetForeground()), colors(t, style.GetBackground())
			for tc, c := range text {
				for bc, b := range back {
					if strings.HasPrefix(tc, "#") == strings.HasPrefix(bc, "#") && contrast(c, b) < 4.5 {
						t.Errorf("%s: %s %s on %s has a contrast of %.1f", name, what, tc, bc, contrast(c, b))
					}
				}
			}
		}
	}
}

// colored finds the number of a colour in a sequence.
var colored = regexp.MustCompile(`[\[;](3|4|9|10)[0-9][;m]`)

func TestMonoHasNoColors(t *testing.T) {
	t.Parallel()
	for _, o := range []theme.Options{{Name: theme.Mono, Profile: termenv.TrueColor}, {Name: theme.Dark, Profile: termenv.Ascii}} {
		th := theme.New(o)
		styles := reflect.ValueOf(th.Styles)
		for i := range styles.NumField() {
			style, _ := reflect.TypeAssert[lipgloss.Style](styles.Field(i))
			if got := style.Render("x"); colored.MatchString(got) {
				t.Errorf("%s of %+v is %q", styles.Type().Field(i).Name, o, got)
			}
		}
		if got := th.Selected.Render("x"); got == "x" {
			t.Error("what is selected is shown by nothing")
		}
	}
}

func TestGlyphsAreOneCellAndTheirTwinsASCII(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		th := theme.New(theme.Options{Name: theme.Dark, Profile: termenv.ANSI256, ASCII: ascii})
		glyphs := append([]string{}, th.Sparks...)
		all := reflect.ValueOf(th.Glyphs)
		for _, field := range all.Fields() {
			if field.Kind() == reflect.String {
				glyphs = append(glyphs, field.String())
			}
		}
		for _, g := range glyphs {
			if ansi.StringWidth(g) != 1 {
				t.Errorf("%q takes %d cells", g, ansi.StringWidth(g))
			}
			if ascii && (len(g) != 1 || g[0] < ' ' || g[0] > '~') {
				t.Errorf("%q is not ASCII", g)
			}
		}
	}
}

func TestNoToneLooksLikeAnother(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		th := theme.New(theme.Options{Name: theme.Mono, ASCII: ascii})
		seen := map[string]theme.Tone{}
		for tone := theme.ToneNone; tone <= theme.TonePaused; tone++ {
			if other, taken := seen[th.Mark(tone)]; taken {
				t.Errorf("tones %d and %d have the glyph %q", other, tone, th.Mark(tone))
			}
			seen[th.Mark(tone)] = tone
		}
	}
}

func TestColorsAreAsManyAsTheTerminalHas(t *testing.T) {
	t.Parallel()
	for profile, want := range map[termenv.Profile]string{
		termenv.TrueColor: "\x1b[38;2;86;179;233mx\x1b[0m", termenv.ANSI256: "\x1b[38;5;74mx\x1b[0m", termenv.ANSI: "\x1b[96mx\x1b[0m",
	} {
		if got := theme.New(theme.Options{Name: theme.Dark, Profile: profile}).OK.Render("x"); got != want {
			t.Errorf("%v renders %q, want %q", profile, got, want)
		}
	}
}
