package local_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kayra/store"
	"kayra/store/local"
	"kayra/store/storetest"
)

// TestLogBytes writes far more than the log may hold: the file stays small, the last revisions stay.
func TestLogBytes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	s := open(t, local.Options{Path: path, LogBytes: 1 << 20})
	for range 100 {
		put(t, s, "key", strings.Repeat("x", 200_000))
	}
	e, err := s.Get(t.Context(), "key")
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	for from, want := range map[int64]error{e.ModRevision: enough, e.ModRevision - 2: enough, e.ModRevision - 20: store.ErrCompacted} {
		err := s.Watch(t.Context(), "key", from, func(store.Batch) error { return enough })
		if !errors.Is(err, want) {
			t.Errorf("watch from %d revisions back: got error %v, want %v", e.ModRevision-from, err, want)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > 6<<20 {
		t.Errorf("file has %d bytes, %v", info.Size(), err)
	}
}

// TestHugeRevision has one revision that is larger than the log may be.
func TestHugeRevision(t *testing.T) {
	t.Parallel()
	s := open(t, local.Options{Path: filepath.Join(t.TempDir(), "kayra.db"), LogBytes: 1000})
	put(t, s, "key", "1")
	put(t, s, "key", strings.Repeat("x", store.MaxValue))
	e, err := s.Get(t.Context(), "key")
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	err = s.Watch(t.Context(), "", e.ModRevision, func(b store.Batch) error {
		if len(b.Events) != 1 || len(b.Events[0].Value) != store.MaxValue {
			t.Errorf("got %d events", len(b.Events))
		}
		return enough
	})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}

// TestWriteLock has a transaction wait for another process's, here played by a connection of the test's.
func TestWriteLock(t *testing.T) {
	t.Parallel()
	path := closed(t)
	s := open(t, local.Options{Path: path})
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := db.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	impatient, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	txn := store.Txn{Then: []store.Op{store.Put("key", nil)}}
	if _, err := s.Txn(impatient, txn); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want the context's", err)
	}
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Errorf("a reader waits for a writer: %v", err)
	}
	wrote := make(chan error, 1)
	go func() {
		_, err := s.Txn(t.Context(), txn)
		wrote <- err
	}()
	if _, err := db.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := <-wrote; err != nil {
		t.Error(err)
	}
}

func TestSecondSession(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	s, other := open(t, local.Options{Path: path}), open(t, local.Options{Path: path})
	hold(t, s)
	for _, s := range []*local.Store{s, other} {
		if _, err := s.NewSession(t.Context()); !errors.Is(err, store.ErrInUse) || !strings.Contains(err.Error(), "process") {
			t.Errorf("got error %v, want one that names the holder", err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	hold(t, other)
}

// TestLostLock removes the lock's file by hand, whereupon another takes the session. The first one learns of it.
func TestLostLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "kayra.db")
	s := open(t, local.Options{Path: path})
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path + ".lock"); err != nil {
		t.Fatal(err)
	}
	hold(t, open(t, local.Options{Path: path}))
	<-session.Done()
	_, err = s.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("lock", nil, session.ID())}})
	if !errors.Is(err, store.ErrSessionLost) {
		t.Errorf("got error %v", err)
	}
}

func BenchmarkStore(b *testing.B) { storetest.Benchmark(b, backend{}) }
