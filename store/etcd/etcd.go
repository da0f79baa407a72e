// Package etcd keeps a store in an etcd cluster.
//
// Everything is kept under one prefix: PREFIX/schema holds the version of the layout, PREFIX/data/ the store's keys.
// Revisions are etcd's own, and so are the guarantees. A session is a lease.
//
// etcd 3.5.8 or later is needed: before, a watch could be told of progress ahead of the changes that led to it.
package etcd

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"kayra/store"
)

// Options say where the cluster is and how patient to be. Only Endpoints is required.
type Options struct {
	Endpoints []string    // host:port, or http:// or https:// URLs
	Prefix    string      // of all keys; "": /kayra
	Username  string      // "": no authentication by password
	Password  string      // of Username
	TLS       *tls.Config // nil: as the endpoints' scheme says
	Existing  bool        // where nothing has been written yet, fail with store.ErrMissing

	LeaseTTL       time.Duration // how long a dead process keeps its locks, in whole seconds; 0: 15 s
	RequestTimeout time.Duration // of one request; 0: 2 s
	WatchProgress  time.Duration // between two signs of life that a watch asks for; 0: 1 s
	WatchSilence   time.Duration // after which a watch without any is given up; 0: 5 s
	Logger         *slog.Logger  // nil: nothing is logged
}

func (o Options) withDefaults() Options {
	o.Prefix = strings.TrimRight(cmp.Or(o.Prefix, "/kayra"), "/")
	o.LeaseTTL = cmp.Or(o.LeaseTTL, 15*time.Second)
	o.RequestTimeout = cmp.Or(o.RequestTimeout, 2*time.Second)
	o.WatchProgress = cmp.Or(o.WatchProgress, time.Second)
	o.WatchSilence = cmp.Or(o.WatchSilence, 5*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Store is a connection to a cluster. It implements store.Store and store.JobLocker.
type Store struct {
	opts   Options
	data   string // the prefix of the store's keys
	client *clientv3.Client
	log    *slog.Logger

	cluster uint64         // its id, as it was at first
	closing chan struct{}  // closed by Close
	done    sync.WaitGroup // the sessions' goroutines

	mu       sync.Mutex
	closed   bool
	clusters map[string]uint64 // the cluster that each prefix was last watched on
}

var (
	_ store.Store     = (*Store)(nil)
	_ store.JobLocker = (*Store)(nil)
)

// Open connects to the cluster and writes the schema version if nothing is there. It fails with store.ErrUnavailable
// within RequestTimeout if the cluster cannot be reached, and with store.ErrSchema if the prefix was written by a newer
// version of Kayra or by something else.
func Open(ctx context.Context, opts Options) (*Store, error) {
	s, err := open(ctx, opts.withDefaults(), (*Store).checkSchema)
	if err != nil {
		return nil, fmt.Errorf("open etcd %s: %w", strings.Join(opts.Endpoints, ","), err)
	}
	return s, nil
}

func open(ctx context.Context, opts Options, begin func(*Store, context.Context) error) (*Store, error) {
	if len(opts.Endpoints) == 0 {
		return nil, errors.New("no endpoints given")
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            opts.Endpoints,
		Username:             opts.Username,
		Password:             opts.Password,
		TLS:                  opts.TLS,
		DialTimeout:          opts.RequestTimeout,
		DialKeepAliveTime:    10 * time.Second, // a server takes offence at less than 5 s
		DialKeepAliveTimeout: 3 * time.Second,
		DialOptions:          []grpc.DialOption{grpc.WithConnectParams(reconnect())},
		Logger:               zap.NewNop(), // what matters comes back as an error
	})
	if err != nil { // with a password, it has tried to connect
		return nil, opts.diagnose(ctx, classify(ctx, err))
	}
	s := &Store{
		opts: opts, data: opts.Prefix + "/data/", client: client, log: opts.Logger,
		closing: make(chan struct{}), clusters: map[string]uint64{},
	}
	if err := begin(s, ctx); err != nil {
		return nil, errors.Join(s.opts.diagnose(ctx, err), s.Close())
	}
	s.warnOfOldServer(ctx)
	return s, nil
}

// reconnect is how a connection that broke is tried again. gRPC's own first pause of a second is most of what a restart
// of a server takes.
func reconnect() grpc.ConnectParams {
	return grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: 2 * time.Second},
		MinConnectTimeout: 2 * time.Second,
	}
}

// Close ends all sessions and watches, and the connection.
func (s *Store) Close() error {
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.mu.Unlock()
	if closed {
		return nil
	}
	close(s.closing)
	s.done.Wait()
	if err := s.client.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("close etcd: %w", err)
	}
	return nil
}

// call makes one request, unless the store is closed.
func (s *Store) call(ctx context.Context, request func(context.Context) error) error {
	if s.isClosed() {
		return errClosed // the client library would try until the timeout
	}
	return s.send(ctx, request)
}

// send makes one request, for which it has RequestTimeout at most: one that is sent while the cluster changes its
// leader may otherwise never be answered.
func (s *Store) send(ctx context.Context, request func(context.Context) error) error {
	try, cancel := context.WithTimeout(ctx, s.opts.RequestTimeout)
	defer cancel()
	return classify(ctx, request(try))
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}
