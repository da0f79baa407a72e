package term_test

import (
	"testing"

	"kayra/cli/term"
)

func TestColored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		env       map[string]string
		tty, want bool
	}{
		{"a terminal", nil, true, true},
		{"a pipe", nil, false, false},
		{"NO_COLOR", map[string]string{"NO_COLOR": "1"}, true, false},
		{"an empty NO_COLOR", map[string]string{"NO_COLOR": ""}, true, true},
		{"a dumb terminal", map[string]string{"TERM": "dumb"}, true, false},
		{"CLICOLOR=0", map[string]string{"CLICOLOR": "0"}, true, false},
		{"forced", map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb", "CLICOLOR": "0"}, false, true},
		{"not forced", map[string]string{"CLICOLOR_FORCE": "0"}, false, false},
		{"both", map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, true, false},
	} {
		if got := term.Colored(func(name string) string { return c.env[name] }, c.tty); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
