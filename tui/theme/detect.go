package theme

import (
	"fmt"
	"slices"
	"strings"

	"github.com/muesli/termenv"
)

// Lookup gives a variable of the environment, as [os.LookupEnv].
type Lookup func(name string) (string, bool)

// Asked is what somebody has asked for in so many words. Its zero value leaves all to what the environment says.
type Asked struct {
	Name  string // one of Names; "" or "auto": see [Detect]
	Color string // auto, always or never; "": auto
	ASCII bool   // no other characters than these, whatever the locale
}

// Detect finds out how to draw on a terminal, without asking it. Colours: NO_COLOR means none, and so does CLICOLOR=0
// without CLICOLOR_FORCE, unless they are asked for in so many words. How many there are is as TERM and COLORTERM say. A light background is
// what COLORFGBG says, and a dark one is taken for granted. Characters beyond ASCII take a locale of UTF-8, as LC_ALL, LC_CTYPE
// or LANG says it. It fails for a name that there is no theme of.
func Detect(asked Asked, env Lookup) (Options, error) {
	o := Options{Name: asked.Name, Profile: profile(env), ASCII: asked.ASCII || !unicodeLocale(env)}
	switch {
	case asked.Name == "" || asked.Name == "auto":
		o.Name = background(env)
	case !slices.Contains(Names(), asked.Name):
		return Options{}, fmt.Errorf("there is no theme %q: it is one of auto, %s", asked.Name, strings.Join(Names(), ", "))
	}
	switch asked.Color {
	case "", "auto":
		if colorless(env) {
			o.Name = Mono
		}
	case "never":
		o.Name = Mono
	case "always":
	default:
		return Options{}, fmt.Errorf("color cannot be %q: it is one of auto, always, never", asked.Color)
	}
	return o, nil
}

// Plain tells whether a terminal can show lines only, so that nothing can be drawn on it.
func Plain(env Lookup) bool {
	term := value(env, "TERM")
	return term == "dumb" || term == "" && value(env, "OS") != "Windows_NT"
}

func value(env Lookup, name string) string {
	v, _ := env(name)
	return v
}

// colorless follows no-color.org and bixense.com/clicolors.
func colorless(env Lookup) bool {
	if value(env, "NO_COLOR") != "" {
		return true
	}
	force := value(env, "CLICOLOR_FORCE")
	return value(env, "CLICOLOR") == "0" && (force == "" || force == "0")
}

// profile is how many colours a terminal has.
func profile(env Lookup) termenv.Profile {
	term := strings.ToLower(value(env, "TERM"))
	switch strings.ToLower(value(env, "COLORTERM")) {
	case "truecolor", "24bit":
		if strings.HasPrefix(term, "screen") && value(env, "TMUX") == "" {
			return termenv.ANSI256 // GNU screen passes 256 on, whatever stands around it
		}
		return termenv.TrueColor
	}
	for _, known := range []string{"-direct", "kitty", "alacritty", "wezterm", "ghostty", "foot"} {
		if strings.Contains(term, known) {
			return termenv.TrueColor
		}
	}
	if value(env, "WT_SESSION") != "" {
		return termenv.TrueColor
	}
	if strings.Contains(term, "256color") {
		return termenv.ANSI256
	}
	return termenv.ANSI
}

// background is the theme for a terminal's background. COLORFGBG is "15;0", with the number of the background last.
func background(env Lookup) string {
	colors := strings.Split(value(env, "COLORFGBG"), ";")
	switch colors[len(colors)-1] {
	case "7", "9", "10", "11", "12", "13", "14", "15":
		return Light
	}
	return Dark
}

// unicodeLocale tells whether the characters of the terminal are UTF-8, as far as the first of the variables says that is set. The
// console of Linux has few characters beyond ASCII in its font, and Windows speaks Unicode without any of them.
func unicodeLocale(env Lookup) bool {
	if value(env, "TERM") == "linux" {
		return false
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(value(env, name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return value(env, "OS") == "Windows_NT"
}
