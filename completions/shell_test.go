//go:build !windows && !race

package completions_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// patience is how long a shell may take for what it has to do.
const patience = time.Minute

// shell is a shell at a terminal, with the scripts of both programs loaded. In it, show writes its arguments.
type shell struct {
	t    *testing.T
	keys *os.File

	mu    sync.Mutex
	shown strings.Builder
	asked int // how often show was called
}

// kind says how a shell is started so that it has a prompt, nothing of the user's own, and the file with its beginning.
type kind struct {
	program, rc string
	args        []string
	begin       string // loads the scripts of this folder, which is %[1]s, and makes show
}

const showInSh = `
show() { count=$((count+1)); printf '<%%s>' "$@"; printf '#%%s#\n' $count; }
PS1='> '
`

func kinds() []kind {
	return []kind{
		{"bash", "bashrc", []string{"--noprofile", "--rcfile", "bashrc", "-i"}, `
. /usr/share/bash-completion/bash_completion
bind 'set show-all-if-ambiguous on'; bind 'set enable-bracketed-paste off'; bind 'set page-completions off'
. %[1]s/kayra.bash
. %[1]s/kayra-cli.bash
complete -o default -F __start_kayra show` + showInSh},
		{"zsh", ".zshrc", []string{"-i"}, `
autoload -U compinit; compinit -u -D
setopt no_beep no_prompt_sp no_list_ambiguous; LISTMAX=1000; unset zle_bracketed_paste
. %[1]s/_kayra
. %[1]s/_kayra-cli` + showInSh},
		{"fish", "fish/config.fish", []string{"-i"}, `
set -g count 0; set -g fish_greeting
function show; set count (math $count + 1); printf '<%%s>' $argv; printf '#%%s#\n' $count; end
function fish_prompt; printf '> '; end
source %[1]s/kayra.fish
source %[1]s/kayra-cli.fish`},
	}
}

// start starts a shell, or skips the test where there is none.
func start(t *testing.T, k kind, dir string, env ...string) *shell {
	t.Helper()
	program, err := exec.LookPath(k.program)
	if err != nil {
		t.Skipf("%s is not installed: its script is not tried here", k.program)
	}
	if _, err := os.Stat("/usr/share/bash-completion/bash_completion"); k.program == "bash" && err != nil {
		t.Skip("bash-completion is not installed: bash's script is not tried here")
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	rc := filepath.Join(dir, k.rc)
	if err := os.MkdirAll(filepath.Dir(rc), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rc, fmt.Appendf(nil, k.begin, here), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, k.args...)
	cmd.Dir = dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "ZDOTDIR=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"),
		"XDG_DATA_HOME=" + dir, "TERM=xterm", "LC_ALL=C.UTF-8", "GORACE=atexit_sleep_ms=0",
	}, env...)
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{t: t, keys: keys}
	read := make(chan struct{})
	go func() {
		defer close(read)
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
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGHUP)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = keys.Close()
		<-read
	})
	s.await("> ")
	return s
}

func (s *shell) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// await waits until the screen has a text, and gives what it has before that.
func (s *shell) await(text string) string {
	s.t.Helper()
	deadline := time.After(patience)
	for {
		if before, _, ok := strings.Cut(s.screen(), text); ok {
			return before
		}
		select {
		case <-deadline:
			s.t.Fatalf("waited for %q in vain; the screen has %q", text, s.screen())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (s *shell) send(keys string) {
	s.t.Helper()
	s.mu.Lock()
	s.shown.Reset()
	s.mu.Unlock()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// line types a command line, with tabs in it, and gives the arguments that it ends up with: it goes to its beginning, has
// it shown instead of run, and presses return.
func (s *shell) line(typed string) string {
	s.t.Helper()
	s.asked++
	s.send(typed + "\x01show \r")
	before := s.await(fmt.Sprintf("#%d#", s.asked))
	return before[max(0, strings.LastIndex(before, "\n")):]
}

// list types the beginning of a command line and waits for all of the texts among what is suggested. Then it takes the line away.
func (s *shell) list(typed string, texts ...string) {
	s.t.Helper()
	s.send(typed)
	for _, text := range texts {
		s.await(text)
	}
	s.send("\x15\r")
	s.await("> ")
}
