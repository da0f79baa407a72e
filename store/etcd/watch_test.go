package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

// watching is a watch in the background, with all that it tells.
type watching struct {
	batches chan store.Batch
	ended   chan error
}

func watch(t *testing.T, s store.Store, prefix string, from int64) watching {
	t.Helper()
	w := watching{batches: make(chan store.Batch, 10_000), ended: make(chan error, 1)}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		w.ended <- s.Watch(ctx, prefix, from, func(b store.Batch) error {
			w.batches <- b
			return nil
		})
		close(w.ended)
	}()
	t.Cleanup(func() {
		stop()
		for range w.ended {
			t.Log("the watch has ended")
		}
	})
	return w
}

// event waits for the next one.
func (w watching) event(t *testing.T) store.Event {
	t.Helper()
	for {
		select {
		case b := <-w.batches:
			if len(b.Events) > 0 {
				return b.Events[0]
			}
		case err := <-w.ended:
			t.Fatalf("watch ended: %v", err)
		}
	}
}

func (w watching) wantEnd(t *testing.T, want error) {
	t.Helper()
	if err := <-w.ended; !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

func TestWatchRestart(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	s := open(t, etcd.Options{Endpoints: server.Endpoints()})
	revision := put(t, s, "1")
	w := watch(t, s, "", revision+1)
	<-w.batches
	server.Stop()
	w.wantEnd(t, store.ErrUnavailable)
	watch(t, s, "", revision+1).wantEnd(t, store.ErrUnavailable)
	server.Restart(t)
	next := putAgain(t, s, "2")
	if e := watch(t, s, "", revision+1).event(t); e.ModRevision != next || string(e.Value) != "2" {
		t.Errorf("got %+v, want the write at %d", e, next)
	}
}

// putAgain tries for as long as the store is not available.
func putAgain(t *testing.T, s store.Store, value string) int64 {
	t.Helper()
	for {
		res, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put("key", []byte(value))}})
		if err == nil {
			return res.Revision
		}
		if !errors.Is(err, store.ErrUnavailable) {
			t.Fatal(err)
		}
	}
}

func TestWatchSilence(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	proxy := etcdtest.NewProxy(t, server)
	s := open(t, etcd.Options{
		Endpoints: proxy.Endpoints(), Prefix: server.Prefix(t),
		WatchProgress: 50 * time.Millisecond, WatchSilence: 500 * time.Millisecond,
	})
	revision := put(t, s, "1")
	w := watch(t, s, "", revision+1)
	for range 3 {
		<-w.batches
	}
	proxy.Pause()
	w.wantEnd(t, store.ErrSilent)
	watch(t, s, "", revision+1).wantEnd(t, store.ErrSilent)
	proxy.Resume()
	next := putAgain(t, s, "2")
	if e := watch(t, s, "", revision+1).event(t); e.ModRevision != next {
		t.Errorf("got %+v, want the write at %d", e, next)
	}
}

// TestWatchSlowly has a watch whose function takes longer than the silence that is allowed.
func TestWatchSlowly(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	s := open(t, etcd.Options{
		Endpoints: server.Endpoints(), Prefix: server.Prefix(t),
		WatchProgress: 20 * time.Millisecond, WatchSilence: 100 * time.Millisecond,
	})
	revision := put(t, s, "1")
	enough := errors.New("enough")
	calls := 0
	err := s.Watch(t.Context(), "", revision+1, func(store.Batch) error {
		if calls++; calls == 3 {
			return enough
		}
		<-time.After(300 * time.Millisecond)
		return nil
	})
	if !errors.Is(err, enough) {
		t.Error(err)
	}
}

// TestRestored puts a cluster of an earlier time in the place of the one that is watched.
func TestRestored(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		token  string
		writes int // in the restored cluster, before anybody looks
	}{
		"same id, earlier revision":    {"", 0},
		"another id, earlier revision": {"another", 0},
		"another id, later revision":   {"another", 40},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := etcdtest.Start(t)
			opts := etcd.Options{Endpoints: server.Endpoints(), WatchProgress: 20 * time.Millisecond}
			s := open(t, opts)
			var revision int64
			for i := range 20 {
				revision = put(t, s, strconv.Itoa(i))
			}
			w := watch(t, s, "", revision+1)
			<-w.batches
			server.Wipe(t, c.token)
			w.wantEnd(t, store.ErrUnavailable)
			other := openAgain(t, opts)
			for range c.writes {
				putAgain(t, other, "new")
			}
			// What a follower does: try where it was, then list, then watch.
			wantEventually(t, s, revision+1, store.ErrFutureRevision)
			l, err := s.List(t.Context(), "", store.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			next := putAgain(t, other, "next")
			if e := watch(t, s, "", l.Revision+1).event(t); e.ModRevision != next {
				t.Errorf("got %+v, want the write at %d", e, next)
			}
		})
	}
}

// openAgain tries for as long as the store is not available.
func openAgain(t *testing.T, opts etcd.Options) *etcd.Store {
	t.Helper()
	for {
		s, err := etcd.Open(t.Context(), opts)
		if errors.Is(err, store.ErrUnavailable) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s
	}
}

func wantEventually(t *testing.T, s store.Store, from int64, want error) {
	t.Helper()
	for {
		err := s.Watch(t.Context(), "", from, func(store.Batch) error { return nil })
		if errors.Is(err, store.ErrUnavailable) {
			continue
		}
		if !errors.Is(err, want) {
			t.Errorf("got error %v, want %v", err, want)
		}
		return
	}
}

// TestListCompacted lists many pages while the history is being compacted. Whatever comes of it is one revision's.
func TestListCompacted(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	s := open(t, etcd.Options{Endpoints: server.Endpoints()})
	for page := range 40 {
		var ops []store.Op
		for i := range store.MaxOps {
			ops = append(ops, store.Put(fmt.Sprintf("l/%02d/%03d", page, i), nil))
		}
		if _, err := s.Txn(t.Context(), store.Txn{Then: ops}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		listed := make(chan error, 1)
		go func() {
			l, err := s.List(t.Context(), "l/", store.ListOptions{})
			if err == nil && string(l.Entries[0].Value) != string(l.Entries[len(l.Entries)-1].Value) {
				err = errors.New("the listing is of two revisions")
			}
			if errors.Is(err, store.ErrUnavailable) {
				err = nil
			}
			listed <- err
		}()
		value := []byte(strconv.Itoa(i))
		if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put("l/00/000", value), store.Put("l/39/127", value)}}); err != nil {
			t.Fatal(err)
		}
		server.Compact(t, 0)
		if err := <-listed; err != nil {
			t.Error(err)
		}
	}
}
