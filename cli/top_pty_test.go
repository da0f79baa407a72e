//go:build !windows

package cli_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// Where there is no server, the dashboard starts all the same, says so, and leaves the terminal as it was.
func TestTopWithoutAServer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := sit(t, []string{"PATH=/bin", "TERM=xterm-256color", "KAYRA_CLIENT_SERVER=" + gone.URL}, "top")
	if err := pty.Setsize(s.keys, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	s.await(t, "offline")
	if _, err := s.keys.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if code := s.code(); code != 0 || !s.untouched(t) {
		t.Errorf("it ended with %d, the terminal untouched: %t", code, s.untouched(t))
	}
}

// Where only one end is a terminal, nothing is drawn: not a byte of what a terminal would obey comes out.
func TestTopIsSilentInAPipe(t *testing.T) {
	t.Parallel()
	for _, piped := range []string{"in", "out"} {
		t.Run(piped, func(t *testing.T) {
			t.Parallel()
			keys, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = keys.Close(), tty.Close() })
			cmd := exec.CommandContext(t.Context(), "kayra", "top")
			cmd.Env = []string{"HOME=/nonexistent", "TERM=xterm-256color", "GORACE=atexit_sleep_ms=0"}
			var out, errs bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, &errs
			if piped == "in" {
				cmd.Stdin = strings.NewReader("")
			} else {
				cmd.Stdout = &out
			}
			ended, ok := errors.AsType[*exec.ExitError](cmd.Run())
			if !ok || ended.ExitCode() != 2 || !strings.Contains(errs.String(), "kayra top --once") || out.Len() > 0 || strings.ContainsRune(errs.String(), '\x1b') {
				t.Errorf("%v, %q, %q", ended, out.String(), errs.String())
			}
		})
	}
}
