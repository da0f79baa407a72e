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
		config := &tls.Config{MinVersion: tls.VersionTLS12}
		if o.TLS != nil {
			config = o.TLS.Clone()
		}
		config.NextProtos = []string{"h2"}
		dialer = &tls.Dialer{Config: config}
	}
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimSuffix(host, "/"))
	if err != nil {
		return err //nolint:wrapcheck // names the address
	}
	defer conn.Close() //nolint:errcheck // nothing was written
	if secure {
		return refusal(ctx, conn)
	}
	return nil
}

// refusal tells that a server does not take the client's certificate, which it says once the client believes the handshake
// done. One that takes it begins to speak HTTP/2.
func refusal(ctx context.Context, conn net.Conn) error {
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetReadDeadline(deadline) // a connection that is open takes it
	}
	_, err := conn.Read(make([]byte, 1))
	if at, ok := errors.AsType[*net.OpError](err); ok && at.Op == "remote error" {
		return fmt.Errorf("%s: %w", conn.RemoteAddr(), err)
	}
	return nil
}
