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

// Where there is no server, the dashboard starts all the same, with the view that was asked for, says so, and leaves the
// terminal as it was.
func TestTopWithoutAServer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for line, title := range map[string]string{
		"top": "\x1b[1moverview\x1b[0m", "top compute.example.com": "\x1b[1mcompute.example.com\x1b[0m",
		"top compute.example.com -n sre": "\x1b[1msre\x1b[0m", "top -n sre": "\x1b[1mnamespace sre\x1b[0m",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			s := sit(t, []string{"TERM=xterm-256color", "NO_COLOR=1", "KAYRA_CLIENT_SERVER=" + gone.URL}, append(strings.Fields(line), "--ascii")...)
			if err := pty.Setsize(s.keys, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
				t.Fatal(err)
			}
			s.await(t, "offline")
			s.await(t, title)
			if _, err := s.keys.WriteString("q"); err != nil {
				t.Fatal(err)
			}
			if code := s.code(); code != 0 || !s.untouched(t) {
				t.Errorf("it ended with %d, the terminal untouched: %t", code, s.untouched(t))
			}
		})
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
