package cli_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/term"
	"kayra/store"
	"kayra/store/local"
)

// during copies a store, and has fn be done once the copy has begun: that is when the clock is read.
func during(t *testing.T, from, to string, args []string, fn func(stop context.CancelFunc)) result {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out, errs bytes.Buffer
	code := cli.Run(ctx, cli.Process{
		Args:    append([]string{"kayra", "store", "copy", "--from", from, "--to", to}, args...),
		Environ: []string{"HOME=/nonexistent"},
		Streams: term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
		Now:     func() time.Time { fn(stop); return time.Now() },
	})
	return result{code, out.String(), errs.String()}
}

// storeWith makes a store with a key, and gives its path.
func storeWith(t *testing.T, key string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kayra.db")
	putInto(t, path, key)
	return path
}

func putInto(t *testing.T, path, key string) {
	t.Helper()
	s, err := local.Open(t.Context(), local.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put(key, []byte(key))}}); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// What does not come to its end leaves nothing, on either backend.
func TestStoreCopyLeavesNothing(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	for name, c := range map[string]struct {
		code int
		says string
		args []string
		fn   func(source string, stop context.CancelFunc)
	}{
		"changed":     {5, "has changed while it was copied: 1 keys, such as \"more\"; nothing was copied", nil, func(source string, _ context.CancelFunc) { putInto(t, source, "more") }},
		"interrupted": {130, "interrupted", nil, func(_ string, stop context.CancelFunc) { stop() }},
		"online":      {0, "", []string{"--online"}, func(source string, _ context.CancelFunc) { putInto(t, source, "more") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := storeWith(t, "key")
			target := filepath.Join(t.TempDir(), "to.db")
			got := during(t, "local:"+source, "local:"+target, c.args, func(stop context.CancelFunc) { c.fn(source, stop) })
			if got.code != c.code || !strings.Contains(got.err, c.says) {
				t.Errorf("%+v", got)
			}
			if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) != (c.code != 0) {
				t.Errorf("the copy: %v", err)
			}
			if left, _ := filepath.Glob(target + ".new*"); len(left) > 0 {
				t.Errorf("left over: %q", left)
			}
			if c.code == 0 {
				return
			}
			prefix := server.Prefix(t)
			t.Run("etcd", func(t *testing.T) {
				source := storeWith(t, "key")
				config := filepath.Join(t.TempDir(), "kayra.yaml")
				if err := os.WriteFile(config, []byte("database: {etcd: {prefix: "+prefix+"}}"), 0o600); err != nil {
					t.Fatal(err)
				}
				begun := false
				got := during(t, "local:"+source, "etcd:"+server.Endpoints()[0], []string{"--config", config}, func(stop context.CancelFunc) {
					begun = begun || len(server.Dump(t, prefix)) > 0
					c.fn(source, stop)
				})
				if got.code != c.code || !begun {
					t.Errorf("%+v, begun: %v", got, begun)
				}
				if left := server.Dump(t, prefix); len(left) > 0 {
					t.Errorf("left over: %q", left)
				}
			})
		})
	}
}

func TestStoreCopyToNowhere(t *testing.T) {
	t.Parallel()
	got := during(t, "local:"+storeWith(t, "key"), "etcd:http://127.0.0.1:1", nil, func(context.CancelFunc) {})
	if got.code != 6 || !strings.Contains(got.err, "hint: database in kayra.yaml says where the store is") {
		t.Errorf("got %+v", got)
	}
}
