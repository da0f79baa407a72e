package pipeline

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"

	"kayra/tlsfiles"
)

// clients holds one HTTP client, with its connections, for each distinct TLS setting.
type clients struct {
	maxIdle int

	mu    sync.Mutex
	byTLS map[TLS]*client
}

type client struct {
	*resty.Client
	transport *http.Transport
	ca        *tlsfiles.CA   // nil: the system's
	roots     *x509.CertPool // of the CA file as the transport knows it
}

func newClients(maxIdle int) *clients {
	return &clients{maxIdle: maxIdle, byTLS: map[TLS]*client{}}
}

// get gives the client for a TLS setting, a new one if the CA file has changed.
func (c *clients) get(t TLS) (*resty.Client, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.byTLS[t]
	fresh, err := c.open(t, old)
	if err != nil {
		return nil, plainError(err.Error()) // it names fields and paths
	}
	if old != nil && old != fresh {
		old.transport.CloseIdleConnections()
	}
	c.byTLS[t] = fresh
	return fresh.Client, nil
}

// open reads the files, so that a missing one is known before the first request. It gives the old client if its CA file
// has not changed; the certificate is looked at when a server asks for it.
func (c *clients) open(t TLS, old *client) (*client, error) {
	fresh := &client{}
	var err error
	if old != nil {
		fresh.ca = old.ca
	} else if t.CAFile != "" {
		fresh.ca, err = tlsfiles.OpenCA(t.CAFile)
	}
	if err == nil && fresh.ca != nil {
		fresh.roots, err = fresh.ca.Pool()
	}
	if err != nil || old != nil && old.roots == fresh.roots {
		return old, err //nolint:wrapcheck // get does
	}
	config, err := tlsfiles.Client{CertFile: t.CertFile, KeyFile: t.KeyFile}.Config(nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // get does
	}
	config.RootCAs, config.InsecureSkipVerify = fresh.roots, t.InsecureSkipVerify
	fresh.transport = c.transport(config)
	fresh.Client = newResty(fresh.transport)
	return fresh, nil
}

func (c *clients) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cl := range c.byTLS {
		cl.transport.CloseIdleConnections()
	}
}

func (c *clients) transport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:                  proxyOnce,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:        config,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
		MaxIdleConnsPerHost:    c.maxIdle,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// newResty sets no cookie jar, which would carry one tenant's session to another, and has Content-Length set always: an
// empty body would otherwise be sent in chunks.
func newResty(transport *http.Transport) *resty.Client {
	return resty.NewWithClient(&http.Client{Transport: once{transport}, CheckRedirect: followRedirect}).
		SetAllowGetMethodPayload(true).
		SetContentLength(true).
		SetDisableWarn(true).
		SetLogger(silent{})
}

// silent keeps resty from logging by itself.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
