//go:build !windows

package cli_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"kayra/cli/term"
	"kayra/cli/term/termtest"
)

// shows waits until the screen is as wanted.
func shows(t *testing.T, screen fmt.Stringer, want string) {
	t.Helper()
	deadline := time.After(patience)
	for screen.String() != want {
		select {
		case <-deadline:
			t.Fatalf("waited in vain for\n%s\nthe screen has\n%s", want, screen)
		case <-time.After(time.Millisecond):
		}
	}
}

func at80(screen *termtest.Screen) term.Streams {
	return term.Streams{
		Out: screen, OutTTY: true, Redraws: true,
		Size: func() (int, int) { return screen.Width, screen.Height },
	}
}

func TestTheTableIsDrawnWhereItIs(t *testing.T) {
	t.Parallel()
	s := stream(t, twoNamespaces)
	screen := termtest.New(80, 24)
	_, _ = fmt.Fprintln(screen, "$ kayra get …")
	w := watch(t, at80(screen), at(s.URL), "kayra get catalog namespaces -w")
	shows(t, screen, "$ kayra get …\nNAME   ACTIVE\napps   false\nsre    true")
	s.events <- event("modified", "6", `{"name":"apps","active":true}`) + event("added", "7", `{"name":"core","active":false}`)
	shows(t, screen, "$ kayra get …\nNAME   ACTIVE\napps   true\ncore   false\nsre    true")
	s.events <- event("deleted", "8", `{"name":"sre","active":true}`)
	shows(t, screen, "$ kayra get …\nNAME   ACTIVE\napps   true\ncore   false")
	w.interrupted(t)
	_, _ = fmt.Fprint(screen, "$ ")
	shows(t, screen, "$ kayra get …\nNAME   ACTIVE\napps   true\ncore   false\n$")
}

func TestTheTableIsSorted(t *testing.T) {
	t.Parallel()
	s := stream(t, twoNamespaces)
	screen := termtest.New(80, 24)
	w := watch(t, at80(screen), at(s.URL), "kayra get catalog namespaces -w --sort-by -name --no-headers")
	shows(t, screen, "sre    true\napps   false")
	s.events <- event("added", "7", `{"name":"core","active":false}`)
	shows(t, screen, "sre    true\ncore   false\napps   false")
	w.interrupted(t)
}

// Only as many rows are drawn as there is room for, and the rest is counted.
func TestMoreRowsThanFit(t *testing.T) {
	t.Parallel()
	var first strings.Builder
	for i := range 1000 {
		first.WriteString(event("added", "", fmt.Sprintf(`{"name":"n%04d","active":true}`, i)))
	}
	s := stream(t, first.String()+event("synced", "3", "{}"))
	screen := termtest.New(80, 6)
	w := watch(t, at80(screen), at(s.URL), "kayra get catalog namespaces -w")
	shows(t, screen, "NAME    ACTIVE\nn0000   true\nn0001   true\nn0002   true\n… and 997 more")
	s.events <- event("deleted", "5", `{"name":"n0001"}`) + event("modified", "6", `{"name":"n0999","active":false}`)
	shows(t, screen, "NAME    ACTIVE\nn0000   true\nn0002   true\nn0003   true\n… and 996 more")
	w.interrupted(t)
}

// What is told of an outage stands above the table.
func TestAnOutageAtATerminal(t *testing.T) {
	t.Parallel()
	s := stream(t, twoNamespaces)
	screen := termtest.New(200, 24)
	w := watch(t, at80(screen), at(s.URL), "kayra get catalog namespaces -w")
	shows(t, screen, "NAME   ACTIVE\napps   false\nsre    true")
	s.away.Store(true)
	s.cut <- struct{}{}
	w.err.await(t, "connection lost")
	shows(t, screen, "NAME   ACTIVE\napps   false\nsre    true")
	s.away.Store(false)
	w.err.await(t, "connected again")
	s.events <- event("modified", "8", `{"name":"sre","active":false}`)
	shows(t, screen, "NAME   ACTIVE\napps   false\nsre    false")
	w.interrupted(t)
}

// At a terminal whose cursor cannot be moved, rows are appended as in a pipe.
func TestADumbTerminal(t *testing.T) {
	t.Parallel()
	s := stream(t, twoNamespaces)
	w := watch(t, term.Streams{OutTTY: true}, at(s.URL), "kayra get catalog namespaces -w")
	s.events <- event("deleted", "8", `{"name":"sre","active":true}`)
	w.out.await(t, "sre    true     deleted\n")
	w.interrupted(t)
	if strings.Contains(w.out.String(), "\x1b") {
		t.Errorf("wrote %q", w.out.String())
	}
}

func resize(t *testing.T, f *os.File, columns, rows uint16) {
	t.Helper()
	if err := pty.Setsize(f, &pty.Winsize{Cols: columns, Rows: rows}); err != nil {
		t.Fatal(err)
	}
}

// The program itself at a terminal: it keeps to the terminal's size, and leaves it as it was, however it ends.
func TestWatchAtATerminal(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*seat) error{
		"Ctrl-C":  func(s *seat) error { _, err := s.keys.WriteString("\x03"); return err },
		"SIGTERM": func(s *seat) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := stream(t, event("added", "", subscription("applications-of-all", "error", false))+event("synced", "5", "{}"))
			seat := sitAt(t, 60, 10, append(at(s.URL), "TERM=xterm"), "get", "catalog", "subscriptions", "-w")
			seat.await(t, "NAMESPACE             API   STATE   SYNCED   REASON   …\r\n")
			seat.await(t, "\x1b[1;38;5;166merror\x1b[0m")
			resize(t, seat.keys, 30, 10)
			seat.await(t, "NAMESPACE     API   REASON   …\r\n")
			s.events <- event("modified", "6", subscription("applications-of-all", "success", true))
			resize(t, seat.keys, 60, 10)
			seat.await(t, "\x1b[38;5;32msuccess\x1b[0m")
			if err := end(seat); err != nil {
				t.Fatal(err)
			}
			if code := seat.code(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			seat.await(t, "kayra: interrupted\r\n")
			if !seat.untouched(t) {
				t.Error("the terminal is not as it was")
			}
			if text := seat.screen(); strings.Contains(text, "\x1b[?") || strings.Contains(text, "\x1b]") {
				t.Errorf("the terminal was told more than to draw: %q", text)
			}
		})
	}
}

// What is asked before something is deleted names what and where, and anything but yes is no.
func TestDeletionsAskAtATerminal(t *testing.T) {
	t.Parallel()
	for typed, deletes := range map[string]bool{"y\r": true, "YES\r": true, "\r": false, "n\r": false, "yep\r": false, "\x04": false, "\x03": false} {
		t.Run(fmt.Sprintf("%q", typed), func(t *testing.T) {
			t.Parallel()
			s := kept(t)
			seat := sit(t, at(s.URL), "delete", "catalog", "namespaces", "sre")
			seat.await(t, `delete namespace "sre", with the role bindings that hold in it alone (a, b), at `+s.URL+`? [y/N] `)
			if _, err := seat.keys.WriteString(typed); err != nil {
				t.Fatal(err)
			}
			code, want := seat.code(), 1
			if deletes {
				want = 0
			} else if typed == "\x03" {
				want = 130
			}
			if code != want || s.deleted.Load() != deletes {
				t.Errorf("exit code %d, deleted %v: %q", code, s.deleted.Load(), seat.screen())
			}
		})
	}
	for _, line := range []string{"delete catalog namespaces sre -y", "delete catalog namespaces sre -o json"} {
		s := kept(t)
		seat := sit(t, at(s.URL), strings.Fields(line)...)
		if code := seat.code(); code != 0 || !s.deleted.Load() || strings.Contains(seat.screen(), "y/N") {
			t.Errorf("%s: exit code %d: %q", line, code, seat.screen())
		}
	}
}
