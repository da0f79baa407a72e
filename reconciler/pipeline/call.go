package pipeline

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	maxBody = 1 << 20
	// drainTime is how long an answer that nobody reads may take to end, so that its connection can be used again.
	drainTime = 250 * time.Millisecond
	// maxRetryAfter bounds what an answer may ask for.
	maxRetryAfter = 24 * time.Hour
)

// answer is what a request was answered with.
type answer struct {
	status     int
	retryAfter time.Duration
	giver      site // none if a redirect led to another site than the endpoint's
	body       []byte
	tooLarge   bool // the body is over 1 MiB and was dropped
}

func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

// send sends a request once. It reads the body only if read is set and the answer is 2xx. Its errors may hold the URL:
// explainTransport says what may be said.
func (a *attempt) send(ctx context.Context, req request, read bool) (answer, error) {
	client, err := a.p.clients.get(a.step.tls)
	if err != nil {
		return answer{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := client.R().SetDoNotParseResponse(true)
	travelling := http.Header{}
	for _, f := range req.header {
		r.Header.Set(f.name, f.value.reveal())
		if f.travel {
			travelling.Set(f.name, f.value.reveal())
		}
	}
	if req.body != nil {
		r.SetBody(req.body.reveal())
	}
	resp, err := r.SetContext(withTravelling(ctx, travelling)).Execute(req.method, req.url.reveal())
	if err != nil {
		return answer{}, err //nolint:wrapcheck // explained before anyone sees it
	}
	got := answer{status: resp.StatusCode(), retryAfter: retryAfter(resp.Header(), time.Now())}
	if final := siteOf(resp.RawResponse.Request.URL); final == req.site {
		got.giver = final
	}
	err = got.read(resp.RawBody(), read && got.ok(), cancel)
	return got, err
}

// read takes the body, or lets it go by.
func (a *answer) read(body io.ReadCloser, wanted bool, cancel func()) error {
	defer func() { _ = body.Close() }() // what was to be read has been
	if !wanted {
		defer time.AfterFunc(drainTime, cancel).Stop()
		_, _ = io.CopyN(io.Discard, body, maxBody) // the answer is known; this only frees the connection
		return nil
	}
	content, err := io.ReadAll(io.LimitReader(body, maxBody+1))
	if len(content) > maxBody {
		a.tooLarge = true
		return nil
	}
	if err != nil {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	a.body = content
	return nil
}

// retryAfter reads the header in both its forms, seconds and a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	var d time.Duration
	if seconds, err := strconv.ParseUint(value, 10, 64); err == nil {
		d = time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), maxRetryAfter)
}

// extract takes a step's outputs from a 2xx answer. A path that leads nowhere is skipped.
func (s *step) extract(body []byte) map[string]string {
	if len(s.outputs) == 0 {
		return nil
	}
	doc, ok := parseDocument(body)
	if !ok {
		return nil
	}
	found := make(map[string]string, len(s.outputs))
	for _, o := range s.outputs {
		if value, ok := doc.text(o.path); ok {
			found[o.name] = value
		}
	}
	return found
}
