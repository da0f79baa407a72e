package etcd_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kayra/store"
	"kayra/store/etcd"
)

func TestExisting(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	opts := etcd.Options{Endpoints: server.Endpoints(), Prefix: server.Prefix(t), Existing: true}
	if _, err := etcd.Open(t.Context(), opts); !errors.Is(err, store.ErrMissing) {
		t.Errorf("got %v", err)
	}
	if there := server.Dump(t, opts.Prefix); len(there) > 0 {
		t.Errorf("it has written %q", there)
	}
	opts.Existing = false
	open(t, opts)
	opts.Existing = true
	open(t, opts)
}

func TestUnfinished(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	opts := etcd.Options{Endpoints: server.Endpoints(), Prefix: server.Prefix(t)}
	u := create(t, opts)
	if _, err := u.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put("a", []byte("1"))}}); err != nil {
		t.Fatal(err)
	}
	const says = "is a copy that is not complete"
	if _, err := etcd.Open(t.Context(), opts); !errors.Is(err, store.ErrSchema) || !strings.Contains(err.Error(), says) {
		t.Errorf("opened: %v", err)
	}
	if _, err := etcd.Create(t.Context(), opts); !errors.Is(err, store.ErrSchema) || !strings.Contains(err.Error(), says) {
		t.Errorf("a second one: %v", err)
	}
	for range 2 { // the answer of the first may be lost
		if err := u.Finish(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.Discard(t.Context()); err != nil { // must not touch what is finished
		t.Fatal(err)
	}
	s := open(t, opts)
	if e, err := s.Get(t.Context(), "a"); err != nil || string(e.Value) != "1" {
		t.Errorf("%q, %v", e.Value, err)
	}
	if _, err := etcd.Create(t.Context(), opts); !errors.Is(err, store.ErrExists) {
		t.Errorf("where one is: %v", err)
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	opts := etcd.Options{Endpoints: server.Endpoints(), Prefix: server.Prefix(t)}
	u := create(t, opts)
	const keys = 5200 // more than are deleted at once
	for done := 0; done < keys; done += 100 {
		var ops []store.Op
		for i := range 100 {
			ops = append(ops, store.Put(fmt.Sprint("key-", done+i), nil))
		}
		if _, err := u.Txn(t.Context(), store.Txn{Then: ops}); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := server.Dump(t, opts.Prefix); len(left) > 0 {
		t.Errorf("%d keys are left", len(left))
	}
}

func create(t *testing.T, opts etcd.Options) *etcd.Unfinished {
	t.Helper()
	u, err := etcd.Create(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	})
	return u
}
