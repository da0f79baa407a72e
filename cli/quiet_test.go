//go:build !windows

package cli_test

import (
	"os/exec"
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
