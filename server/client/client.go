// Package client speaks to Kayra's REST API. What the server refuses comes back as an [Error], which unwraps to the kind
// of refusal that package catalog would have made.
package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"kayra/tlsfiles"
)

// Bounds on a connection and an answer.
const (
	maxAnswer       = 256 << 20 // bytes; half a million subscriptions
	dialTimeout     = 5 * time.Second
	idleConnections = 32
)

// Options say how to reach a server. Only URL is required.
type Options struct {
	URL       string          // scheme, host and port, and where it stands under a path, that too
	Token     string          // "": none is sent
	TLS       tlsfiles.Client // for a URL with https
	Timeout   time.Duration   // of a whole request; 0: none but the context's
	UserAgent string
}

// Client is a connection to a server. Its methods may be called from any number of goroutines.
type Client struct {
	resty   *resty.Client
	url     string
	timeout time.Duration
}

// Answer is an answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// New makes a client. It does not connect. A file of TLS that cannot be used is a [tlsfiles.Error].
func New(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil:
		return nil, errors.New("the server's URL cannot be parsed; one looks like http://localhost:8080")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the server's URL %q has no http:// or https:// and host; one looks like http://localhost:8080", u.Redacted())
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the server's URL may have no user, query or fragment; use %s://%s%s, and a token", u.Scheme, u.Host, u.Path)
	}
	config, err := o.TLS.Config(nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // says it all
	}
	transport := newTransport(config)
	c := &Client{url: strings.TrimSuffix(u.String(), "/"), timeout: o.Timeout}
	c.resty = resty.NewWithClient(&http.Client{Transport: transport}).
		SetBaseURL(c.url).SetLogger(silent{}).SetDisableWarn(true).SetResponseBodyLimit(maxAnswer).
		SetRedirectPolicy(resty.RedirectPolicyFunc(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })).
		SetHeader("Accept", "application/json").SetHeader("User-Agent", o.UserAgent)
	if o.Token != "" {
		c.resty.SetAuthToken(o.Token)
	}
	return c, nil
}

func newTransport(config *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: dialTimeout,
		TLSClientConfig:     config,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: idleConnections,
		IdleConnTimeout:     time.Minute,
	}
}

// Close closes the connections that are idle.
func (c *Client) Close() { c.resty.GetClient().CloseIdleConnections() }

// Request is a request to send.
type Request struct {
	Method  string
	Path    string // begins with a slash, is escaped, and may have a query
	Body    []byte // JSON, or nil
	IfMatch string // entity tag, as an answer has it, without which nothing is to be written; "": any will do
}

// Do sends a request. path begins with a slash, is escaped, and may have a query; body is JSON, or nil. An answer that
// is not a success is an [Error], and the lack of an answer one of ErrUnreachable and ErrTimeout.
func (c *Client) Do(ctx context.Context, method, path string, body []byte) (Answer, error) {
	return c.Send(ctx, Request{Method: method, Path: path, Body: body})
}

// Send is Do for a request that may have conditions.
func (c *Client) Send(ctx context.Context, r Request) (Answer, error) {
	answer, err := c.exchange(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	if strings.HasPrefix(c.url, "http:") && wantsTLS(answer) {
		return Answer{}, fmt.Errorf("%w: the server at %s speaks HTTPS: use https:// in its URL", ErrUnreachable, c.url)
	}
	if err := answer.Err(); err != nil {
		return Answer{}, err
	}
	return answer, nil
}

// Exchange is Do for those whom an answer tells something whatever its status is.
func (c *Client) Exchange(ctx context.Context, method, path string, body []byte) (Answer, error) {
	return c.exchange(ctx, Request{Method: method, Path: path, Body: body})
}

func (c *Client) exchange(ctx context.Context, r Request) (Answer, error) {
	if c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	request := c.resty.R().SetContext(ctx)
	if r.Body != nil {
		request.SetHeader("Content-Type", "application/json").SetBody(r.Body)
	}
	if r.IfMatch != "" {
		request.SetHeader("If-Match", r.IfMatch)
	}
	res, err := request.Execute(r.Method, r.Path)
	if err != nil {
		return Answer{}, c.noAnswer(ctx, r.Method, err)
	}
	return Answer{Status: res.StatusCode(), Header: res.Header(), Body: res.Body()}, nil
}

// Err is what Do makes of an answer that is not a success: an [Error]. Of a success it is nil.
func (a Answer) Err() error {
	if a.Status >= http.StatusOK && a.Status < http.StatusMultipleChoices {
		return nil
	}
	return refusal(a)
}

// silent keeps resty from writing to standard error.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
