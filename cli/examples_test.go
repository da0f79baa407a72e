//go:build !windows

package cli_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli"
	"kayra/store/etcd/etcdtest"
)

// TestExamples runs every example of every command, under both names of the program, against real processes. What has to be
// there for those of a command, and which end in another way than with exit code 0, is said in scenes.
func TestExamples(t *testing.T) {
	t.Parallel()
	if etcdtest.Racing {
		t.Skip("one command after another is run")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("examples are written for bash, which is not here")
	}
	shared := newWorld(t, fleet)
	shared.prepare(t, usual)
	known := scenes()
	for _, root := range []*cobra.Command{cli.Command(), cli.ClientCommand()} {
		seen := map[string]bool{} // what stands in the help of several commands is run once
		each(root, func(cmd *cobra.Command) {
			path := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), root.Name()), " ")
			s, ok := known[path]
			if !ok {
				s = scene{needs: fleet, before: usual}
			}
			var lines []string
			for _, line := range examples(cmd) {
				if !seen[line] {
					lines = append(lines, line)
				}
				seen[line] = true
			}
			t.Run(cmd.CommandPath(), func(t *testing.T) {
				t.Parallel()
				s.play(t, shared, lines)
			})
		})
	}
	for path := range known {
		if cmd, _, err := cli.Command().Find(strings.Fields(path)); err != nil || strings.TrimPrefix(cmd.CommandPath(), "kayra") != strings.TrimSuffix(" "+path, " ") {
			t.Errorf("there is a scene for %q, which is no command", path)
		}
	}
}

// examples are the lines of a command's examples. One that ends in a backslash goes on.
func examples(cmd *cobra.Command) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(cmd.Example, "\\\n", " "), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// needs says which processes have to be there.
type needs int

const (
	nothing   needs = iota
	server          // kayra serve
	fleet           // a reconciler, too
	theShared       // both, which other commands look at at the same time, with what usual has made
)

// scene is what has to be there for the examples of a command.
type scene struct {
	needs  needs
	before [][]string        // commands that are run before them, in order
	files  []string          // folders that have to be there
	ends   map[string]ending // by a part of the example; of several the longest
}

// ending is how an example ends other than with exit code 0.
type ending struct {
	before [][]string // commands that are run before this one
	codes  []int      // it may end with; none: 0 or, where it is interrupted, 130, too
	until  string     // a regular expression: it is interrupted when it has written this
	skip   string     // why it is not run
}

func (s scene) play(t *testing.T, shared *world, lines []string) {
	t.Helper()
	w := shared
	if s.needs != theShared {
		w = newWorld(t, s.needs)
		w.prepare(t, s.before)
	}
	for _, dir := range s.files {
		if err := os.MkdirAll(filepath.Join(w.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	unused := s.ends
	for _, line := range lines {
		var end ending
		longest := 0
		for part, other := range s.ends {
			if strings.Contains(line, part) {
				unused = without(unused, part)
				if len(part) > longest {
					end, longest = other, len(part)
				}
			}
		}
		if end.skip != "" {
			t.Logf("not run, since %s: %s", end.skip, line)
			continue
		}
		w.prepare(t, end.before)
		if code, out := w.run(t, line, end.until); !slices.Contains(end.allowed(), code) {
			t.Errorf("%s\nended with exit code %d, not %v:\n%s", line, code, end.allowed(), out)
		}
	}
	if len(unused) > 0 && strings.HasPrefix(t.Name(), "TestExamples/kayra_") {
		t.Errorf("endings that no example has: %v", unused)
	}
}

func (e ending) allowed() []int {
	switch {
	case e.codes != nil:
		return e.codes
	case e.until != "":
		return []int{0, 130}
	}
	return []int{0}
}

func without(ends map[string]ending, part string) map[string]ending {
	rest := map[string]ending{}
	for k, v := range ends {
		if k != part {
			rest[k] = v
		}
	}
	return rest
}

// world is a folder with files and environment, and the processes in it.
type world struct {
	dir, url string
	env      []string
}

func newWorld(t *testing.T, n needs) *world {
	t.Helper()
	gateway := httptest.NewServer(stub())
	t.Cleanup(gateway.Close)
	w := &world{dir: t.TempDir()}
	config := filepath.Join(w.dir, "kayra.yaml")
	files := map[string]string{
		"kayra.yaml":   fmt.Sprintf(configuration, "backend: local\n  local: {path: kayra.db}", gateway.URL),
		"compute.yaml": "name: compute.example.com\nshort_name: compute\nowner: sre-b\n",
		"token.txt":    "root-token\n",

		"deployment/tenants.yaml": "kind: Subscription\napi: compute.example.com\n---\nkind: Namespace\nname: sre\n",
	}
	for name, text := range files {
		file := filepath.Join(w.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.dir, "XDG_CONFIG_HOME=" + w.dir, "XDG_CACHE_HOME=" + w.dir, "GORACE=atexit_sleep_ms=0",
		"KAYRA_CONFIG=" + config, "KAYRA_DATABASE_ETCD_PREFIX=" + cluster.Server(t).Prefix(t),
	}
	if n >= server {
		w.url = w.start(t, "serve")
		w.env = append(w.env, "KAYRA_CLIENT_SERVER="+w.url)
	}
	if n >= fleet {
		w.start(t, "reconciler")
	}
	return w
}

// start starts a process that ends with the test, and gives its address.
func (w *world) start(tb testing.TB, verb string) string {
	tb.Helper()
	return w.startAs(tb, "kayra", verb)
}

func (w *world) startAs(tb testing.TB, kayra, verb string) string {
	tb.Helper()
	cmd := exec.Command(kayra, verb) //nolint:noctx // is ended below
	cmd.Dir, cmd.Env = w.dir, w.env
	log := &told{}
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	log.await(tb, `"address":"`)
	return regexp.MustCompile(`"address":"([^"]*)"`).FindStringSubmatch(log.String())[1]
}

// prepare runs commands that have to succeed, inside of the test.
func (w *world) prepare(t *testing.T, commands [][]string) {
	t.Helper()
	for _, args := range commands {
		if got := run(t, w.env, "root-token", append([]string{"kayra"}, args...)...); got.code != 0 {
			t.Fatalf("%v: %+v", args, got)
		}
	}
}

// shellPrelude stands in for what other shells than bash have.
const shellPrelude = "set -o pipefail; Out-String() { cat; }; Invoke-Expression() { cat >/dev/null; }; fpath=(x .); "

// run runs a line, and interrupts it when it has written what it is run for. Names that are but examples become those of
// this world.
func (w *world) run(t *testing.T, line, until string) (code int, out string) {
	t.Helper()
	line = strings.NewReplacer(
		"https://kayra.example.com", w.url, "/etc/kayra/kayra.yaml", filepath.Join(w.dir, "kayra.yaml"), "/tmp/", w.dir+"/",
		"127.0.0.1:8080", "127.0.0.1:0", "http://127.0.0.1:2379", cluster.Server(t).Endpoints()[0], "127.0.0.1:9000", "127.0.0.1:0",
	).Replace(line)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", shellPrelude+line)
	cmd.Dir, cmd.Env = w.dir, w.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	text := &told{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("root-token\n"), text, text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	if until != "" {
		w.interrupt(t, cmd, text, regexp.MustCompile(until), done)
	}
	err := <-done
	if ctx.Err() != nil {
		t.Fatalf("%s\nhas not ended:\n%s", line, text.String())
	}
	ended, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case !failed:
		return 0, text.String()
	case ended.ExitCode() < 0: // the shell got the signal
		return 130, text.String()
	}
	return ended.ExitCode(), text.String()
}

// interrupt waits until something has been written, and presses Ctrl-C.
func (w *world) interrupt(t *testing.T, cmd *exec.Cmd, text *told, until *regexp.Regexp, done chan error) {
	t.Helper()
	for {
		select {
		case err := <-done:
			done <- err
			t.Errorf("%s\nhas ended before it has written %q:\n%s", cmd.Args[2], until, text.String())
			return
		case <-time.After(5 * time.Millisecond):
		}
		if until.MatchString(text.String()) {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
			return
		}
	}
}
