//go:build !windows

package cli_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"

	"kayra/rollout/rollouttest"
)

// wizardAt starts the wizard at a terminal, for a server that has compute with three namespaces.
func wizardAt(t *testing.T, args ...string) (*rollouttest.World, *seat) {
	t.Helper()
	w := rollouttest.NewWorld(t)
	w.Register(compute, "apps", "core", "sre")
	s := sit(t, []string{"KAYRA_CLIENT_SERVER=" + w.URL, "KAYRA_CLIENT_TOKEN=" + rollouttest.Token, "TERM=xterm-256color", "LANG=C.UTF-8"}, args...)
	if err := pty.Setsize(s.keys, &pty.Winsize{Rows: 24, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	return w, s
}

func (s *seat) types(t *testing.T, keys string) {
	t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// leftOver is what stands on the screen below the wizard's.
func (s *seat) leftOver() string {
	_, after, _ := strings.Cut(s.screen(), "\x1b[?1049l")
	return ansi.Strip(after)
}

func TestTheWizardAtATerminal(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, w *rollouttest.World, s *seat) {
		t.Helper()
		s.await(t, "Which API?")
		s.types(t, "\r")
		s.await(t, "Which namespaces")
		s.types(t, "G \r")
		s.await(t, "What the canary does")
		if n := len(w.Sent()); n != 0 {
			t.Errorf("%d requests were sent before a yes", n)
		}
		s.types(t, "\r")
		s.await(t, "alone?")
		s.types(t, "y")
		s.await(t, "0/1 synced")
	}
	for name, c := range map[string]struct {
		walk  func(t *testing.T, w *rollouttest.World, s *seat)
		end   func(t *testing.T, s *seat)
		code  int
		words []string
		sent  int
	}{
		"Ctrl-C before": {
			func(t *testing.T, _ *rollouttest.World, s *seat) { t.Helper(); s.await(t, "Which API?") },
			func(t *testing.T, s *seat) { t.Helper(); s.types(t, "\x03") }, 130,
			[]string{"nothing was changed\r\n"},
			0,
		},
		"SIGTERM before": {
			func(t *testing.T, _ *rollouttest.World, s *seat) { t.Helper(); s.await(t, "Which API?") },
			func(t *testing.T, s *seat) {
				t.Helper()
				if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}, 130,
			[]string{"nothing was changed\r\n"},
			0,
		},
		"Ctrl-C after": {begin, func(t *testing.T, s *seat) { t.Helper(); s.types(t, "\x03") }, 130, []string{
			"detached; the rollout goes on\r\n", "`kayra rollout compute.example.com` comes back to it\r\n",
			"the same by hand: kayra rollout start compute.example.com --canary sre --expect-sync-id v1\r\n",
		}, 1},
		"to the end": {func(t *testing.T, w *rollouttest.World, s *seat) {
			t.Helper()
			begin(t, w, s)
			w.Succeed(compute, "sre")
			s.await(t, "1 of 1 are there")
		}, func(t *testing.T, s *seat) { t.Helper(); s.types(t, "l") }, 0, []string{
			"compute.example.com: canary at ", "the rollout is pending until it is released or aborted: `kayra rollout compute.example.com` comes back to it\r\n",
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, s := wizardAt(t, "rollout")
			c.walk(t, w, s)
			c.end(t, s)
			code := s.code()
			for _, text := range c.words {
				s.await(t, text)
			}
			if code != c.code || !s.untouched(t) {
				t.Errorf("exit code %d; the terminal is as it was: %v; it has %q", code, s.untouched(t), s.leftOver())
			}
			if n := len(w.Sent()); n != c.sent {
				t.Errorf("%d requests were sent", n)
			}
			if strings.Contains(s.screen(), "\x1b]11") || !strings.Contains(s.screen(), "\x1b[?25h") {
				t.Error("the terminal is asked for its colours, or left without a cursor")
			}
		})
	}
}

func TestTheWizardInPlainLinesAtATerminal(t *testing.T) {
	t.Parallel()
	w, s := wizardAt(t, "rollout", compute, "--accessible")
	s.await(t, "or list: ")
	s.types(t, "sre\r")
	s.await(t, "Do it? yes or no:")
	s.types(t, "yes\r")
	s.await(t, "0 of 1 are there")
	s.types(t, "\x03")
	if code := s.code(); code != 130 || len(w.Sent()) != 1 {
		t.Errorf("exit code %d, sent %q", code, w.Sent())
	}
	s.await(t, "detached; the rollout goes on\r\n")
	if strings.Contains(s.screen(), "\x1b") {
		t.Errorf("there are escapes: %q", s.screen())
	}
}

func TestAWideReleaseAsksAtATerminal(t *testing.T) {
	t.Parallel()
	w, s := wizardAt(t, "sync", compute)
	s.await(t, "give compute.example.com a fresh sync id, which reaches 3 namespaces at "+w.URL+"? [y/N] ")
	s.types(t, "n\r")
	if code := s.code(); code != 1 || len(w.Sent()) != 0 {
		t.Errorf("exit code %d, sent %q", code, w.Sent())
	}
	s.await(t, "kayra: nothing was changed\r\n")
}

// TestTheWizardAsksForTheContext logs in at two servers, one of which is marked.
func TestTheWizardAsksForTheContext(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	prod, test := rollouttest.NewWorld(t), rollouttest.NewWorld(t)
	prod.Register(compute, "apps", "core")
	for _, args := range []string{
		"login --server " + prod.URL + " --context prod --label production",
		"login --server " + test.URL + " --context test", // the one in use, below the other
	} {
		if got := h.run(t, rollouttest.Token, args); got.code != 0 {
			t.Fatal(got.err)
		}
	}
	s := sit(t, append(h.env, "TERM=xterm", "LANG=C.UTF-8"), "rollout")
	s.await(t, "Which server?")
	s.types(t, "\x1b[A\r")
	s.await(t, "production")
	s.await(t, compute)
	s.types(t, "\r")
	s.await(t, "Which namespaces")
	s.types(t, " \r")
	s.await(t, "--context prod")
	s.types(t, "\x03")
	if code := s.code(); code != 130 || len(prod.Sent()) > 0 {
		t.Errorf("exit code %d, sent %q", code, prod.Sent())
	}
	s = sit(t, append(h.env, "TERM=xterm"), "rollout", "--context", "prod")
	s.await(t, "Which API?")
	s.types(t, "\x03")
	s.code()
}
