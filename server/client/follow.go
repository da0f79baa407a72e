package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"mime"
	"net/http"
	"strings"
	"time"

	"kayra/store/catalog"
)

const streamType = "text/event-stream"

func isStream(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == streamType
}

// Follower keeps a copy of a list or of a status. Its methods are called from one goroutine.
type Follower interface {
	// Reset forgets all that is known: all that there is follows.
	Reset()
	// Apply brings in an event: Added, Modified or Deleted. An error ends Follow.
	Apply(Event) error
	// Synced tells that the copy is complete as of now. The data are those of the event, or empty where the server was polled.
	Synced(data []byte)
	// Live tells how the copy is kept up to date: err is nil while it is. Otherwise it says why not, and retry when it is
	// tried again.
	Live(err error, retry time.Duration)
}

// Pauses between two tries to reach the server, and between two questions where it has no streams.
const (
	retryPause    = time.Second
	retryPauseMax = 30 * time.Second
	pollInterval  = 2 * time.Second
)

// Follow keeps a copy of what is at a path until ctx ends, over as many streams as it takes: one that breaks is resumed where
// it broke, after a pause that grows from 1 to 30 seconds and is jittered. Where there are no streams the list is polled. now
// has a try made at once; nil: nobody asks for one. It returns ctx's error, or the error of Apply, or what the server refused
// for good: that the request is wrong, that the caller is not known or not allowed, or that there is nothing at the path.
func (c *Client) Follow(ctx context.Context, path string, f Follower, now <-chan struct{}) error {
	w := &following{client: c, path: path, follower: f, now: now, known: map[string]json.RawMessage{}}
	pause := retryPause
	for {
		w.progressed = false
		err := w.round(ctx)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("follow %s: %w", c.url, context.Cause(ctx))
		case w.failed != nil:
			return w.failed
		case refusedForGood(err):
			return err
		}
		if w.progressed {
			pause = retryPause
		}
		wait := pause/2 + rand.N(pause) //nolint:gosec,mnd // spreads those that broke together
		f.Live(err, wait)
		w.wait(ctx, wait)
		pause = min(2*pause, retryPauseMax) //nolint:mnd // doubles
	}
}

// refusedForGood tells an answer that trying again does not change.
func refusedForGood(err error) bool {
	return errors.Is(err, ErrUnauthorized) || errors.Is(err, catalog.ErrNotFound) || errors.Is(err, catalog.ErrInvalid)
}

// following is a copy as it is kept up to date.
type following struct {
	client   *Client
	path     string
	follower Follower
	now      <-chan struct{}

	after      string // "": from the beginning
	begun      bool   // the follower may know something
	complete   bool   // the snapshot has been told, so that there is something to resume from
	progressed bool   // in this round
	polls      bool   // there are no streams
	failed     error  // of the follower

	known map[string]json.RawMessage // what was polled last, by identity
}

// round follows until something breaks.
func (w *following) round(ctx context.Context) error {
	if w.polls {
		return w.poll(ctx)
	}
	if w.after == "" {
		w.forget()
	}
	err := w.client.Watch(ctx, w.path, w.after, w.event)
	if noStreams(err) {
		w.polls = true
		return w.poll(ctx)
	}
	return err
}

// noStreams tells the answer of what knows no streams: it takes no such query, or has the list instead.
func noStreams(err error) bool {
	if errors.Is(err, ErrNoStream) {
		return true
	}
	refused, ok := errors.AsType[*Error](err)
	return ok && refused.Status == http.StatusBadRequest && strings.Contains(refused.Detail, "watch")
}

func (w *following) forget() {
	if w.begun {
		w.follower.Reset()
	}
	w.begun, w.complete, w.after = true, false, ""
}

// event passes an event on.
func (w *following) event(e Event) error {
	w.progressed = true
	switch e.Type {
	case Reset:
		w.forget()
		return nil
	case Synced:
		w.complete = true
		w.follower.Synced(e.Data)
		w.follower.Live(nil, 0)
	case Added, Modified, Deleted:
		if w.failed = w.follower.Apply(e); w.failed != nil {
			return w.failed
		}
	default:
		return nil // of a later version
	}
	if w.complete && e.ID != "" {
		w.after = e.ID
	}
	return nil
}

// wait waits for the time, or until it is asked to go on.
func (w *following) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-w.now:
	}
}
