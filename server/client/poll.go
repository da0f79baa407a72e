package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// poll asks for the list once, and passes on what is new in it.
func (w *following) poll(ctx context.Context) error {
	for first := true; ; first = false {
		items, err := w.client.list(ctx, w.path)
		if err != nil {
			return err
		}
		if first {
			w.forgetPolled()
		}
		w.progressed = true
		if w.failed = w.compare(items); w.failed != nil {
			return w.failed
		}
		w.follower.Synced(nil)
		w.follower.Live(nil, 0)
		w.wait(ctx, pollInterval)
		if ctx.Err() != nil {
			return context.Cause(ctx) //nolint:wrapcheck // wrapped by Follow
		}
	}
}

// forgetPolled begins anew where what the follower knows came from a stream.
func (w *following) forgetPolled() {
	if len(w.known) == 0 {
		w.forget()
	}
}

// compare passes on how a list differs from the one before.
func (w *following) compare(items []json.RawMessage) error {
	now := make(map[string]json.RawMessage, len(items))
	for _, item := range items {
		id := Identity(item)
		now[id] = item
		event := Event{Type: Added, Data: item}
		if before, known := w.known[id]; known {
			if bytes.Equal(before, item) {
				continue
			}
			event.Type = Modified
		}
		if err := w.follower.Apply(event); err != nil {
			return err //nolint:wrapcheck // the follower's own
		}
	}
	for id, item := range w.known {
		if _, there := now[id]; there {
			continue
		}
		if err := w.follower.Apply(Event{Type: Deleted, Data: item}); err != nil {
			return err //nolint:wrapcheck // the follower's own
		}
	}
	w.known = now
	return nil
}

// Identity is what an object of a list is known by: its id, or its namespace and name. Of what has none of these it is the
// object itself.
func Identity(object []byte) string {
	var is struct{ ID, Namespace, Name, API string }
	if json.Unmarshal(object, &is) != nil {
		return string(object)
	}
	switch {
	case is.ID != "":
		return is.ID
	case is.Name != "" || is.API != "" || is.Namespace != "":
		return is.Namespace + "/" + is.Name + "/" + is.API
	}
	return string(object)
}

// list reads all pages of a list, or the rows of a status.
func (c *Client) list(ctx context.Context, path string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	for next := ""; ; {
		answer, err := c.Do(ctx, http.MethodGet, pageOf(path, next), nil)
		if err != nil {
			return nil, err
		}
		var page struct {
			Items         []json.RawMessage
			Subscriptions []json.RawMessage // of a status
			Continue      string
		}
		if err := json.Unmarshal(answer.Body, &page); err != nil {
			return nil, fmt.Errorf("read list: %w", err)
		}
		all = append(append(all, page.Items...), page.Subscriptions...)
		if page.Continue == "" || page.Continue == next {
			return all, nil
		}
		next = page.Continue
	}
}

// pageOf is the path of the page that begins at a position.
func pageOf(path, position string) string {
	if position == "" {
		return path
	}
	joint := "?"
	if strings.Contains(path, "?") {
		joint = "&"
	}
	return path + joint + "continue=" + url.QueryEscape(position)
}
