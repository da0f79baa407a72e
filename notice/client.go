package notice

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"
)

const (
	path = "/notify"
	// timeout is longer than the server takes at most, its own tries included.
	timeout   = 30 * time.Second
	maxAnswer = 64 << 10 // bytes
)

// Options say where events are sent. URL and Token are required.
type Options struct {
	URL       string                 // base URL of `kayra serve`
	Token     func() (string, error) // of a sysadmin; asked for at each request, so that it may be replaced
	TLS       *tls.Config            // for a URL with https; nil: the system's authorities
	UserAgent string
}

// ErrUndelivered is what errors are after which it is certain that nobody was told.
var ErrUndelivered = errors.New("nobody was told")

// Client has events delivered. Its methods may be called from any number of goroutines.
type Client struct {
	resty *resty.Client
	token func() (string, error)
}

// NewClient makes a client. It does not connect.
func NewClient(o Options) (*Client, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New("new client: the server's URL has no http:// or https:// and host; one looks like https://kayra.example.com")
	case o.Token == nil:
		return nil, errors.New("new client: a token is required")
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: o.TLS, ForceAttemptHTTP2: true, IdleConnTimeout: timeout}
	c := resty.NewWithClient(&http.Client{Transport: transport, Timeout: timeout}).
		SetBaseURL(strings.TrimSuffix(o.URL, "/")).SetLogger(silent{}).SetDisableWarn(true).SetResponseBodyLimit(maxAnswer).
		SetRedirectPolicy(resty.RedirectPolicyFunc(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })).
		SetHeader("Content-Type", "application/json").SetHeader("User-Agent", o.UserAgent)
	return &Client{resty: c, token: o.Token}, nil
}

// Close closes the connections that are idle.
func (c *Client) Close() { c.resty.GetClient().CloseIdleConnections() }

// Send has an event delivered, and says by which channels it was. An error means that it may not have been by any, and is
// [ErrUndelivered] where that is certain; it shows neither the token nor what of the URL may be a password, nor anything else
// that whoever answers may have sent back.
func (c *Client) Send(ctx context.Context, r Request) (Answer, error) {
	token, err := c.token()
	if err != nil {
		return Answer{}, fmt.Errorf("send %s of %q: %w: %w", r.Kind, r.API, ErrUndelivered, err)
	}
	res, err := c.resty.R().SetContext(ctx).SetAuthToken(token).SetBody(r).Post(path)
	if err != nil {
		return Answer{}, fmt.Errorf("send %s of %q: %w", r.Kind, r.API, noAnswer(err))
	}
	var a Answer
	if res.StatusCode() != http.StatusOK {
		return Answer{}, fmt.Errorf("send %s of %q: %w", r.Kind, r.API, refusal(res, token))
	}
	if err := json.Unmarshal(res.Body(), &a); err != nil {
		return Answer{}, fmt.Errorf("send %s of %q: the answer is not one of Kayra's: is the URL that of `kayra serve`?", r.Kind, r.API)
	}
	return a, nil
}

// refusal has what a problem says, which is meant to be shown, unless it is long or has the token in it.
func refusal(res *resty.Response, token string) error {
	const long = 1 << 10
	status := res.StatusCode()
	err := fmt.Errorf("the server answered %d", status)
	var problem struct {
		Detail string `json:"detail"`
	}
	if strings.HasPrefix(res.Header().Get("Content-Type"), "application/problem+json") && json.Unmarshal(res.Body(), &problem) == nil &&
		len(problem.Detail) < long && !strings.Contains(problem.Detail, token) {
		err = fmt.Errorf("%w: %s", err, problem.Detail)
	}
	if status < http.StatusInternalServerError {
		err = fmt.Errorf("%w: %w", ErrUndelivered, err)
	}
	return err
}

// noAnswer is the error without the URL, which may have a user in it, and without anything that was answered.
func noAnswer(err error) error {
	if dialing, ok := errors.AsType[*net.OpError](err); ok && (dialing.Op == "dial" || dialing.Op == "proxyconnect") {
		return fmt.Errorf("%w: %w", ErrUndelivered, dialing)
	}
	if untrusted, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return fmt.Errorf("%w: %w", ErrUndelivered, untrusted)
	}
	if broken, ok := errors.AsType[*net.OpError](err); ok {
		return broken
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return fmt.Errorf("%w: the server does not speak TLS", ErrUndelivered)
	}
	at, isNet := errors.AsType[net.Error](err)
	switch {
	case isNet && at.Timeout():
		return context.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return context.Canceled
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the server closed the connection without an answer")
	}
	return errors.New("the server's answer is not HTTP")
}

// silent keeps resty from logging by itself.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
