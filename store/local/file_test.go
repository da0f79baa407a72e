package local_test

import (
	"bytes"
	"database/sql"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kayra/store"
	"kayra/store/local"
)

// closed makes a store with some records, closes it, and returns its path.
func closed(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kayra.db")
	s, err := local.Open(t.Context(), local.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"a", "b", "c"} {
		put(t, s, key, strings.Repeat(key, 10_000))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// alter runs SQL on a file.
func alter(t *testing.T, path, script string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// directory is what every file in a directory holds.
func directory(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		files[e.Name()] = string(read(t, filepath.Join(dir, e.Name())))
	}
	return files
}

func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		want  error
		says  string
	}{
		"newer version": {func(t *testing.T, path string) {
			t.Helper()
			alter(t, path, "PRAGMA user_version = 7")
		}, store.ErrSchema, "schema 7"},
		"another program's": {func(t *testing.T, path string) {
			t.Helper()
			alter(t, path, "PRAGMA application_id = 1")
		}, store.ErrSchema, "not a store"},
		"plain SQLite": {func(t *testing.T, path string) {
			t.Helper()
			write(t, path, nil)
			alter(t, path, "CREATE TABLE notes (text); PRAGMA journal_mode = WAL")
		}, store.ErrSchema, "not a store"},
		"text": {func(t *testing.T, path string) {
			t.Helper()
			write(t, path, bytes.Repeat([]byte("my notes\n"), 1000))
		}, store.ErrSchema, "another path"},
		"short": {func(t *testing.T, path string) {
			t.Helper()
			write(t, path, []byte("x"))
		}, store.ErrSchema, "another path"},
		"truncated": {func(t *testing.T, path string) {
			t.Helper()
			content := read(t, path)
			write(t, path, content[:len(content)/2])
		}, store.ErrCorrupt, "backup"},
		"overwritten": {func(t *testing.T, path string) {
			t.Helper()
			content := read(t, path)
			write(t, path, append(content[:4096:4096], bytes.Repeat([]byte("garbage"), (len(content)-4096)/7)...))
		}, store.ErrCorrupt, "backup"},
		"without a table": {func(t *testing.T, path string) {
			t.Helper()
			alter(t, path, "DROP TABLE meta")
		}, store.ErrCorrupt, "backup"},
		"with another table": {func(t *testing.T, path string) {
			t.Helper()
			alter(t, path, "DROP TABLE log; CREATE TABLE log (text)")
		}, store.ErrCorrupt, "backup"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := closed(t)
			c.spoil(t, path)
			before := directory(t, filepath.Dir(path))
			_, err := local.Open(t.Context(), local.Options{Path: path})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("got error %v, want %v, %q and the path", err, c.want, c.says)
			}
			if !maps.Equal(directory(t, filepath.Dir(path)), before) {
				t.Error("the files have changed")
			}
		})
	}
}

func TestRefusedPaths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, says := range map[string]string{
		"":                                  "no path",
		dir:                                 "not a regular file",
		filepath.Join(dir, "gone", "k.db"):  "directory",
		filepath.Join(dir, "gone", "", "k"): "does not exist",
	} {
		_, err := local.Open(t.Context(), local.Options{Path: path})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got error %v, want %q", path, err, says)
		}
	}
	if files := directory(t, dir); len(files) > 0 {
		t.Errorf("%v was left behind", files)
	}
}

// TestForbiddenFiles may not be mended by waiting: they are refused as what they are, and not as unavailable.
func TestForbiddenFiles(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing is forbidden to root")
	}
	for name, mode := range map[string]fs.FileMode{"unreadable": 0, "read-only": 0o400} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := closed(t)
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
			_, err := local.Open(t.Context(), local.Options{Path: path})
			if err == nil || errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "read and write") {
				t.Errorf("got error %v", err)
			}
		})
	}
}

// TestNewFile creates a store where several open it at once, a crash has left something, and the name is a hard one.
func TestNewFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a b?c=%20#.db")
	write(t, path, nil)
	write(t, path+".new", []byte("half of a file"))
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { put(t, open(t, local.Options{Path: path}), "key", "value") })
	}
	all.Wait()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("new file: %v", err)
	}
}

// TestLink opens one store by two names: there is one session.
func TestLink(t *testing.T) {
	t.Parallel()
	path := closed(t)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	hold(t, open(t, local.Options{Path: path}))
	if _, err := open(t, local.Options{Path: link}).NewSession(t.Context()); !errors.Is(err, store.ErrInUse) {
		t.Errorf("got error %v for a second session", err)
	}
}
