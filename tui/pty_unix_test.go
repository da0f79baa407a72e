//go:build !windows

package tui_test

import (
	"errors"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// poke has a row change.
const poke = syscall.SIGUSR1

// patience is how long a test waits for what has to happen.
const patience = 30 * time.Second

// seat is a terminal at which the dashboard is shown.
type seat struct {
	keys, tty *os.File
	cmd       *exec.Cmd

	mu    sync.Mutex
	shown strings.Builder
	read  chan struct{} // closed when nothing more will be shown
}

// start shows the dashboard at a terminal of 80 columns and 24 lines. The process is in a group of its own, as a shell has it.
func start(tb testing.TB, mode string) (keys, tty *os.File, cmd *exec.Cmd) {
	tb.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		tb.Fatal(err)
	}
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		tb.Fatal(err)
	}
	cmd = exec.CommandContext(tb.Context(), os.Args[0])
	cmd.Env = []string{showing + "=" + mode, "TERM=xterm-256color", "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0", "CI=1"}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	return keys, tty, cmd
}

// sit shows the dashboard at a terminal, and reads what it writes.
func sit(tb testing.TB, mode string) *seat {
	tb.Helper()
	keys, tty, cmd := start(tb, mode)
	s := &seat{keys: keys, tty: tty, cmd: cmd, read: make(chan struct{})}
	go func() {
		defer close(s.read)
		for b := make([]byte, 4096); ; {
			n, err := keys.Read(b)
			s.mu.Lock()
			s.shown.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	tb.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // it may have been waited for
		_ = tty.Close()
		<-s.read
		_ = keys.Close()
	})
	return s
}

// screen is all that was written so far.
func (s *seat) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// until waits until something is so.
func until(tb testing.TB, what string, so func() bool) {
	tb.Helper()
	for deadline := time.After(patience); !so(); {
		select {
		case <-deadline:
			tb.Fatalf("waited in vain: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (s *seat) await(tb testing.TB, text string) {
	tb.Helper()
	until(tb, "for "+text, func() bool { return strings.Contains(s.screen(), text) })
}

func (s *seat) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// code waits for the end of the process, and for all that it has written.
func (s *seat) code(t *testing.T) int {
	t.Helper()
	err := s.cmd.Wait()
	s.flushed(t)
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode()
	}
	return 0
}

// flushed waits until what was written to the terminal has arrived.
func (s *seat) flushed(t *testing.T) {
	t.Helper()
	const mark = "\x1b_mark\x1b\\"
	before := strings.Count(s.screen(), mark)
	if _, err := s.tty.WriteString(mark); err != nil {
		t.Fatal(err)
	}
	until(t, "for the mark", func() bool { return strings.Count(s.screen(), mark) > before })
}

// modes are those that a program has switched on, and not off again.
func (s *seat) modes() []string {
	on := map[string]bool{"25": true} // the cursor is shown
	for _, m := range regexp.MustCompile(`\x1b\[\?(\d+)([hl])`).FindAllStringSubmatch(s.screen(), -1) {
		on[m[1]] = m[2] == "h"
	}
	var names []string
	for name, is := range on {
		if is {
			names = append(names, name)
		}
	}
	return names
}

func stateOf(t *testing.T, tty *os.File) *term.State {
	t.Helper()
	state, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// ordinary tells whether the terminal is as a new one is.
func (s *seat) ordinary(t *testing.T) bool {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer keys.Close() //nolint:errcheck // of a test
	defer tty.Close()  //nolint:errcheck // of a test
	modes := s.modes()
	return reflect.DeepEqual(stateOf(t, s.tty), stateOf(t, tty)) && len(modes) == 1 && modes[0] == "25"
}

func (s *seat) wantOrdinary(t *testing.T) {
	t.Helper()
	if !s.ordinary(t) {
		t.Errorf("the terminal is left with the modes %q, or in another state", s.modes())
	}
}

const overview = "storage.example.com"

func TestTheTerminalIsAsItWas(t *testing.T) {
	t.Parallel()
	signal := func(sig syscall.Signal) func(*testing.T, *seat) {
		return func(t *testing.T, s *seat) {
			t.Helper()
			s.signal(t, sig)
		}
	}
	types := func(keys string) func(*testing.T, *seat) {
		return func(t *testing.T, s *seat) {
			t.Helper()
			if _, err := s.keys.WriteString(keys); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, c := range map[string]struct {
		mode string
		end  func(*testing.T, *seat)
		code int
		says string
	}{
		"q":                {"", types("q"), exitQuit, ""},
		"Ctrl-C":           {"", types("\x03"), exitQuit, ""},
		"q with a mouse":   {"", types("mq"), exitQuit, ""},
		"SIGTERM":          {"", signal(syscall.SIGTERM), exitSignal, "signal received"},
		"SIGINT":           {"", signal(syscall.SIGINT), exitSignal, "signal received"},
		"SIGHUP":           {"", signal(syscall.SIGHUP), exitSignal, "signal received"},
		"SIGQUIT":          {"", signal(syscall.SIGQUIT), 2, "goroutine "},
		"panic in Update":  {"panic in Update", nil, exitFailed, "the dashboard has failed"},
		"panic in View":    {"panic in View", nil, exitFailed, "the dashboard has failed"},
		"panic in Cmd":     {"panic in Cmd", nil, exitFailed, "the dashboard has failed"},
		"somebody insists": {"insist", signal(syscall.SIGTERM), exitSignal, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sit(t, c.mode)
			if c.end != nil {
				text := overview
				if c.mode == "insist" {
					text = "connecting"
				}
				s.await(t, text)
				c.end(t, s)
			}
			if code := s.code(t); code != c.code {
				t.Errorf("ended with %d, want %d: %q", code, c.code, s.screen())
			}
			s.wantOrdinary(t)
			_, after, _ := strings.Cut(s.screen(), "\x1b[?1049l")
			if !strings.Contains(after, c.says) {
				t.Errorf("it does not say %q: %q", c.says, after)
			}
		})
	}
}

func TestATerminalThatGoes(t *testing.T) {
	t.Parallel()
	keys, tty, cmd := start(t, "")
	var shown strings.Builder
	for b := make([]byte, 4096); !strings.Contains(shown.String(), overview); {
		n, err := keys.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		shown.Write(b[:n])
	}
	_, _ = tty.Close(), keys.Close()
	err := cmd.Wait()
	ended, ok := errors.AsType[*exec.ExitError](err)
	if !ok || ended.ExitCode() != exitHungUp {
		t.Errorf("ended with %v", err)
	}
}

func TestSuspend(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*testing.T, *seat){
		"Ctrl-Z":  func(_ *testing.T, s *seat) { _, _ = s.keys.WriteString("\x1a") },
		"SIGTSTP": func(t *testing.T, s *seat) { t.Helper(); s.signal(t, syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sit(t, "")
			s.await(t, overview)
			for range 2 { // it can be done again
				stop(t, s)
				until(t, "it stops", func() bool {
					var status unix.WaitStatus
					pid, err := unix.Wait4(s.cmd.Process.Pid, &status, unix.WUNTRACED|unix.WNOHANG, nil)
					return err == nil && pid > 0 && status.Stopped()
				})
				s.flushed(t)
				s.wantOrdinary(t)
				before := len(s.screen())
				s.signal(t, syscall.SIGCONT)
				until(t, "it goes on", func() bool { return strings.Contains(s.screen()[before:], overview) })
			}
			_, _ = s.keys.WriteString("q")
			if code := s.code(t); code != exitQuit {
				t.Errorf("ended with %d", code)
			}
			s.wantOrdinary(t)
		})
	}
}

func TestNoTerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in, out bool
		env     string
		want    string
	}{
		"no input":  {false, true, "TERM=xterm", "standard input is none"},
		"no output": {true, false, "TERM=xterm", "standard output is none"},
		"dumb":      {true, true, "TERM=dumb", "whose TERM is \"dumb\""},
		"no TERM":   {true, true, "TERM=", "whose TERM is \"\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, tty, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = keys.Close(), tty.Close() })
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = []string{showing + "=", c.env, "CI=1", "GORACE=atexit_sleep_ms=0"}
			var said strings.Builder
			cmd.Stderr = &said
			if c.in {
				cmd.Stdin = tty
			}
			if c.out {
				cmd.Stdout = tty
			}
			_ = cmd.Run()
			if cmd.ProcessState.ExitCode() != exitOther || !strings.Contains(said.String(), c.want) || !strings.Contains(said.String(), "--once") {
				t.Errorf("ended with %d: %s", cmd.ProcessState.ExitCode(), said.String())
			}
		})
	}
}

// What is written matters over ssh: a row that changes is not to cost a screen, and nothing that changes is to cost nothing.
func TestLittleIsWritten(t *testing.T) {
	t.Parallel()
	s := sit(t, "")
	s.await(t, overview)
	s.idle(t, 1500*time.Millisecond)
	full := len(s.screen())
	before := len(s.screen())
	s.signal(t, poke)
	until(t, "the row changes", func() bool { return strings.Contains(s.screen()[before:], "billing") })
	s.idle(t, 300*time.Millisecond)
	row := len(s.screen()) - before
	before = len(s.screen())
	_, _ = s.keys.WriteString("j")
	until(t, "the selection moves", func() bool { return len(s.screen()) > before })
	s.idle(t, 300*time.Millisecond)
	moved := len(s.screen()) - before
	t.Logf("bytes at 80x24: the first frame %d, a row that changes %d, the selection that moves %d, nothing 0", full, row, moved)
	if full > 8000 || row > 1000 || moved > 1500 {
		t.Errorf("the first frame took %d bytes, a row that changed %d, and the selection that moved %d", full, row, moved)
	}
}

// idle waits until nothing is written for a while.
func (s *seat) idle(t *testing.T, quiet time.Duration) {
	t.Helper()
	deadline := time.After(patience)
	for {
		before := len(s.screen())
		select {
		case <-deadline:
			t.Fatalf("it writes all the time; the last is %q", s.screen()[max(len(s.screen())-300, 0):])
		case <-time.After(quiet):
		}
		if len(s.screen()) == before {
			return
		}
	}
}
