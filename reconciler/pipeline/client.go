package pipeline

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-resty/resty/v2"
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
	roots     fs.FileInfo // of the CA file when it was read; nil: there is none
}

func newClients(maxIdle int) *clients {
	return &clients{maxIdle: maxIdle, byTLS: map[TLS]*client{}}
}

// get gives the client for a TLS setting, a new one if the CA file has changed.
func (c *clients) get(t TLS) (*resty.Client, error) {
	roots, err := t.statRoots()
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.byTLS[t]
	if old != nil && unchanged(old.roots, roots) {
		return old.Client, nil
	}
	config, err := t.config()
	if err != nil {
		return nil, err
	}
	transport := c.transport(config)
	fresh := &client{newResty(transport), transport, roots}
	c.byTLS[t] = fresh
	if old != nil {
		old.transport.CloseIdleConnections()
	}
	return fresh.Client, nil
}

func unchanged(old, now fs.FileInfo) bool {
	if old == nil || now == nil {
		return old == nil && now == nil
	}
	return old.ModTime().Equal(now.ModTime()) && old.Size() == now.Size()
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

func (t TLS) statRoots() (fs.FileInfo, error) {
	if t.CAFile == "" {
		return nil, nil //nolint:nilnil // there is no file to look at
	}
	info, err := os.Stat(t.CAFile)
	if err != nil {
		return nil, fileError("ca_file", t.CAFile, err)
	}
	return info, nil
}

func fileError(field, path string, err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return plainError(fmt.Sprintf("%s: read %q: %v", field, path, err))
}

// config reads the files, so that a missing one is known before the first request.
func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: t.InsecureSkipVerify}
	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fileError("ca_file", t.CAFile, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, plainError(fmt.Sprintf("ca_file: %q holds no PEM certificate", t.CAFile))
		}
	}
	if t.CertFile == "" && t.KeyFile == "" {
		return config, nil
	}
	if _, err := t.certificate(nil); err != nil {
		return nil, err
	}
	config.GetClientCertificate = t.certificate
	return config, nil
}

// certificate is read for each handshake, so that a rotated one is picked up.
func (t TLS) certificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	if t.CertFile == "" || t.KeyFile == "" {
		return nil, plainError("cert_file and key_file belong together: give both or none")
	}
	pair, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fileError("cert_file", at.Path, err)
	}
	if err != nil {
		return nil, plainError(fmt.Sprintf("cert_file: %q and %q are not a certificate and its key", t.CertFile, t.KeyFile))
	}
	return &pair, nil
}
