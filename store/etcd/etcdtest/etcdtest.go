// Package etcdtest runs a real etcd server inside of a test.
//
// A package whose tests share one server, each with a prefix of its own, declares it and runs its tests around it:
//
//	var cluster etcdtest.Shared
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(cluster.Around(m)) }
//
// A test that compacts the history or stops the server starts one for itself. Processes that a test starts reach the
// server as well as the test itself does.
package etcdtest

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"kayra/tlsfiles/tlstest"
)

// Server is a cluster of one member.
type Server struct {
	dir     string
	client  url.URL // where it listens for clients; the port is 0 before its first start
	options options
	etcd    *embed.Etcd
	grpc    *grpc.Server
	guarded bool // users are there, and asked for
	tests   atomic.Int64
}

type options struct {
	fsync bool
	tls   bool
	guard *tlstest.Authority // nil: everybody may do everything
	token string
	most  uint
}

// Option changes how a server is run.
type Option func(*options)

// Fsync has the server write to the disk as a real one does, which tests of speed want. Other tests do not wait for it.
func Fsync() Option { return func(o *options) { o.fsync = true } }

// TLS has the server speak TLS to its clients, with a certificate that it makes for itself; see CA.
func TLS() Option { return func(o *options) { o.tls = true } }

// MaxRequest has the server refuse requests of more bytes. Its default is etcd's own, 1.5 MiB.
func MaxRequest(bytes uint) Option { return func(o *options) { o.most = bytes } }

// Start starts a server that the end of the test stops. Clients that the test closes in a Cleanup of its own are closed
// before.
func Start(tb testing.TB, opts ...Option) *Server {
	tb.Helper()
	s, err := launch(tb.TempDir(), opts...)
	if err != nil {
		tb.Fatalf("start etcd: %v", err)
	}
	tb.Cleanup(s.Stop)
	return s
}

func launch(dir string, opts ...Option) (*Server, error) {
	s := &Server{dir: filepath.Join(dir, "etcd"), client: url.URL{Scheme: "http", Host: "127.0.0.1:0"}}
	for _, o := range opts {
		o(&s.options)
	}
	if s.options.tls {
		s.client.Scheme = "https"
	}
	if err := s.start(); err != nil || s.options.guard == nil {
		return s, err
	}
	if err := s.guard(context.Background()); err != nil {
		s.Stop()
		return nil, fmt.Errorf("guard server: %w", err)
	}
	return s, nil
}

// start runs the server until Stop. It is ready to serve when start returns.
func (s *Server) start() error {
	etcd, err := embed.StartEtcd(s.config())
	if err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	s.etcd = etcd
	s.client.Host = etcd.Clients[0].Addr().String()
	select {
	case <-etcd.Server.ReadyNotify():
		return nil
	case err := <-etcd.Err():
		return fmt.Errorf("start server: %w", err)
	case <-time.After(30 * time.Second):
		s.Stop()
		return errors.New("start server: not ready within 30 s")
	}
}

func (s *Server) config() *embed.Config {
	cfg := embed.NewConfig()
	cfg.Dir = s.dir
	cfg.ListenClientUrls = []url.URL{s.client}
	cfg.AdvertiseClientUrls = cfg.ListenClientUrls
	peer := url.URL{Scheme: "http", Host: "127.0.0.1:0"} // nobody will call
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = 10, 100
	cfg.BcryptCost = 4 // the least
	cfg.UnsafeNoFsync = !s.options.fsync
	cfg.EnableGRPCGateway = false
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	cfg.ServiceRegister = func(g *grpc.Server) { s.grpc = g }
	cfg.ClientAutoTLS, cfg.SelfSignedCertValidity = s.options.tls, 1
	if s.options.guard != nil {
		s.guardFiles(cfg)
	}
	if s.options.most > 0 {
		cfg.MaxRequestBytes = s.options.most
	}
	if s.options.token != "" {
		cfg.InitialClusterToken = s.options.token
	}
	return cfg
}

// Endpoints is where clients find the server. It stays the same over a restart.
func (s *Server) Endpoints() []string { return []string{s.client.String()} }

// CA verifies the certificate of a server that was started with TLS.
func (s *Server) CA(tb testing.TB) *x509.CertPool {
	tb.Helper()
	pem, err := os.ReadFile(filepath.Join(s.dir, "fixtures", "client", "cert.pem"))
	if err != nil {
		tb.Fatalf("read etcd's certificate: %v", err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return pool
}

// Prefix is one that nobody else uses.
func (s *Server) Prefix(tb testing.TB) string {
	tb.Helper()
	return fmt.Sprintf("/%s/%d", strings.ReplaceAll(tb.Name(), "/", "."), s.tests.Add(1))
}

// Stop ends the server, and with it the connections of its clients: left to itself, etcd waits seconds for watches to
// end. A server that is stopped already is left alone.
func (s *Server) Stop() {
	if s.etcd == nil {
		return
	}
	s.grpc.Stop()
	s.etcd.Close()
	s.etcd = nil
}

// Restart starts a server that was stopped, with the same address and data.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.Stop()
	if err := s.start(); err != nil {
		tb.Fatalf("restart etcd: %v", err)
	}
}

// Wipe restarts the server without its data, which is what clients see when a cluster is restored from an early backup.
// A restored cluster may have another id, or the same one. It has another with a token that was not used before, and the
// same with "".
func (s *Server) Wipe(tb testing.TB, token string) {
	tb.Helper()
	s.Stop()
	if err := os.RemoveAll(s.dir); err != nil {
		tb.Fatalf("remove etcd's data: %v", err)
	}
	s.options.token = token
	s.Restart(tb)
}

// Compact forgets the history before the revision; 0 stands for the current one.
func (s *Server) Compact(tb testing.TB, revision int64) {
	tb.Helper()
	if err := s.compact(tb.Context(), revision); err != nil {
		tb.Fatalf("compact etcd: %v", err)
	}
}

func (s *Server) compact(ctx context.Context, revision int64) (err error) {
	client, err := s.admin()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	if revision == 0 {
		resp, err := client.Get(ctx, "/")
		if err != nil {
			return fmt.Errorf("read revision: %w", err)
		}
		revision = resp.Header.Revision
	}
	if _, err := client.Compact(ctx, revision, clientv3.WithCompactPhysical()); err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	return nil
}

// Dump is all that the server has below a prefix: keys with their values.
func (s *Server) Dump(tb testing.TB, prefix string) map[string]string {
	tb.Helper()
	client, err := s.admin()
	if err != nil {
		tb.Fatal(err)
	}
	defer client.Close() //nolint:errcheck // only read from
	resp, err := client.Get(tb.Context(), prefix, clientv3.WithPrefix())
	if err != nil {
		tb.Fatalf("read etcd: %v", err)
	}
	all := make(map[string]string, len(resp.Kvs))
	for _, kv := range resp.Kvs {
		all[string(kv.Key)] = string(kv.Value)
	}
	return all
}
