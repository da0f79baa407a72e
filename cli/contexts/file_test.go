package contexts_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"kayra/cli/contexts"
	"kayra/config"
)

// at is a file that must not be warned of.
func at(t *testing.T, path string) contexts.File {
	t.Helper()
	return contexts.File{Path: path, Warn: func(text string) { t.Errorf("warned: %s", text) }}
}

func add(name string) func(*contexts.Contexts) error {
	return func(c *contexts.Contexts) error {
		c.Put(contexts.Context{Name: name, Server: "http://" + name, Token: config.SecretOf("t")})
		return nil
	}
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func write(t *testing.T, path, content string, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func TestPlace(t *testing.T) {
	t.Parallel()
	for want, env := range map[string]map[string]string{
		"/x/kayra/contexts.yaml":         {"XDG_CONFIG_HOME": "/x", "HOME": "/h"},
		"/h/.config/kayra/contexts.yaml": {"XDG_CONFIG_HOME": "relative", "HOME": "/h", "AppData": "/a"},
		"/a/kayra/contexts.yaml":         {"AppData": "/a"},
		"":                               {},
	} {
		got, err := contexts.Place(func(name string) (string, bool) { v, ok := env[name]; return v, ok })
		if got != filepath.FromSlash(want) || errors.Is(err, contexts.ErrNoPlace) != (want == "") {
			t.Errorf("%v: got %q, %v", env, got, err)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "config", "kayra", "contexts.yaml")
	if err := at(t, path).Change(t.Context(), add("a")); err != nil {
		t.Fatal(err)
	}
	for of, want := range map[string]fs.FileMode{path: 0o600, path + ".lock": 0o600, filepath.Dir(path): 0o700} {
		if got := mode(t, of); got != want {
			t.Errorf("%s has mode %o, want %o", of, got, want)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	var warned []string
	f := contexts.File{Path: path, Warn: func(text string) { warned = append(warned, text) }}
	if c, err := f.Read(); err != nil || len(c.All) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	if len(warned) != 1 || !strings.Contains(warned[0], path+" has mode 0644: it could be read by others, and is closed") || mode(t, path) != 0o600 {
		t.Errorf("warned %q, mode %o", warned, mode(t, path))
	}
}

// Whoever changes the file at the same time as others takes nothing from them.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "contexts.yaml")
	const many = 20
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			if err := at(t, path).Change(t.Context(), add(fmt.Sprint("n", i))); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if c, err := at(t, path).Read(); err != nil || len(c.All) != many {
		t.Errorf("got %d of %d, %v", len(c.All), many, err)
	}
}

func TestAWaitForTheLockEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "contexts.yaml")
	err := at(t, path).Change(t.Context(), func(*contexts.Contexts) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return at(t, path).Change(ctx, add("a"))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestAWaitForAnotherProcessEnds(t *testing.T) {
	t.Parallel()
	f := at(t, filepath.Join(t.TempDir(), "contexts.yaml"))
	f.Patience = 20 * time.Millisecond
	err := f.Change(t.Context(), func(*contexts.Contexts) error { return f.Change(t.Context(), add("a")) })
	if want := "another process has held " + f.Path + ".lock for 20ms: "; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

func TestSymbolicLinksStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link, dangling := filepath.Join(dir, "dots", "real.yaml"), filepath.Join(dir, "link.yaml"), filepath.Join(dir, "dangling.yaml")
	err := errors.Join(os.Mkdir(filepath.Dir(file), 0o700), os.Symlink("dots/real.yaml", link), os.Symlink("link.yaml", dangling))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dangling, link} { // at first none of them leads anywhere
		if err := at(t, path).Change(t.Context(), add(filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", path, err)
		}
	}
	if c, err := at(t, file).Read(); err != nil || len(c.All) != 2 || mode(t, file) != 0o600 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestWhatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, content := range map[string]string{"broken.yaml": "contexts: [", "alias.yaml": "a: &x 1\nb: *x\n", "large.yaml": strings.Repeat("#", 1<<20+1)} {
		path := filepath.Join(dir, name)
		write(t, path, content, 0o600)
		err := at(t, path).Change(t.Context(), add("a"))
		if got, _ := os.ReadFile(path); err == nil || !strings.Contains(err.Error(), name) || string(got) != content {
			t.Errorf("%s: %v", name, err)
		}
	}
	path, refusal := filepath.Join(dir, "contexts.yaml"), errors.New("no")
	write(t, path, whole, 0o600)
	err := at(t, path).Change(t.Context(), func(c *contexts.Contexts) error {
		c.All = nil
		return refusal
	})
	if got, _ := os.ReadFile(path); !errors.Is(err, refusal) || string(got) != whole {
		t.Errorf("after a refusal: %v\n%s", err, got)
	}
	if err := at(t, dir).Change(t.Context(), add("a")); err == nil {
		t.Error("a folder was taken for a file")
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if err := at(t, loop).Change(t.Context(), add("a")); err == nil {
		t.Error("a link to itself was taken")
	}
}

// The leftover of a crash is in nobody's way.
func TestALeftover(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "contexts.yaml")
	write(t, path+".new", "half of", 0o644)
	if err := at(t, path).Change(t.Context(), add("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) || mode(t, path) != 0o600 {
		t.Errorf("left: %v, mode %o", err, mode(t, path))
	}
}
