package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kayra/store"
)

// Session is a lease that is kept alive. It implements store.Session.
//
// Its end is judged by this process's clock, from the moment that the last request which renewed it was sent: the
// cluster counts from a later one. So a process that was stopped, or cut off from the cluster, knows that its session is
// over no later than others can take its locks.
type Session struct {
	store *Store
	lease clientv3.LeaseID
	ttl   time.Duration
	stop  context.CancelFunc // ends the renewals

	done chan struct{} // closed once the session has ended
	once sync.Once     // closes it
	gone chan struct{} // closed once the lease has been revoked, or that has failed
	err  error         // why it failed; set before gone is closed

	mu       sync.Mutex
	deadline time.Time
	timer    *time.Timer // ends the session at the deadline
}

var _ store.Session = (*Session)(nil)

// NewSession takes a lease of LeaseTTL.
func (s *Store) NewSession(ctx context.Context) (store.Session, error) {
	session, err := s.newSession(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin session: %w", err)
	}
	return session, nil
}

func (s *Store) newSession(ctx context.Context) (*Session, error) {
	sent := time.Now()
	seconds := int64((s.opts.LeaseTTL + time.Second - 1) / time.Second)
	var resp *clientv3.LeaseGrantResponse
	err := s.call(ctx, func(ctx context.Context) (err error) {
		resp, err = s.client.Grant(ctx, seconds)
		return err //nolint:wrapcheck // call does
	})
	if err != nil {
		return nil, err
	}
	n := &Session{
		store: s, lease: resp.ID, ttl: time.Duration(resp.TTL) * time.Second,
		done: make(chan struct{}), gone: make(chan struct{}),
	}
	n.timer = time.AfterFunc(n.ttl, n.end)
	n.extend(sent)

	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.stop = stop
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		stop()
		return nil, errClosed
	}
	s.done.Go(func() { n.keep(keeping) })
	return n, nil
}

// ID is the lease in hex.
func (n *Session) ID() string { return sessionID(n.lease) }

// Done is closed when the session has ended, or could not be renewed in time.
func (n *Session) Done() <-chan struct{} {
	if n.expired() {
		n.end()
	}
	return n.done
}

// Close revokes the lease, and with it deletes the session's keys.
func (n *Session) Close(ctx context.Context) error {
	n.stop()
	var err error
	select {
	case <-n.gone:
		err = n.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("close session %q: %w", n.ID(), err)
	}
	return nil
}

// keep renews the lease until the session ends, and revokes it then. Where that fails for a session that is over anyway,
// the lease runs out by itself.
func (n *Session) keep(ctx context.Context) {
	defer close(n.gone)
	lost := n.renewals(ctx)
	n.end()
	err := n.revoke(context.WithoutCancel(ctx))
	if lost == nil {
		n.err = err
		return
	}
	n.store.log.LogAttrs(ctx, slog.LevelWarn, "session is lost", slog.String("session", n.ID()), slog.Any("error", lost))
}

// renewals returns when the session has ended: with store.ErrSessionLost, unless that was wanted.
func (n *Session) renewals(ctx context.Context) error {
	pause := n.ttl / 3
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-n.store.closing:
			return nil
		case <-n.Done():
			return fmt.Errorf("not renewed within %s: %w", n.ttl, store.ErrSessionLost)
		case <-time.After(pause):
		}
		sent := time.Now()
		err := n.renew(ctx)
		switch {
		case err == nil:
			n.extend(sent)
			pause = n.ttl / 3
		case errors.Is(err, store.ErrSessionLost):
			return err
		default:
			pause = n.ttl / 20
			n.store.log.LogAttrs(ctx, slog.LevelDebug, "cannot renew session", slog.String("session", n.ID()), slog.Any("error", err))
		}
	}
}

// renew makes one request, without the client library's, which tries again and again without a pause.
func (n *Session) renew(ctx context.Context) error {
	var ttl int64
	err := n.store.call(ctx, func(ctx context.Context) error {
		stream, err := pb.NewLeaseClient(n.store.client.ActiveConnection()).LeaseKeepAlive(ctx)
		if err != nil {
			return err //nolint:wrapcheck // call does
		}
		_ = stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(n.lease)}) // Recv has the reason
		resp, err := stream.Recv()
		ttl = resp.GetTTL()
		return err //nolint:wrapcheck // call does
	})
	if err == nil && ttl <= 0 {
		return fmt.Errorf("lease has run out: %w", store.ErrSessionLost)
	}
	return err
}

func (n *Session) revoke(ctx context.Context) error {
	err := n.store.send(ctx, func(ctx context.Context) error { // also while the store closes
		_, err := n.store.client.Revoke(ctx, n.lease)
		return err //nolint:wrapcheck // send does
	})
	if errors.Is(err, store.ErrSessionLost) {
		return nil // it has run out by itself
	}
	return err
}

// extend moves the deadline to one TTL after the renewal was sent, unless it has passed.
func (n *Session) extend(sent time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.deadline = sent.Add(n.ttl)
	n.timer.Reset(time.Until(n.deadline))
}

// expired looks at both clocks: the monotonic one stands still while the machine sleeps, the other one can be set back.
func (n *Session) expired() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := time.Now()
	return !now.Before(n.deadline) || !now.Round(0).Before(n.deadline.Round(0))
}

func (n *Session) end() {
	n.once.Do(func() {
		close(n.done)
		n.timer.Stop()
	})
}
