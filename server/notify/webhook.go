package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/go-resty/resty/v2"
)

const (
	maxAnswer     = 64 << 10 // bytes of an answer that are read, to be thrown away
	maxRetryAfter = 24 * time.Hour
)

// hooks posts JSON.
type hooks struct{ client *resty.Client }

// newHooks keeps no connections, since there is long nothing to tell, and follows no redirect, which could lead what is
// told to somebody else.
func newHooks(version string) hooks {
	client := &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{}).DialContext, ForceAttemptHTTP2: true,
			DisableKeepAlives: true, MaxResponseHeaderBytes: maxAnswer,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return hooks{resty.NewWithClient(client).SetLogger(silent{}).SetDisableWarn(true).
		SetHeader("Content-Type", "application/json").SetHeader("User-Agent", "kayra/"+version)}
}

// slack posts what an incoming webhook of Slack takes.
func (h hooks) slack(to Secret) func(context.Context, *message) error {
	return func(ctx context.Context, m *message) error {
		body, err := json.Marshal(map[string]any{
			"text": slackText(m.text), "mrkdwn": false, "unfurl_links": false, "unfurl_media": false,
		})
		if err != nil {
			return permanent("it could not be put into JSON")
		}
		return h.post(ctx, to, body, m.id)
	}
}

// plain posts the event itself.
func (h hooks) plain(to Secret) func(context.Context, *message) error {
	return func(ctx context.Context, m *message) error { return h.post(ctx, to, m.plain, m.id) }
}

func (h hooks) post(ctx context.Context, to Secret, body []byte, id string) error {
	address, err := to()
	if err != nil {
		return transient(err.Error()) // names a variable or a file
	}
	if err := CheckURL(address); err != nil {
		return permanent("its URL is none: " + err.Error())
	}
	res, err := h.client.R().SetContext(ctx).SetDoNotParseResponse(true).
		SetHeader("Idempotency-Key", id).SetBody(body).Post(address)
	if err != nil {
		return unanswered(err)
	}
	defer res.RawBody().Close()                           //nolint:errcheck // the status is known
	_, _ = io.CopyN(io.Discard, res.RawBody(), maxAnswer) // so that the receiver sees its answer arrive
	return judge(res.StatusCode(), res.Header(), time.Now())
}

// judge tells what a status means.
func judge(status int, header http.Header, now time.Time) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status >= 300 && status < 400:
		return permanent(fmt.Sprintf("it answered %d, a redirect, and none is followed: configure the address that it leads to", status))
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests, status >= 500:
		wait := retryAfter(header, now)
		why := fmt.Sprintf("it answered %d", status)
		if wait > 0 {
			why += fmt.Sprintf(", and asks to wait %s", wait.Round(time.Second))
		}
		return &failure{why: why, again: true, after: wait}
	}
	return permanent(fmt.Sprintf("it answered %d", status))
}

// retryAfter reads the header in both its forms, seconds and a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	var wait time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// silent keeps resty from logging by itself.
type silent struct{}

func (silent) Errorf(string, ...any) {}
func (silent) Warnf(string, ...any)  {}
func (silent) Debugf(string, ...any) {}
