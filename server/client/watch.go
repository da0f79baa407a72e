package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"
	"github.com/tmaxmax/go-sse"
)

// EventType says what an [Event] tells.
type EventType string

// What a stream tells.
const (
	Added    EventType = "added"
	Modified EventType = "modified"
	Deleted  EventType = "deleted"
	Synced   EventType = "synced" // all that there was has been told
	Reset    EventType = "reset"  // what was told is to be forgotten: all that there is follows
)

// Event is an event of a stream, in the form of the HTML Living Standard's server-sent events.
type Event struct {
	Type EventType
	ID   string // of the last event that had one; whoever passes it to Watch misses nothing that came after it
	Data []byte // of an object as a list has it, of a deleted one as it was last; JSON
}

// Bounds on a stream.
const (
	silence  = 45 * time.Second // three keep-alives
	maxEvent = 4 << 20          // bytes
)

// ErrEnded is the end of a stream that the server ended. Watching again goes on from there.
var ErrEnded = errors.New("the server ended the stream")

// ErrSilent is a stream that has not even had a sign of life for too long.
var ErrSilent = errors.New("the stream has gone silent")

// ErrNoStream is an answer, although a success, that is no stream: what answers knows none.
var ErrNoStream = errors.New("the answer is no stream of events")

// Watch reads the stream of a list or a status, and calls fn with each of its events, until ctx ends, fn fails or the stream
// breaks. path is that of the list, escaped, and may have a query. after is the ID of the last event that was dealt with, or
// "" for all there is. It never returns nil: the error wraps ctx's, fn's, ErrEnded, ErrSilent or ErrNoStream, or is one of Do.
func (c *Client) Watch(ctx context.Context, path, after string, fn func(Event) error) error {
	reading, stop := context.WithCancel(ctx)
	defer stop()
	opening := time.AfterFunc(c.patience(), stop)
	res, err := c.open(reading, path, after)
	if !opening.Stop() && ctx.Err() == nil {
		closeBody(res)
		return fmt.Errorf("%w: %s", ErrTimeout, c.url)
	}
	if err != nil {
		return c.noAnswer(ctx, http.MethodGet, err)
	}
	defer closeBody(res)
	if !res.IsSuccess() {
		body, _ := io.ReadAll(io.LimitReader(res.RawBody(), maxEvent)) // what cannot be read has no reason in it
		return refusal(Answer{Status: res.StatusCode(), Header: res.Header(), Body: body})
	}
	if !isStream(res.Header()) {
		return fmt.Errorf("watch %s: %w", c.url, ErrNoStream)
	}
	body := newWatched(res.RawBody(), stop)
	defer body.rest()
	for event, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: maxEvent}) {
		if err != nil {
			return c.broken(ctx, body, err)
		}
		if err := fn(Event{Type: EventType(event.Type), ID: event.LastEventID, Data: []byte(event.Data)}); err != nil {
			return err
		}
	}
	return c.broken(ctx, body, io.EOF)
}

// patience is for how long the head of a stream is waited for.
func (c *Client) patience() time.Duration {
	if c.timeout > 0 {
		return c.timeout
	}
	return silence
}

func (c *Client) open(ctx context.Context, path, after string) (*resty.Response, error) {
	request := c.resty.R().SetContext(ctx).SetDoNotParseResponse(true).SetHeader("Accept", streamType).
		SetQueryParam("watch", "true")
	if after != "" {
		request.SetHeader("Last-Event-ID", after)
	}
	return request.Execute(http.MethodGet, path) //nolint:wrapcheck // wrapped by Watch
}

// broken says why a stream has ended.
func (c *Client) broken(ctx context.Context, body *watched, err error) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("watch %s: %w", c.url, context.Cause(ctx))
	case body.silent.Load():
		return fmt.Errorf("watch %s: %w", c.url, ErrSilent)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("watch %s: %w", c.url, ErrEnded)
	}
	return fmt.Errorf("%w: %s: the stream broke (%w)", ErrUnreachable, c.url, cause(err))
}

func closeBody(res *resty.Response) {
	if res != nil && res.RawResponse != nil {
		_ = res.RawBody().Close() // only read from
	}
}

// watched is a body that must not be silent for too long.
type watched struct {
	io.Reader

	timer  *time.Timer
	silent atomic.Bool
}

func newWatched(body io.Reader, stop func()) *watched {
	w := &watched{Reader: body}
	w.timer = time.AfterFunc(silence, func() {
		w.silent.Store(true)
		stop()
	})
	return w
}

// Read puts the end off with each sign of life.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.timer.Reset(silence)
	}
	return n, err //nolint:wrapcheck // stands in for it
}

func (w *watched) rest() { w.timer.Stop() }
