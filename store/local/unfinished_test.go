package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"kayra/store"
	"kayra/store/local"
)

func TestExisting(t *testing.T) {
	t.Parallel()
	opts := local.Options{Path: filepath.Join(t.TempDir(), "kayra.db"), Existing: true}
	if s, err := local.Open(t.Context(), opts); !errors.Is(err, store.ErrMissing) {
		t.Errorf("got %v, %v", s, err)
	}
	if names := beside(t, opts.Path); len(names) > 0 {
		t.Errorf("it has written %q", names)
	}
	opts.Path = closed(t)
	open(t, opts)
}

// beside are the files that begin with the path.
func beside(t *testing.T, path string) []string {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func create(t *testing.T, path string) *local.Unfinished {
	t.Helper()
	u, err := local.Create(t.Context(), local.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestUnfinished(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	write(t, path+".new", []byte("of one that was killed"))
	u := create(t, path)
	put(t, u.Store, "a", "1")
	if _, err := os.Stat(path); err == nil {
		t.Error("it is there before it is finished")
	}
	if _, err := local.Create(t.Context(), local.Options{Path: path}); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a second one: %v", err)
	}
	soon, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := local.Open(soon, local.Options{Path: path}); err == nil {
		t.Error("another process could create a store there")
	}
	if err := u.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := u.Close(); err != nil {
		t.Error(err)
	}
	if names := beside(t, path); len(names) != 2 { // with the lock
		t.Errorf("there is %q", names)
	}
	s := open(t, local.Options{Path: path})
	if e, err := s.Get(t.Context(), "a"); err != nil || string(e.Value) != "1" {
		t.Errorf("%q, %v", e.Value, err)
	}
	if _, err := local.Create(t.Context(), local.Options{Path: path}); !errors.Is(err, store.ErrExists) {
		t.Errorf("where one is: %v", err)
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	u := create(t, path)
	put(t, u.Store, "a", "1")
	if err := u.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	if names := beside(t, path); len(names) != 1 {
		t.Errorf("there is %q", names)
	}
	open(t, local.Options{Path: path}) // nobody has the lock any more
}

// A write-ahead log that is left of another file would be merged into the new one.
func TestCreateBesideALog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	write(t, path+"-wal", []byte("of another"))
	if _, err := local.Create(t.Context(), local.Options{Path: path}); !errors.Is(err, store.ErrExists) {
		t.Errorf("got %v", err)
	}
}

// patient tells when somebody begins to wait with it.
type patient struct {
	context.Context //nolint:containedctx // it is one
	waits           chan struct{}
	once            sync.Once
}

func (p *patient) Done() <-chan struct{} {
	p.once.Do(func() { close(p.waits) })
	return p.Context.Done()
}

// Of two that begin at once, one makes the file and may then keep the lock for as long as it lives.
func TestMadeByAnother(t *testing.T) {
	t.Parallel()
	path, made := filepath.Join(t.TempDir(), "kayra.db"), closed(t)
	u := create(t, path) // has the lock
	ctx, opened := &patient{Context: t.Context(), waits: make(chan struct{})}, make(chan error, 1)
	go func() {
		s, err := local.Open(ctx, local.Options{Path: path})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	<-ctx.waits
	if err := os.Rename(made, path); err != nil {
		t.Fatal(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
	if err := u.Discard(t.Context()); err != nil {
		t.Error(err)
	}
}
