//go:build !windows

package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	_ "github.com/charmbracelet/bubbletea" // asks terminals for their colours when it is initialised
)

func TestAPlainCommandAsksTheTerminalNothing(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"version", "--help", "no-such-command", "get catalog namespaces --no-such-flag"} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			s := sit(t, []string{"TERM=xterm-256color", "COLORTERM=truecolor"}, strings.Fields(line)...)
			s.code()
			_ = s.tty.Close()
			<-s.read
			if took := time.Since(began); took > patience {
				t.Errorf("it took %s", took)
			}
			if s.screen() == "" || strings.Contains(s.screen(), "\x1b") {
				t.Errorf("it wrote %q", s.screen())
			}
		})
	}
}

func TestChildrenGetTheEnvironmentThatKayraGot(t *testing.T) {
	t.Parallel()
	for name, given := range map[string][]string{"without CI": nil, "with CI": {"CI=drone"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "kayra-environment")
			cmd.Env = append(given, "HOME=/nonexistent", "GORACE=atexit_sleep_ms=0")
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for pair := range strings.SplitSeq(string(out), "\n") {
				if strings.HasPrefix(pair, "CI=") {
					got = append(got, pair)
				}
			}
			if strings.Join(got, ",") != strings.Join(given, ",") {
				t.Errorf("handed on %q, want %q", got, given)
			}
		})
	}
}

// oneFailed is a server with a subscription that has failed, which is shown in colour.
func oneFailed(t *testing.T) *httptest.Server {
	t.Helper()
	return answering(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"items":[{"api":"compute.example.com","namespace":"sre","state":"error","reason":"step_failed"}],"continue":""}`)
	})
}

// A table at a terminal has colours, and asks the terminal nothing: not for its colours, its cursor or its kind. One that never answers
// costs no time.
func TestATableAsksTheTerminalNothing(t *testing.T) {
	t.Parallel()
	s := oneFailed(t)
	for _, term := range []string{"xterm-256color", "xterm-kitty", "screen.xterm-256color", "foot"} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			seat := sit(t, append(at(s.URL), "TERM="+term, "COLORTERM=truecolor"), "get", "catalog", "subscriptions")
			seat.code()
			_ = seat.tty.Close()
			<-seat.read
			if took := time.Since(began); took > patience {
				t.Errorf("it took %s", took)
			}
			if styled := regexp.MustCompile(`\x1b\[[\d;]*m`); strings.Contains(styled.ReplaceAllString(seat.screen(), ""), "\x1b") || !strings.Contains(seat.screen(), "merror\x1b") {
				t.Errorf("it wrote %q", seat.screen())
			}
		})
	}
}

// In a pipe nothing is styled, whatever terminal the rest of the world is at.
func TestNothingIsStyledInAPipe(t *testing.T) {
	t.Parallel()
	s := oneFailed(t)
	for _, line := range []string{"get catalog subscriptions", "get catalog subscriptions -o wide", "get catalog nonsense", "--help", "rollout --help"} {
		cmd := exec.CommandContext(t.Context(), "kayra", strings.Fields(line)...)
		cmd.Env = append(at(s.URL), "HOME=/nonexistent", "TERM=xterm-256color", "COLORTERM=truecolor", "GORACE=atexit_sleep_ms=0")
		out, _ := cmd.CombinedOutput() // some of them fail
		if len(out) == 0 || strings.Contains(string(out), "\x1b") {
			t.Errorf("%s wrote %q", line, out)
		}
	}
}
