package etcd_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/storetest"
)

// raw is a client that knows nothing of stores.
func raw(t *testing.T, server *etcdtest.Server) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: server.Endpoints(), Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

func TestSchema(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	client := raw(t, server)
	for name, c := range map[string]struct{ key, value, says string }{
		"newer":   {"/schema", "7", `schema "7", this one knows 1`},
		"unknown": {"/schema", "x", `schema "x", this one knows 1`},
		"foreign": {"/notes", "mine", "not Kayra's"},
	} {
		prefix := server.Prefix(t)
		if _, err := client.Put(t.Context(), prefix+c.key, c.value); err != nil {
			t.Fatal(err)
		}
		_, err := etcd.Open(t.Context(), etcd.Options{Endpoints: server.Endpoints(), Prefix: prefix})
		if !errors.Is(err, store.ErrSchema) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got error %v, want %q", name, err, c.says)
		}
		resp, err := client.Get(t.Context(), prefix, clientv3.WithPrefix())
		if err != nil || len(resp.Kvs) != 1 || string(resp.Kvs[0].Value) != c.value || resp.Kvs[0].Version != 1 {
			t.Errorf("%s: there is %v, %v", name, resp.Kvs, err)
		}
	}
}

// TestPrefix looks at the keys as they stand in etcd, and at two stores of which one has the other's name as its prefix.
func TestPrefix(t *testing.T) {
	t.Parallel()
	server := cluster.Server(t)
	prefix := server.Prefix(t)
	s := open(t, etcd.Options{Endpoints: server.Endpoints(), Prefix: prefix + "/"})
	put(t, s, "value")
	put(t, open(t, etcd.Options{Endpoints: server.Endpoints(), Prefix: prefix + "2"}), "other")
	resp, err := raw(t, server).Get(t.Context(), prefix+"/", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, kv := range resp.Kvs {
		got[strings.TrimPrefix(string(kv.Key), prefix)] = string(kv.Value)
	}
	if len(got) != 2 || got["/schema"] != "1" || got["/data/key"] != "value" {
		t.Errorf("got %v", got)
	}
	if l, err := s.List(t.Context(), "", store.ListOptions{}); err != nil || len(l.Entries) != 1 {
		t.Errorf("got %+v, %v", l, err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	proxy := etcdtest.NewProxy(t, cluster.Server(t))
	proxy.Pause()
	for name, c := range map[string]struct {
		within    time.Duration
		endpoints []string
		says      string
	}{
		"refused":        {time.Minute, []string{refusing}, "connection refused"},
		"refused by one": {time.Minute, []string{"http://" + refusing, proxy.Endpoints()[0]}, "connection refused"},
		"silent":         {time.Minute, proxy.Endpoints(), "no answer in time"},
		"no TLS":         {time.Minute, []string{"https://" + refusing}, "connection refused"},
		"out of time":    {time.Millisecond, []string{refusing}, "connection refused"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), c.within)
		_, err := etcd.Open(ctx, etcd.Options{Endpoints: c.endpoints, RequestTimeout: 300 * time.Millisecond})
		cancel()
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), c.endpoints[0]) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if _, err := etcd.Open(t.Context(), etcd.Options{}); err == nil || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without endpoints: got error %v", err)
	}
}

// What answers at the endpoint is no etcd: waiting does not make it one.
func TestNoEtcd(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.Protocols = new(http.Protocols)
	srv.Config.Protocols.SetUnencryptedHTTP2(true)
	srv.Start()
	t.Cleanup(srv.Close)
	_, err := etcd.Open(t.Context(), etcd.Options{Endpoints: []string{srv.URL}, Prefix: "/kayra"})
	if err == nil || errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "not etcd") {
		t.Errorf("got error %v", err)
	}
}

// TestSilentRequest has the network fail under a store that is open.
func TestSilentRequest(t *testing.T) {
	t.Parallel()
	proxy := etcdtest.NewProxy(t, cluster.Server(t))
	opts := etcd.Options{Endpoints: proxy.Endpoints(), Prefix: cluster.Server(t).Prefix(t), RequestTimeout: 200 * time.Millisecond}
	s := open(t, opts)
	put(t, s, "1")
	proxy.Pause()
	if _, err := s.Get(t.Context(), "key"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("get: got error %v", err)
	}
	_, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put("key", []byte("2"))}})
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("put: got error %v", err)
	}
	proxy.Resume()
	if _, err := s.Get(t.Context(), "key"); err != nil {
		t.Errorf("get after the silence: %v", err)
	}
}

func TestPassword(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	client := raw(t, server)
	for _, step := range []func() error{
		func() error { _, err := client.UserAdd(t.Context(), "root", "secret"); return err },
		func() error { _, err := client.UserGrantRole(t.Context(), "root", "root"); return err },
		func() error { _, err := client.AuthEnable(t.Context()); return err },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	opts := etcd.Options{Endpoints: server.Endpoints(), Username: "root", Password: "secret", WatchProgress: 10 * time.Millisecond}
	s := open(t, opts)
	revision := put(t, s, "value")
	enough := errors.New("enough")
	if err := s.Watch(t.Context(), "", revision+1, func(store.Batch) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	for _, password := range []string{"wrong", ""} {
		opts.Password = password
		if _, err := etcd.Open(t.Context(), opts); err == nil || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("password %q: got error %v, want one that is not mended by another try", password, err)
		}
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t, etcdtest.TLS())
	opts := etcd.Options{Endpoints: server.Endpoints(), TLS: &tls.Config{RootCAs: server.CA(t), MinVersion: tls.VersionTLS12}}
	put(t, open(t, opts), "value")
	opts.TLS, opts.RequestTimeout = nil, 300*time.Millisecond
	if _, err := etcd.Open(t.Context(), opts); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("unknown certificate: got error %v", err)
	}
}

func BenchmarkStore(b *testing.B) { storetest.Benchmark(b, synced{}) }

// synced is etcd as it runs outside of tests, with the disk synced.
type synced struct{ backend }

func (synced) Fresh(tb testing.TB) storetest.Place {
	tb.Helper()
	return newPlace(tb, etcdtest.Start(tb, etcdtest.Fsync()))
}
