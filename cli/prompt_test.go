//go:build !windows

package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// seat is a terminal at which kayra runs.
type seat struct {
	keys *os.File // what is typed is written to it
	tty  *os.File // what the program has
	cmd  *exec.Cmd

	mu    sync.Mutex
	shown strings.Builder
	read  chan struct{} // closed when nothing more will be shown
}

// sit starts kayra at a terminal of its own, which does not say how large it is.
func sit(t *testing.T, env []string, args ...string) *seat {
	t.Helper()
	return sitAt(t, 0, 0, env, args...)
}

func sitAt(t *testing.T, columns, rows uint16, env []string, args ...string) *seat {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(keys, &pty.Winsize{Cols: columns, Rows: rows}); err != nil {
		t.Fatal(err)
	}
	s := &seat{keys: keys, tty: tty, cmd: exec.CommandContext(t.Context(), "kayra", args...), read: make(chan struct{})}
	s.cmd.Env = append(env, "HOME=/nonexistent", "GORACE=atexit_sleep_ms=0")
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, tty
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.read)
		for b := make([]byte, 1024); ; {
			n, err := keys.Read(b)
			s.mu.Lock()
			s.shown.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		<-s.read
		_ = keys.Close()
	})
	return s
}

func (s *seat) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// await waits until the screen has a text.
func (s *seat) await(t *testing.T, text string) {
	t.Helper()
	deadline := time.After(patience)
	for !strings.Contains(s.screen(), text) {
		select {
		case <-deadline:
			t.Fatalf("waited for %q in vain; the screen has %q", text, s.screen())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func stateOf(t *testing.T, tty *os.File) *term.State {
	t.Helper()
	state, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// untouched tells that the terminal is as a new one is.
func (s *seat) untouched(t *testing.T) bool {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close() //nolint:errcheck // of a test
	defer tty.Close()  //nolint:errcheck // of a test
	return reflect.DeepEqual(stateOf(t, s.tty), stateOf(t, tty))
}

func (s *seat) code() int {
	err := s.cmd.Wait()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode()
	}
	return 0
}

func TestTheTokenIsAskedForAndNotShown(t *testing.T) {
	t.Parallel()
	a := authority(t)
	long := strings.Repeat("0123456789abcdef", 400) // more than a terminal would give of a line
	for name, c := range map[string]struct{ typed, token string }{
		"typed":    {"wrnog\x7f\x7f\x7fhunter2\x15hunter3\r", "hunter3"},
		"pasted":   {"\x1b[200~hunter2\x1b[201~\r", "hunter2"},
		"long":     {long + "\r", long},
		"with ^D":  {"hunter2\x04", "hunter2"},
		"with ^J":  {" hunter2\n", "hunter2"},
		"no token": {"\r", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			s := sit(t, h.env, "login", "--server", a.URL, "--context", "c")
			s.await(t, "token for "+a.URL+": ")
			if _, err := s.keys.WriteString(c.typed); err != nil {
				t.Fatal(err)
			}
			code := s.code()
			if !s.untouched(t) {
				t.Error("the terminal is not as it was")
			}
			if c.token == "" {
				if code != 2 || h.content(t) != "" {
					t.Errorf("exit code %d, stored %q", code, h.content(t))
				}
				return
			}
			s.await(t, " as ")
			if code != 0 || !strings.Contains(h.content(t), "token: "+c.token+"\n") && !strings.Contains(h.content(t), `"`+c.token) {
				t.Errorf("exit code %d, stored %q", code, h.content(t))
			}
			if screen, _, _ := strings.Cut(s.screen(), "logged in"); strings.Contains(screen, "hunter") || strings.Contains(screen, "0123") {
				t.Errorf("was shown: %q", screen)
			}
		})
	}
}

// However the prompt ends, the terminal is as it was, and nothing is stored.
func TestAPromptThatIsBrokenOff(t *testing.T) {
	t.Parallel()
	a := authority(t)
	for name, end := range map[string]func(*seat) error{
		"Ctrl-C":  func(s *seat) error { _, err := s.keys.WriteString("hunter2\x03"); return err },
		"SIGTERM": func(s *seat) error { return s.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":  func(s *seat) error { return s.cmd.Process.Signal(syscall.SIGINT) },
		"SIGHUP":  func(s *seat) error { return s.cmd.Process.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			s := sit(t, h.env, "login", "--server", a.URL)
			s.await(t, "token for ")
			if s.untouched(t) {
				t.Error("the terminal shows what is typed")
			}
			if err := end(s); err != nil {
				t.Fatal(err)
			}
			if code := s.code(); code != 130 {
				t.Errorf("exit code %d", code)
			}
			s.await(t, "kayra: interrupted\r\n")
			if !s.untouched(t) {
				t.Error("the terminal is not as it was")
			}
			if h.content(t) != "" {
				t.Errorf("stored %q", h.content(t))
			}
		})
	}
}

// What is not asked for at a terminal comes through a pipe, and two at once lose nothing.
func TestTwoLoginsAtOnce(t *testing.T) {
	t.Parallel()
	a := authority(t)
	h := newHome(t)
	var group sync.WaitGroup
	const many = 6
	for i := range many {
		name := string(rune('a' + i))
		group.Go(func() {
			cmd := exec.CommandContext(t.Context(), "kayra", "login", "--server", a.URL, "--context", name)
			cmd.Env, cmd.Stdin = append(h.env, "HOME=/nonexistent"), strings.NewReader("of-"+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	group.Wait()
	if got := h.run(t, "", "context list -o name"); strings.Count(got.out, "\n") != many {
		t.Errorf("got %q", got.out)
	}
	for i := range many {
		name := string(rune('a' + i))
		if got := h.run(t, "", "whoami -o name --context "+name); got.out != "of-"+name+"\n" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
