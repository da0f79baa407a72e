package etcdtest

import (
	"context"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Proxy stands between clients and a server, and can be made to keep everything to itself: connections stay, and
// nothing is heard any more, as when a network fails.
type Proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	flowing chan struct{} // closed while the proxy forwards
	conns   []net.Conn
	closed  bool
	done    sync.WaitGroup
}

// NewProxy starts a proxy in front of the server, until the end of the test.
func NewProxy(tb testing.TB, server *Server) *Proxy {
	tb.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("start proxy: %v", err)
	}
	p := &Proxy{listener: listener, target: server.client.Host, flowing: make(chan struct{})}
	close(p.flowing)
	p.done.Go(func() { p.accept(context.WithoutCancel(tb.Context())) })
	tb.Cleanup(p.close)
	return p
}

// Endpoints is where clients find the proxy.
func (p *Proxy) Endpoints() []string {
	u := url.URL{Scheme: "http", Host: p.listener.Addr().String()}
	return []string{u.String()}
}

// Pause stops forwarding.
func (p *Proxy) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.flowing:
		p.flowing = make(chan struct{})
	default:
	}
}

// Resume forwards again, first of all what came in during the pause.
func (p *Proxy) Resume() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.flowing:
	default:
		close(p.flowing)
	}
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	conns := p.conns
	p.mu.Unlock()
	p.Resume()
	_ = p.listener.Close()
	for _, c := range conns {
		_ = c.Close()
	}
	p.done.Wait()
}

func (p *Proxy) accept(ctx context.Context) {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		var dialer net.Dialer
		server, err := dialer.DialContext(ctx, "tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		if !p.own(client, server) {
			return
		}
		p.done.Go(func() { p.forward(client, server) })
		p.done.Go(func() { p.forward(server, client) })
	}
}

// own notes connections to close, unless the proxy is closed already, and then closes them.
func (p *Proxy) own(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, conns...)
	if p.closed {
		for _, c := range conns {
			_ = c.Close()
		}
	}
	return !p.closed
}

// forward copies until one side closes, and then closes the other.
func (p *Proxy) forward(from, to net.Conn) {
	defer to.Close()   //nolint:errcheck // there is nobody to tell
	defer from.Close() //nolint:errcheck // there is nobody to tell
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		flowing := p.flowing
		p.mu.Unlock()
		<-flowing
		if _, werr := to.Write(buffer[:n]); err != nil || werr != nil {
			return
		}
	}
}
