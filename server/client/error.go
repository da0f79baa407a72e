package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/go-resty/resty/v2"

	"kayra/server/api"
	"kayra/store/catalog"
	"kayra/tlsfiles"
)

// Errors beside those of package catalog, to be tested with [errors.Is].
var (
	ErrUnauthorized = errors.New("not authenticated or not allowed")
	ErrUnreachable  = errors.New("server is unreachable")
	ErrTimeout      = errors.New("no answer in time")
	ErrBroken       = errors.New("it broke the TLS connection") // as some do with whom they do not trust
)

// Error is an answer that says no. It unwraps to catalog.ErrInvalid, ErrNotFound, ErrConflict or ErrPrecondition, or to
// ErrUnauthorized; and to ErrUnreachable where a server or its store is away for now. An answer of status 500 is none of
// them.
type Error struct {
	api.Problem

	Bare      bool   // it gave no reason in the form that Kayra has for one
	RequestID string // under which the server's log has more; "": it gave none
}

// Error is the detail, and what is wrong with those fields that it does not speak of by itself. Where the fault is the
// server's, it has the id of the request.
func (e *Error) Error() string {
	if e.Status >= http.StatusInternalServerError && e.RequestID != "" {
		return e.sentence() + " (request id " + e.RequestID + ")"
	}
	return e.sentence()
}

func (e *Error) sentence() string {
	var rest []string
	for _, f := range e.Errors {
		if field := f.Pointer + " " + f.Detail; !strings.Contains(e.Detail, field) {
			rest = append(rest, field)
		}
	}
	if len(rest) == 0 {
		return e.Detail
	}
	return e.Detail + ": " + strings.Join(rest, "; ")
}

// Unwrap is the kind of refusal.
func (e *Error) Unwrap() error {
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrUnauthorized
	case http.StatusNotFound:
		return catalog.ErrNotFound
	case http.StatusConflict:
		return catalog.ErrConflict
	case http.StatusPreconditionFailed:
		return catalog.ErrPrecondition
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return catalog.ErrInvalid
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return ErrUnreachable
	}
	return nil
}

// refusal reads a problem out of an answer. What stands between here and the server answers in a form of its own.
func refusal(a Answer) error {
	e := &Error{RequestID: requestID(a.Header)}
	if json.Unmarshal(a.Body, &e.Problem) == nil && e.Status == a.Status && e.Detail != "" {
		return e
	}
	e.Bare = true
	e.Problem = api.Problem{
		Type: "about:blank", Title: http.StatusText(a.Status), Status: a.Status,
		Detail: fmt.Sprintf("the answer is %d %s without a reason; is it Kayra that answers at this URL?", a.Status, http.StatusText(a.Status)),
	}
	if location := a.Header.Get("Location"); location != "" {
		e.Detail = fmt.Sprintf("the server redirects to %q; use that URL if it is the right one", location)
	}
	return e
}

// wantsTLS tells whether what answers a plain request would rather speak TLS. Go's server, nginx and Apache say so, each in
// its own words.
func wantsTLS(a Answer) bool {
	if a.Status != http.StatusBadRequest {
		return false
	}
	text := strings.ToLower(string(a.Body[:min(len(a.Body), 1<<10)]))
	return strings.HasPrefix(text, "client sent an http request to an https server") ||
		strings.Contains(text, "plain http request was sent to https port") ||
		strings.Contains(text, "speaking plain http to an ssl-enabled server port")
}

// requestID is the id that an answer has, if it is a decent one.
func requestID(h http.Header) string {
	const most = 128
	id := h.Get("X-Request-Id")
	if len(id) > most || strings.ContainsFunc(id, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return ""
	}
	return id
}

// noAnswer says why there was none. The URL in it has no user and no query.
func (c *Client) noAnswer(ctx context.Context, method string, err error) error {
	var dialing *net.OpError
	var timed net.Error
	unknown := ""
	if isDial := errors.As(err, &dialing) && dialing.Op == "dial"; !isDial && method != http.MethodGet && method != http.MethodHead {
		unknown = "; whether a write has happened is not known"
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("request to %s: %w", c.url, context.Canceled)
	case errors.Is(err, resty.ErrResponseBodyTooLarge):
		return fmt.Errorf("the answer of %s is larger than %d bytes: ask for less with limit", c.url, maxAnswer)
	case ctx.Err() != nil, !errors.As(err, &dialing) && errors.As(err, &timed) && timed.Timeout():
		return fmt.Errorf("%w: %s%s", ErrTimeout, c.url, unknown)
	}
	if why := handshake(err); why != "" {
		return fmt.Errorf("%w: %s: %s (%w)", ErrUnreachable, c.url, why, cause(err))
	}
	if strings.HasPrefix(c.url, "https:") && (errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)) {
		return fmt.Errorf("%w: %s: %w (%w)", ErrUnreachable, c.url, ErrBroken, cause(err))
	}
	if unknown != "" {
		return fmt.Errorf("%w: %s (%w)%s", ErrUnreachable, c.url, cause(err), unknown)
	}
	return fmt.Errorf("%w: %s (%w): is it running, and is the URL right?", ErrUnreachable, c.url, cause(err))
}

// handshake says why a connection failed for a reason of TLS, or "".
func handshake(err error) string {
	switch tlsfiles.ReasonOf(err) {
	case tlsfiles.Untrusted:
		return "its certificate is signed by an authority that is not trusted here"
	case tlsfiles.OtherHost:
		return "its certificate is for another host"
	case tlsfiles.Expired:
		return "its certificate is expired or not valid yet"
	case tlsfiles.Invalid:
		return "its certificate is not valid"
	case tlsfiles.Unproven:
		return "it takes clients with a certificate that it trusts only"
	case tlsfiles.Refused:
		return "it refused the TLS handshake"
	case tlsfiles.NotTLS:
		return "it does not speak TLS: use http:// in its URL"
	case tlsfiles.Unknown:
	}
	return ""
}

// cause is the error without the URL that net/http puts in front of it.
func cause(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
