package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"kayra/store"
)

// probeTimeout is how long an endpoint may take to be reached once it has not answered.
const probeTimeout = 500 * time.Millisecond

// diagnose says why a cluster does not answer, which the client library keeps to itself: it cannot be told from a slow
// cluster otherwise that a port is wrong, or a certificate. The time for opening may be over by then, so that it has a
// little of its own.
func (o Options) diagnose(ctx context.Context, err error) error {
	if !errors.Is(err, store.ErrUnavailable) && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
	defer cancel()
	found := make([]string, len(o.Endpoints))
	var all sync.WaitGroup
	for i, endpoint := range o.Endpoints {
		all.Go(func() {
			if err := o.reach(ctx, endpoint); err != nil {
				found[i] = err.Error()
			}
		})
	}
	all.Wait()
	why := strings.Join(found, "; ")
	if strings.Trim(why, "; ") == "" {
		return err
	}
	return fmt.Errorf("%s: %w", why, store.ErrUnavailable)
}

// reach connects to an endpoint, as far as its TLS handshake.
func (o Options) reach(ctx context.Context, endpoint string) error {
	scheme, host, ok := strings.Cut(endpoint, "://")
	secure := scheme == "https"
	if !ok {
		host, secure = endpoint, o.TLS != nil
	}
	dialer := interface {
		DialContext(ctx context.Context, network, address string) (net.Conn, error)
	}(&net.Dialer{})
	if secure {
		dialer = &tls.Dialer{Config: o.TLS}
	}
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimSuffix(host, "/"))
	if err != nil {
		return err //nolint:wrapcheck // names the address
	}
	return conn.Close() //nolint:wrapcheck // never fails in a way that matters here
}
