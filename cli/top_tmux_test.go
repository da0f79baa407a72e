//go:build !windows

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pane is a shell in tmux, at 80 columns and 24 lines.
type pane struct{ tmux []string }

// openPane starts a shell in a tmux of its own, whose prompt is a dollar sign.
func openPane(t *testing.T, dir string, env []string) *pane {
	t.Helper()
	program, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed: kayra top is not driven in it")
	}
	sockets, err := os.MkdirTemp("", "kayra") //nolint:usetesting // the name of a socket must not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sockets) })
	p := &pane{[]string{program, "-u", "-f", "/dev/null", "-S", filepath.Join(sockets, "tmux")}}
	start := exec.CommandContext(t.Context(), program, append(p.tmux[1:], "new-session", "-d", "-x", "80", "-y", "24", "env PS1='$ ' ENV= sh -i")...)
	start.Dir, start.Env = dir, append(env, "LANG=C.UTF-8", "TERM=xterm-256color")
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("start tmux: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command(program, append(p.tmux[1:], "kill-server")...).Run() }) //nolint:noctx // ends by itself
	return p
}

func (p *pane) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), p.tmux[0], append(p.tmux[1:], args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
	return string(out)
}

// press presses keys, by their names in tmux.
func (p *pane) press(t *testing.T, keys ...string) {
	t.Helper()
	p.run(t, append([]string{"send-keys"}, keys...)...)
}

// sees waits until all texts are on the screen at once.
func (p *pane) sees(t *testing.T, texts ...string) {
	t.Helper()
	for deadline := time.After(patience); ; {
		screen, missing := p.run(t, "capture-pane", "-p"), ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("waited in vain for %q; the screen is\n%s", missing, screen)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// prompts waits until the shell has come back, and its screen ends with a text and the prompt.
func (p *pane) prompts(t *testing.T, text string) {
	t.Helper()
	p.sees(t, text+"\n$\n")
}

// A whole canary in the real program, at real processes: chosen, previewed, confirmed, watched, left pending and released. The
// terminal is as it was afterwards.
func TestACanaryInTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nothing)
	p := openPane(t, w.dir, w.env)
	dev := exec.Command("kayra", "dev", "--dir", "d") //nolint:noctx // is ended below
	dev.Dir, dev.Env = w.dir, w.env
	out := &told{}
	dev.Stdout, dev.Stderr = out, out
	if err := dev.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = dev.Process.Signal(syscall.SIGTERM)
		_ = dev.Wait()
	})
	out.await(t, "get compute")

	p.press(t, "export KAYRA_CONFIG=d/client.yaml; stty -a > before; kayra apply -f d/example.yaml > applied; echo done", "Enter")
	p.prompts(t, "\ndone")
	p.press(t, "kayra top", "Enter")
	p.sees(t, "● live", "compute.example.com", "✓ healthy", "2/2 synced")
	p.press(t, "Enter")
	p.sees(t, "overview › compute.example.com", "apps", "sre", "2/2 synced")

	p.press(t, "c")
	p.sees(t, "Which namespaces get a fresh sync id first?", "[ ] ✓ sre", "0 chosen")
	p.press(t, "End", "Space")
	p.sees(t, "[x] ✓ sre", "1 chosen")
	p.press(t, "Enter")
	p.sees(t, "What the canary does", "1: sre", "1: apps", "kayra rollout start compute.example.com --canary sre")
	p.press(t, "Enter")
	p.sees(t, "alone?")
	p.press(t, "y")
	p.sees(t, "1 of 1 are there", "leave it pending")
	p.press(t, "l")
	p.sees(t, "compute.example.com: canary at ", "◆ canary in sre; 1 held", "1/2 synced", "◆ held")

	p.press(t, "P")
	p.sees(t, "Release the canary of compute.example.com to everyone?", "1 namespace: apps", "▸ No")
	p.press(t, "y")
	p.sees(t, "compute.example.com: released ", "2/2 synced")
	if screen := p.run(t, "capture-pane", "-p"); strings.Contains(screen, "held") || strings.Count(screen, "✓ synced") != 2 {
		t.Errorf("not everybody is released:\n%s", screen)
	}

	p.press(t, "q")
	p.prompts(t, "$ kayra top")
	p.press(t, "stty -a > after; cmp before after && echo same", "Enter")
	p.prompts(t, "\nsame")
	if modes := p.run(t, "display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_flag}"); modes != "0 1 0 0\n" {
		t.Errorf("alternate screen, cursor, mouse, keypad: %s", modes)
	}
}
