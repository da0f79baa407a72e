package theme_test

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"kayra/tui/theme"
)

// env looks up what stands in a line of assignments.
func env(line string) theme.Lookup {
	return func(name string) (string, bool) {
		for pair := range strings.FieldsSeq(line) {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value, true
			}
		}
		return "", false
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	const utf8 = " LANG=en_US.UTF-8"
	for _, c := range []struct {
		asked theme.Asked
		env   string
		want  theme.Options
	}{
		{theme.Asked{}, "TERM=xterm" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{}, "TERM=xterm-256color" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI256}},
		{theme.Asked{}, "TERM=tmux-256color COLORTERM=truecolor" + utf8, theme.Options{Name: "dark", Profile: termenv.TrueColor}},
		{theme.Asked{}, "TERM=screen-256color COLORTERM=truecolor" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI256}},
		{theme.Asked{}, "TERM=screen-256color TMUX=/tmp/x COLORTERM=24bit" + utf8, theme.Options{Name: "dark", Profile: termenv.TrueColor}},
		{theme.Asked{}, "TERM=xterm-kitty" + utf8, theme.Options{Name: "dark", Profile: termenv.TrueColor}},
		{theme.Asked{}, "OS=Windows_NT WT_SESSION=1", theme.Options{Name: "dark", Profile: termenv.TrueColor}},
		{theme.Asked{}, "OS=Windows_NT", theme.Options{Name: "dark", Profile: termenv.ANSI}},

		{theme.Asked{}, "COLORFGBG=0;15" + utf8, theme.Options{Name: "light", Profile: termenv.ANSI}},
		{theme.Asked{}, "COLORFGBG=0;default;7" + utf8, theme.Options{Name: "light", Profile: termenv.ANSI}},
		{theme.Asked{}, "COLORFGBG=15;0" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{}, "COLORFGBG=15;8" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{Name: "auto"}, "COLORFGBG=nonsense" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{Name: "contrast"}, "COLORFGBG=0;15" + utf8, theme.Options{Name: "contrast", Profile: termenv.ANSI}},

		{theme.Asked{}, "NO_COLOR=1" + utf8, theme.Options{Name: "mono", Profile: termenv.ANSI}},
		{theme.Asked{Name: "light"}, "NO_COLOR=1" + utf8, theme.Options{Name: "mono", Profile: termenv.ANSI}},
		{theme.Asked{}, "NO_COLOR=" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{}, "CLICOLOR=0" + utf8, theme.Options{Name: "mono", Profile: termenv.ANSI}},
		{theme.Asked{}, "NO_COLOR=1 CLICOLOR_FORCE=1" + utf8, theme.Options{Name: "mono", Profile: termenv.ANSI}},
		{theme.Asked{}, "CLICOLOR=0 CLICOLOR_FORCE=1" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{}, "CLICOLOR=0 CLICOLOR_FORCE=0" + utf8, theme.Options{Name: "mono", Profile: termenv.ANSI}},
		{theme.Asked{Color: "always"}, "NO_COLOR=1" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{Color: "never"}, "CLICOLOR_FORCE=1" + utf8, theme.Options{Name: "mono", Profile: termenv.ANSI}},

		{theme.Asked{}, "LANG=C", theme.Options{Name: "dark", Profile: termenv.ANSI, ASCII: true}},
		{theme.Asked{}, "", theme.Options{Name: "dark", Profile: termenv.ANSI, ASCII: true}},
		{theme.Asked{}, "LANG=C.utf8", theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{}, "LC_ALL=C" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI, ASCII: true}},
		{theme.Asked{}, "LC_ALL= LC_CTYPE=de_DE.UTF-8 LANG=C", theme.Options{Name: "dark", Profile: termenv.ANSI}},
		{theme.Asked{}, "LC_CTYPE=de_DE.ISO-8859-1" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI, ASCII: true}},
		{theme.Asked{}, "TERM=linux" + utf8, theme.Options{Name: "dark", Profile: termenv.ANSI, ASCII: true}},
		{theme.Asked{ASCII: true}, utf8, theme.Options{Name: "dark", Profile: termenv.ANSI, ASCII: true}},
	} {
		if got, err := theme.Detect(c.asked, env(c.env)); err != nil || got != c.want {
			t.Errorf("Detect(%+v, %s) = %+v, %v, want %+v", c.asked, c.env, got, err, c.want)
		}
	}
}

func TestDetectRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, asked := range []theme.Asked{{Name: "solarized"}, {Color: "sometimes"}} {
		if _, err := theme.Detect(asked, env("")); err == nil || !strings.Contains(err.Error(), "one of auto, ") {
			t.Errorf("Detect(%+v) failed with %v", asked, err)
		}
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{"TERM=dumb": true, "": true, "OS=Windows_NT": false, "TERM=xterm": false, "TERM=vt100": false} {
		if got := theme.Plain(env(line)); got != want {
			t.Errorf("Plain(%s) = %v", line, got)
		}
	}
}
