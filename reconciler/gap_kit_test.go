package reconciler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"kayra/store"
)

// severed is a store whose watch can be made to break, and to stay broken.
type severed struct {
	store.Store

	mu    sync.Mutex
	down  bool
	cut   context.CancelCauseFunc // ends the watch that runs
	lists int                     // how often it was listed
}

var errSevered = fmt.Errorf("the watch is severed: %w", store.ErrUnavailable)

// List counts itself.
func (s *severed) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	s.mu.Lock()
	s.lists++
	s.mu.Unlock()
	return s.Store.List(ctx, prefix, opts)
}

func (s *severed) listed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// Watch fails while the watch is to be broken.
func (s *severed) Watch(ctx context.Context, prefix string, from int64, fn func(store.Batch) error) error {
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	s.mu.Lock()
	if s.cut = cut; s.down {
		cut(errSevered)
	}
	s.mu.Unlock()
	err := s.Store.Watch(ctx, prefix, from, fn)
	if cause := context.Cause(ctx); errors.Is(cause, errSevered) {
		return cause
	}
	return err
}

// sever breaks the watch, or lets it be resumed.
func (s *severed) sever(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down = down; down {
		s.cut(errSevered)
	}
}

// unanswered is a store that keeps answers back.
type unanswered struct {
	store.Store

	mu   sync.Mutex
	lose int // how often in a row the answer to one kind of write about the same records is lost
	lost map[string]int
}

func (u *unanswered) loseMore(lose int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lose = lose
}

// Txn may fail although it has written.
func (u *unanswered) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	res, err := u.Store.Txn(ctx, txn)
	if what := nameOf(txn); err == nil && what != "" && u.loses(what) {
		return store.Result{}, fmt.Errorf("%s: the answer is lost: %w", what, store.ErrUnavailable)
	}
	return res, err
}

func (u *unanswered) loses(what string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost[what] >= u.lose {
		return false
	}
	u.lost[what]++
	return true
}

// nameOf names the kind of a transaction's writes and the records.
func nameOf(txn store.Txn) string {
	what := ""
	for _, op := range txn.Then {
		switch op.Kind {
		case store.OpPut:
			what += " put " + op.Key
		case store.OpDelete:
			what += " delete " + op.Key
		case store.OpGet:
		}
	}
	return what
}

// proxy passes TCP connections on to a server, if it is not told otherwise.
type proxy struct {
	t        *testing.T
	listener net.Listener
	running  sync.WaitGroup

	mu     sync.Mutex
	target string
	open   map[net.Conn]bool
	flows  chan struct{} // closed while bytes are passed on
}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	p := &proxy{t: t, listener: l, target: hostOf(target), open: map[net.Conn]bool{}, flows: make(chan struct{})}
	close(p.flows)
	p.running.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.hangUp("")
		p.running.Wait()
	})
	return p
}

// hostOf is an endpoint without its scheme.
func hostOf(endpoint string) string { return strings.TrimPrefix(endpoint, "http://") }

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		target := p.target
		p.mu.Unlock()
		var d net.Dialer
		out, err := d.DialContext(context.WithoutCancel(p.t.Context()), "tcp", target)
		if err != nil {
			_ = in.Close()
			continue
		}
		p.mu.Lock()
		p.open[in], p.open[out] = true, true
		p.mu.Unlock()
		p.running.Go(func() { p.pass(in, out) })
		p.running.Go(func() { p.pass(out, in) })
	}
}

// pass copies one direction, and closes both when it has ended.
func (p *proxy) pass(from, to net.Conn) {
	_, _ = io.Copy(valve{to, p}, from)
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range []net.Conn{from, to} {
		_ = c.Close()
		delete(p.open, c)
	}
}

// valve is a connection that is written to while the proxy lets bytes flow.
type valve struct {
	net.Conn

	proxy *proxy
}

// Write waits until bytes flow.
func (v valve) Write(b []byte) (int, error) {
	v.proxy.mu.Lock()
	flows := v.proxy.flows
	v.proxy.mu.Unlock()
	<-flows
	return v.Conn.Write(b)
}

// freeze holds all bytes back until thaw. Connections stay, as when a network loses packets.
func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flows = make(chan struct{})
}

func (p *proxy) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.flows)
}

// hangUp breaks all connections, and has new ones lead to the target.
func (p *proxy) hangUp(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = hostOf(target)
	if !ended(p.flows) {
		close(p.flows)
	}
	for c := range p.open {
		_ = c.Close()
	}
}

// ready asks for the reconciler's readiness.
func (p *process) ready() bool {
	rec := httptest.NewRecorder()
	p.Handler().ServeHTTP(rec, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/-/readyz"}})
	return rec.Code == http.StatusOK
}
