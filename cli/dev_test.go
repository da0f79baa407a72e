//go:build !windows

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// What dev and demo tell to run in another terminal can be pasted there as a block, whether the program is on the PATH or not.
func TestCommandsToPaste(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the commands are written for a shell")
	}
	program, err := exec.LookPath("kayra")
	if err != nil {
		t.Fatal(err)
	}
	for name, verb := range map[string][]string{"dev": {"dev", "--dir", "d"}, "demo": {"demo", "--keep"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nothing)
			away := append(slices.Clone(w.env), "PATH=/usr/bin:/bin")
			cmd := exec.Command(program, verb...) //nolint:noctx // is ended below
			cmd.Dir, cmd.Env = w.dir, away
			out := &told{}
			cmd.Stdout, cmd.Stderr = out, out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = cmd.Process.Signal(syscall.SIGTERM)
				_ = cmd.Wait()
			})
			out.await(t, " top\n")
			_, lines, _ := strings.Cut(out.String(), "In another terminal:")
			paste := exec.CommandContext(t.Context(), bash, "-e", "-O", "expand_aliases")
			paste.Dir, paste.Env = w.dir, away
			paste.Stdin = strings.NewReader(strings.Replace(lines, " top\n", " top --once\n", 1))
			if got, err := paste.CombinedOutput(); err != nil || !strings.Contains(string(got), " healthy ") {
				t.Errorf("%v:\n%s\nof%s", err, got, lines)
			}
		})
	}
}

// Ctrl-C goes to the whole process group of a terminal's job, and kill -9 may, too. Either way no process is left, and the one
// that is asked to end does so in order.
func TestNothingIsLeftOfDev(t *testing.T) {
	t.Parallel()
	for signal, want := range map[syscall.Signal]int{syscall.SIGINT: 0, syscall.SIGKILL: -1} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nothing)
			cmd := exec.Command("kayra", "dev", "--dir", "d") //nolint:noctx // is ended below
			cmd.Dir, cmd.Env, cmd.SysProcAttr = w.dir, w.env, &syscall.SysProcAttr{Setpgid: true}
			out, errs := &told{}, &bytes.Buffer{}
			cmd.Stdout, cmd.Stderr = out, errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
			out.await(t, "get compute")
			lock, err := os.Open(filepath.Join(w.dir, "d", "processes.lock"))
			if err != nil {
				t.Fatal(err)
			}
			defer lock.Close() //nolint:errcheck // nothing was written
			if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
				t.Error("the processes do not hold their lock")
			}
			_ = syscall.Kill(-cmd.Process.Pid, signal)
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != want || errs.Len() > 0 {
				t.Errorf("exit code %d, %s", code, errs)
			}
			how := unix.LOCK_EX
			if signal == syscall.SIGINT {
				how |= unix.LOCK_NB // it has waited for them
			}
			if err := unix.Flock(int(lock.Fd()), how); err != nil {
				t.Errorf("a process is left: %v", err)
			}
		})
	}
}
