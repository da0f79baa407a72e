package etcd_test

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/storetest"
	"kayra/tlsfiles"
	"kayra/tlsfiles/tlstest"
)

// guarded makes places on servers that want a certificate and a password, and forget soon whom they have seen.
type guarded struct {
	ca     *tlstest.Authority
	shared *etcdtest.Server
}

func newGuarded(t *testing.T) guarded {
	t.Helper()
	ca := tlstest.New(t, "ca")
	return guarded{ca, etcdtest.Start(t, etcdtest.Guarded(ca))}
}

func (g guarded) Fresh(tb testing.TB) storetest.Place {
	tb.Helper()
	return g.place(tb, g.shared)
}

func (g guarded) Alone(tb testing.TB) storetest.Place {
	tb.Helper()
	return g.place(tb, etcdtest.Start(tb, etcdtest.Guarded(g.ca)))
}

func (g guarded) place(tb testing.TB, server *etcdtest.Server) place {
	tb.Helper()
	p := newPlace(tb, server)
	p.opts.TLS = &tls.Config{
		RootCAs: g.ca.Pool(), Certificates: []tls.Certificate{g.ca.Certificate(tlstest.Leaf{Name: "somebody"})}, MinVersion: tls.VersionTLS12,
	}
	p.opts.Username, p.opts.Password, p.opts.RequestTimeout = etcdtest.User, etcdtest.Password, time.Minute
	return p
}

func TestGuardedStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, newGuarded(t))
}

// Tokens run out while a store is in use: its requests, its watches and its sessions go on.
func TestTokensThatRunOut(t *testing.T) {
	t.Parallel()
	p := newGuarded(t).Fresh(t).(place)
	p.opts.LeaseTTL = 3 * time.Second
	s := open(t, p.opts)
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("held", nil, session.ID())}}); err != nil {
		t.Fatal(err)
	}
	events := make(chan store.Event, 100)
	watch := func(from int64) {
		for {
			err := s.Watch(t.Context(), "", from, func(b store.Batch) error {
				for _, e := range b.Events {
					events <- e
				}
				from = b.Revision + 1
				return nil
			})
			if t.Context().Err() != nil || !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrSilent) {
				return
			}
		}
	}
	l, err := s.List(t.Context(), "", store.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		watch(l.Revision + 1)
	}()
	const lives = 4 // of a token, of which each ends within 2 s
	for began := time.Now(); time.Since(began) < lives*2*time.Second; {
		put(t, s, "value")
		select {
		case <-events:
		case <-ended:
			t.Fatal("the watch ended for good")
		case <-time.After(time.Minute):
			t.Fatal("the watch tells nothing")
		}
		select {
		case <-session.Done():
			t.Fatal("the session ended")
		case <-time.After(1500 * time.Millisecond): // longer than some tokens
		}
	}
	again := make(chan store.Event, 1)
	err = s.Watch(t.Context(), "", l.Revision+1, func(b store.Batch) error { // a stream of its own, long after the first token
		if len(b.Events) > 0 {
			again <- b.Events[0]
			return errors.New("enough")
		}
		return nil
	})
	if len(again) == 0 {
		t.Errorf("a watch that begins late: %v", err)
	}
}

func TestRefusedByGuard(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	right := g.Fresh(t).(place).opts
	exact := right
	exact.Prefix = etcdtest.Granted
	s := open(t, exact)
	if _, err := s.List(t.Context(), "", store.ListOptions{}); err != nil {
		t.Error(err)
	}
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	enough := errors.New("enough")
	if err := s.Watch(t.Context(), "", put(t, s, "value"), func(store.Batch) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	for name, change := range map[string]func(*etcd.Options){
		"wrong password": func(o *etcd.Options) { o.Password = "wrong-hunter2" },
		"unknown user":   func(o *etcd.Options) { o.Username = "nobody" },
		"no user":        func(o *etcd.Options) { o.Username, o.Password = "", "" },
		"another prefix": func(o *etcd.Options) { o.Prefix = "/elsewhere" },
	} {
		o := right
		change(&o)
		_, err := etcd.Open(t.Context(), o)
		if !errors.Is(err, etcd.ErrDenied) || errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, config := range map[string]*tls.Config{
		"no certificate":   {RootCAs: g.ca.Pool(), MinVersion: tls.VersionTLS12},
		"no authority":     {Certificates: right.TLS.Certificates, MinVersion: tls.VersionTLS12},
		"a stranger's one": {RootCAs: g.ca.Pool(), Certificates: []tls.Certificate{tlstest.New(t, "other").Certificate(tlstest.Leaf{})}, MinVersion: tls.VersionTLS12},
	} {
		o := right
		o.TLS, o.RequestTimeout = config, time.Second
		_, err := etcd.Open(t.Context(), o)
		for try := 0; try < 20 && strings.Contains(err.Error(), "no answer in time"); try++ { // it is looked for the reason only briefly
			_, err = etcd.Open(t.Context(), o)
		}
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A client certificate that is replaced is shown from the next connection on, and so is a password's new token.
func TestClientCertificateThatChanges(t *testing.T) {
	t.Parallel()
	g, dir := newGuarded(t), t.TempDir()
	files := tlsfiles.Client{CAFile: tlstest.Write(t, dir, "ca.pem", g.ca.PEM())}
	files.CertFile, files.KeyFile = g.ca.Issue(tlstest.Leaf{}).Write(t, dir, "client")
	p := g.Fresh(t).(place)
	p.opts.RequestTimeout = 2 * time.Second
	var err error
	if p.opts.TLS, err = files.Config(slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	s := open(t, p.opts)
	put(t, s, "value")
	tlstest.New(t, "other").Issue(tlstest.Leaf{}).Write(t, dir, "client")
	put(t, s, "over the connection that is open")
	g.shared.Restart(t)
	if _, err := s.Get(t.Context(), "key"); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("with a stranger's certificate: %v", err)
	}
	g.ca.Issue(tlstest.Leaf{}).Write(t, dir, "client")
	deadline := time.Now().Add(time.Minute)
	for err = store.ErrUnavailable; errors.Is(err, store.ErrUnavailable) && time.Now().Before(deadline); {
		_, err = s.Get(t.Context(), "key")
	}
	if err != nil {
		t.Errorf("with the new certificate: %v", err)
	}
}
