package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"kayra/server"
	"kayra/server/auth"
	"kayra/tlsfiles"
	"kayra/tlsfiles/tlstest"
)

// waiting is an authenticator that tells when a request has come, and lets it go on when told.
type waiting struct {
	come chan struct{}
	goOn chan struct{}
}

func (w waiting) Authenticate(ctx context.Context, _ string) (auth.Identity, error) {
	close(w.come)
	select {
	case <-w.goOn:
		return auth.Identity{User: "root"}, nil
	case <-ctx.Done():
		return auth.Identity{}, ctx.Err()
	}
}

// serving is a server that runs, with one request in it.
type serving struct {
	waiting

	stop   context.CancelFunc
	addr   string
	tls    *tls.Config // of a client; nil: plain HTTP
	ended  chan error
	status chan int // of the request; 0: it was cut off
}

func serve(t *testing.T, drain time.Duration) *serving {
	t.Helper()
	return serveOver(t, drain, nil)
}

// serveOver serves over TLS if there is an authority.
func serveOver(t *testing.T, drain time.Duration, ca *tlstest.Authority) *serving {
	t.Helper()
	s := &serving{waiting: waiting{make(chan struct{}), make(chan struct{})}, ended: make(chan error, 1), status: make(chan int, 1)}
	l := newLab(t, openLocal(t))
	srv, err := server.New(server.Options{
		Repository: l.repository, Authenticator: s.waiting, Sysadmins: auth.Sysadmins{Users: []string{"root"}}, Policy: l.policy, DrainTimeout: drain,
	})
	l.must(err)
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	l.must(err)
	s.addr = listener.Addr().String()
	if ca != nil {
		s.tls = &tls.Config{RootCAs: ca.Pool(), MinVersion: tls.VersionTLS12}
		listener = tls.NewListener(listener, listenTLS(t, ca))
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(t.Context())
	t.Cleanup(s.stop)
	go func() { s.ended <- srv.Serve(ctx, listener) }()
	go func() { s.status <- s.get(context.WithoutCancel(ctx)) }()
	<-s.come
	return s
}

func listenTLS(t *testing.T, ca *tlstest.Authority) *tls.Config {
	t.Helper()
	cert, key := ca.Issue(tlstest.Leaf{}).Write(t, t.TempDir(), "server")
	config, err := tlsfiles.Server{CertFile: cert, KeyFile: key}.Config(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func (s *serving) get(ctx context.Context) int {
	scheme := "http"
	if s.tls != nil {
		scheme = "https"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+"://"+s.addr+"/apis", nil)
	if err != nil {
		return 0
	}
	r.Header.Set("Authorization", "Bearer x")
	transport := &http.Transport{TLSClientConfig: s.tls, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(r)
	if err != nil {
		return 0
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.Copy(io.Discard, res.Body); err != nil || s.tls != nil && res.ProtoMajor != 2 {
		return 0
	}
	return res.StatusCode
}

// refuses waits until the server takes no more connections.
func (s *serving) refuses(t *testing.T) {
	t.Helper()
	var dialer net.Dialer
	for {
		c, err := dialer.DialContext(t.Context(), "tcp", s.addr)
		if err != nil {
			return
		}
		_ = c.Close()
	}
}

func TestGracefulStop(t *testing.T) {
	t.Parallel()
	stopGracefully(t, serve(t, time.Minute))
}

// Over TLS it is HTTP/2 that is spoken, of which a stop knows other states.
func TestGracefulStopOverTLS(t *testing.T) {
	t.Parallel()
	stopGracefully(t, serveOver(t, time.Minute, tlstest.New(t, "ca")))
}

func stopGracefully(t *testing.T, s *serving) {
	t.Helper()
	s.stop()
	s.refuses(t)
	select {
	case err := <-s.ended:
		t.Fatalf("ended with a request in it: %v", err)
	default:
	}
	close(s.goOn)
	if status := <-s.status; status != http.StatusOK {
		t.Errorf("the request that had begun: status %d", status)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
}

func TestStopCutsOff(t *testing.T) {
	t.Parallel()
	for _, s := range []*serving{serve(t, time.Millisecond), serveOver(t, time.Millisecond, tlstest.New(t, "ca"))} {
		s.stop()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
		<-s.status // whatever it was told, it is over
	}
}

func TestServeOnClosedListener(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	srv, err := server.New(server.Options{Repository: l.repository, Authenticator: tokens(t), Policy: l.policy})
	l.must(err)
	var listen net.ListenConfig
	listener, err := listen.Listen(t.Context(), "tcp", "127.0.0.1:0")
	l.must(err)
	l.must(listener.Close())
	if err := srv.Serve(t.Context(), listener); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve: %v", err)
	}
}
