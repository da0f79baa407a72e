package server

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"kayra/server/watch"
)

const (
	watching   = "watch" // the query parameter that has a list streamed
	streamType = "text/event-stream"
	lastID     = "Last-Event-ID"
)

// tempo is how often a stream does what it does without being asked, and how long a client may take to read a part of it.
type tempo struct {
	keepAlive time.Duration // without an event, until a sign of life
	gate      time.Duration // between two looks at whether the caller may still read
	write     time.Duration
}

func defaultTempo(keepAlive time.Duration) tempo {
	const usual, gate, write = 15 * time.Second, time.Second, 10 * time.Second
	if keepAlive == 0 {
		keepAlive = usual
	}
	return tempo{keepAlive: keepAlive, gate: gate, write: write}
}

// watched are the query parameters of a list that can be watched.
func watched(others ...string) []string { return append([]string{watching}, others...) }

// orWatch has a list or a status be streamed if the request asks for that.
func (s *Server) orWatch(list func(*call) (reply, error), topic func(*call) (watch.Topic, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		asked, err := c.flag(watching)
		if err != nil {
			return reply{}, err
		}
		if !asked {
			return list(c)
		}
		after, err := c.streamed()
		if err != nil {
			return reply{}, err
		}
		about, err := topic(c)
		if err != nil {
			return reply{}, err
		}
		return s.open(c, about, after)
	}
}

// streamed is the id that a stream is to begin after.
func (c *call) streamed() (int64, error) {
	switch {
	case c.query.Has("limit") || c.query.Has("continue"):
		return 0, refuse(http.StatusBadRequest, "a watch has no pages: leave out the query parameters limit and continue")
	case c.ContentLength != 0:
		return 0, refuse(http.StatusBadRequest, "a watch takes no body: send none")
	}
	values := c.Header.Values(lastID)
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return watch.FromStart, nil
	}
	id, err := strconv.ParseUint(values[0], 10, 63)
	if err != nil || len(values) > 1 {
		return 0, refuse(http.StatusBadRequest, "the header %s is %q; the id of an event is a number: send the last one that came, or none to begin anew",
			lastID, clip(values[0]))
	}
	return int64(id), nil //nolint:gosec // it has 63 bits
}

// open begins a stream. A copy of the records that may be too old to decide from is too old to begin from, too.
func (s *Server) open(c *call, about watch.Topic, after int64) (reply, error) {
	if err := s.policy.Stale(); err != nil {
		return reply{}, refuse(http.StatusServiceUnavailable, "no stream can begin now: %v: try again", err)
	}
	if c.Method == http.MethodHead {
		return reply{handler: http.HandlerFunc(beginStream)}, nil
	}
	reader, err := s.watch.Open(c.Context(), about, after)
	switch {
	case errors.Is(err, watch.ErrUnknown):
		return reply{}, refuse(http.StatusServiceUnavailable, "no stream can begin now: %v here: try again", watch.ErrUnknown)
	case errors.Is(err, watch.ErrOver): // just now
		return reply{}, refuse(http.StatusServiceUnavailable, "what is to be watched has just changed: try again")
	case err != nil:
		return reply{}, fmt.Errorf("open stream: %w", err)
	}
	return reply{stream: &stream{reader: reader, of: about.Of}}, nil
}

// stream is an answer that goes on.
type stream struct {
	reader *watch.Reader
	of     watch.Resource
}

func beginStream(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", streamType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // a proxy is to pass on what comes as it comes
	w.WriteHeader(http.StatusOK)
}

// listOf is the topic of a list that has no other parameters.
func listOf(of watch.Resource) func(*call) (watch.Topic, error) {
	return func(*call) (watch.Topic, error) { return watch.Topic{Of: of}, nil }
}

func (s *Server) watchStatus(c *call) (watch.Topic, error) {
	all, err := c.flag("all")
	if err != nil {
		return watch.Topic{}, err
	}
	name := c.PathValue("name")
	reg, err := s.repository.Registration(c.Context(), name)
	if err == nil {
		err = s.watch.Wait(c.Context(), reg.Revision)
	}
	if err != nil {
		return watch.Topic{}, fmt.Errorf("watch status: %w", err)
	}
	return watch.Topic{Of: watch.Status, API: name, All: all}, nil
}

func (s *Server) watchNamespace(c *call) (watch.Topic, error) {
	name := c.PathValue("ns")
	ns, err := s.repository.Namespace(c.Context(), name)
	if err == nil {
		err = s.watch.Wait(c.Context(), ns.Revision)
	}
	if err != nil {
		return watch.Topic{}, fmt.Errorf("watch subscriptions: %w", err)
	}
	return watch.Topic{Of: watch.NamespaceSubscriptions, Namespace: name}, nil
}

func watchSubscriptions(c *call) (watch.Topic, error) {
	f, err := c.filter()
	about := watch.Topic{Of: watch.Subscriptions, API: f.API, State: f.State}
	if f.Synced != nil {
		about.Synced = watch.Synced(strconv.FormatBool(*f.Synced))
	}
	return about, err
}
