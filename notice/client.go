package notice

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
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

// Send has an event delivered, and says by which channels it was. An error means that it may not have been by any; it
// shows neither the token nor what of the URL may be a password.
func (c *Client) Send(ctx context.Context, r Request) (Answer, error) {
	token, err := c.token()
	if err != nil {
		return Answer{}, fmt.Errorf("send %s of %q: %w", r.Kind, r.API, err)
	}
	res, err := c.resty.R().SetContext(ctx).SetAuthToken(token).SetBody(r).Post(path)
	if err != nil {
		return Answer{}, fmt.Errorf("send %s of %q: %w", r.Kind, r.API, noAnswer(err))
	}
	var a Answer
	if res.StatusCode() != http.StatusOK {
		return Answer{}, fmt.Errorf("send %s of %q: %w", r.Kind, r.API, refusal(res))
	}
	if err := json.Unmarshal(res.Body(), &a); err != nil {
		return Answer{}, fmt.Errorf("send %s of %q: the answer is not one of Kayra's: is the URL that of `kayra serve`?", r.Kind, r.API)
	}
	return a, nil
}

// refusal has what a problem says, which is meant to be shown.
func refusal(res *resty.Response) error {
	var problem struct {
		Detail string `json:"detail"`
	}
	if strings.HasPrefix(res.Header().Get("Content-Type"), "application/problem+json") && json.Unmarshal(res.Body(), &problem) == nil {
		return fmt.Errorf("the server answered %d: %s", res.StatusCode(), problem.Detail)
	}
	return fmt.Errorf("the server answered %d", res.StatusCode())
}

// noAnswer is the error without the URL, which may have a user in it.
func noAnswer(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if at, ok := errors.AsType[net.Error](err); ok && at.Timeout() {
		return context.DeadlineExceeded
	}
	return err
}

// silent keeps resty from logging by itself.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
