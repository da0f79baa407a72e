// Package theme is how the terminal screens look: styles by what they mean, and the characters they draw with. It asks the
// terminal nothing. What is told by colour is always told by a character and a word, too, and the colours are blue and orange,
// which colour-blind people tell apart.
package theme

import (
	"io"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// The themes.
const (
	Dark     = "dark"
	Light    = "light"
	Mono     = "mono"     // no colours
	Contrast = "contrast" // as much contrast as there is, on any background
)

// Names are those of all themes.
func Names() []string { return []string{Dark, Light, Mono, Contrast} }

// Options say which theme it is to be. [Detect] finds them out.
type Options struct {
	Name    string          // one of Names; anything else: Dark
	Profile termenv.Profile // colours that the terminal has; none: Mono
	ASCII   bool            // characters are ASCII
}

// Theme is a theme. It is not changed once it is made.
type Theme struct {
	Styles
	Glyphs

	Name  string
	ASCII bool

	renderer *lipgloss.Renderer
}

// Styles are by meaning.
type Styles struct {
	Text     lipgloss.Style // of no other kind
	Title    lipgloss.Style // what a screen is about
	Heading  lipgloss.Style // of a column or a part
	Dim      lipgloss.Style // of less interest; data that may be out of date
	Key      lipgloss.Style // of the keyboard, and what is typed
	Selected lipgloss.Style // the row that keys are about: all of it
	Match    lipgloss.Style // what a filter has found
	Border   lipgloss.Style
	Banner   lipgloss.Style // that something is wrong with all of the screen
	Label    lipgloss.Style // that this is a context to be careful with

	OK      lipgloss.Style
	Warn    lipgloss.Style
	Bad     lipgloss.Style
	Held    lipgloss.Style
	Running lipgloss.Style
	Waiting lipgloss.Style

	Bar     lipgloss.Style // the part of a bar that is done
	BarBad  lipgloss.Style // the part that failed
	BarRest lipgloss.Style // the part that is to come
	Spark   lipgloss.Style
}

// New makes a theme.
func New(o Options) *Theme {
	if o.Profile == termenv.Ascii {
		o.Name, o.Profile = Mono, termenv.ANSI
	}
	t := &Theme{Name: o.Name, ASCII: o.ASCII, Glyphs: unicodeGlyphs(), renderer: lipgloss.NewRenderer(io.Discard, termenv.WithProfile(o.Profile))}
	if o.ASCII {
		t.Glyphs = asciiGlyphs()
	}
	t.renderer.SetColorProfile(o.Profile)
	t.renderer.SetHasDarkBackground(o.Name != Light)
	plain := t.renderer.NewStyle()
	switch o.Name {
	case Light:
		t.Styles = colored(plain, lightPalette())
	case Mono:
		t.Styles = mono(plain)
	case Contrast:
		t.Styles = contrast(plain)
	default:
		t.Name = Dark
		t.Styles = colored(plain, darkPalette())
	}
	return t
}

// Renderer renders styles as this theme's are rendered, for widgets that make their own.
func (t *Theme) Renderer() *lipgloss.Renderer { return t.renderer }

// Tone is how something is doing, as far as it is shown.
type Tone int

// The tones. Each has a style and a glyph.
const (
	ToneNone Tone = iota // nothing is known
	ToneOK
	ToneWarn
	ToneBad
	ToneHeld
	ToneRunning
	ToneWaiting
	TonePaused
)

// Of is a tone's style.
func (t *Theme) Of(tone Tone) lipgloss.Style {
	switch tone {
	case ToneOK:
		return t.OK
	case ToneWarn:
		return t.Warn
	case ToneBad:
		return t.Bad
	case ToneHeld, TonePaused:
		return t.Held
	case ToneRunning:
		return t.Running
	case ToneWaiting:
		return t.Waiting
	case ToneNone:
	}
	return t.Dim
}

// Mark is a tone's glyph, one cell wide. It is not styled.
func (t *Theme) Mark(tone Tone) string {
	switch tone {
	case ToneOK:
		return t.Check
	case ToneWarn:
		return t.Alert
	case ToneBad:
		return t.Cross
	case ToneHeld:
		return t.Hold
	case ToneRunning:
		return t.Run
	case ToneWaiting:
		return t.Wait
	case TonePaused:
		return t.Stop
	case ToneNone:
	}
	return t.Unknown
}
