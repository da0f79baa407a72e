package etcd_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
)

// TestSessionCutOff keeps a session's renewals from the cluster: its owner knows of the end before anybody else can.
func TestSessionCutOff(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	prefix := server.Prefix(t)
	proxy := etcdtest.NewProxy(t, server)
	s := open(t, etcd.Options{
		Endpoints: proxy.Endpoints(), Prefix: prefix, LeaseTTL: time.Second, RequestTimeout: 200 * time.Millisecond,
	})
	other := open(t, etcd.Options{Endpoints: server.Endpoints(), Prefix: prefix})
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("lock", nil, session.ID())}})
	if err != nil {
		t.Fatal(err)
	}
	w := watch(t, other, "lock", res.Revision+1)
	alive := time.After(2 * time.Second) // longer than a lease that is not renewed
	select {
	case <-session.Done():
		t.Fatal("the session was not renewed")
	case <-alive:
	}

	proxy.Pause()
	if e := w.event(t); !e.Deleted {
		t.Fatalf("got %+v, want the deletion", e)
	}
	select {
	case <-session.Done():
	default:
		t.Error("the lock has gone, and its owner does not know")
	}
	proxy.Resume()
	_, err = other.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("lock", nil, session.ID())}})
	if !errors.Is(err, store.ErrSessionLost) {
		t.Errorf("put through a lost session: got error %v", err)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestSessionRevoked has somebody else end the session.
func TestSessionRevoked(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	s := open(t, etcd.Options{Endpoints: server.Endpoints(), Prefix: server.Prefix(t), LeaseTTL: time.Second})
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.ParseInt(session.ID(), 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw(t, server).Revoke(t.Context(), clientv3.LeaseID(id)); err != nil {
		t.Fatal(err)
	}
	<-session.Done()
}

// TestSessionRestart keeps a session over a restart of the server that is shorter than its lease.
func TestSessionRestart(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	s := open(t, etcd.Options{Endpoints: server.Endpoints(), LeaseTTL: 5 * time.Second})
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("lock", nil, session.ID())}}); err != nil {
		t.Fatal(err)
	}
	server.Restart(t)
	putAgain(t, s, "value")
	e, err := s.Get(t.Context(), "lock")
	if err != nil || e.Session != session.ID() {
		t.Errorf("got %+v, %v", e, err)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	<-session.Done()
	if _, err := s.Get(t.Context(), "lock"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after the end: got error %v", err)
	}
}
