package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"kayra/server/watch"
)

// Why the server cuts a stream.
const (
	cutSlow   = "slow"   // its client does not read
	cutBehind = "behind" // its client is too far behind
	cutAccess = "access" // its caller may not read any more, or that is not known
)

// stream sends a stream until its client goes, or the server ends it.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, rt *route, st *stream) {
	defer st.reader.Close()
	if rec, ok := w.(*recorder); ok {
		rec.streams = true
	}
	open := s.metrics.streams.WithLabelValues(string(st.of))
	open.Inc()
	defer open.Dec()
	o := &outlet{
		ResponseWriter: w, server: s, request: r, route: rt, control: http.NewResponseController(w),
		admitted: time.Now(), alive: time.Now(),
	}
	_ = o.control.SetReadDeadline(time.Time{}) // that of the request has been met
	if o.send(func() { beginStream(w, r) }) != nil {
		return
	}
	if cause := o.feed(st.reader); cause != "" {
		s.metrics.cut.WithLabelValues(cause).Inc()
	}
}

// outlet is where a stream goes.
type outlet struct {
	http.ResponseWriter

	server   *Server
	request  *http.Request
	route    *route
	control  *http.ResponseController
	admitted time.Time // when the gate was asked last
	alive    time.Time // when something was sent last
}

// feed passes on what the reader has, until the stream ends. It returns why it was cut, if it was.
func (o *outlet) feed(reader *watch.Reader) string {
	tick := time.NewTicker(o.server.tempo.gate)
	defer tick.Stop()
	for {
		part, more, err := reader.Next()
		switch {
		case errors.Is(err, watch.ErrBehind):
			return cutBehind
		case err != nil:
			return ""
		case len(part) == 0 && o.wait(more, tick.C):
			continue
		case o.over():
			return ""
		case !o.stillAdmitted():
			return cutAccess
		}
		if len(part) == 0 {
			part = o.signOfLife()
		}
		if err := o.write(part); err != nil {
			return o.failed(err)
		}
	}
}

// wait waits until there is more, which it tells, or there is something else to do.
func (o *outlet) wait(more <-chan struct{}, tick <-chan time.Time) bool {
	select {
	case <-more:
		return true
	case <-o.request.Context().Done():
	case <-o.server.ending:
	case <-tick:
	}
	return false
}

// over tells whether the client has gone, or the server ends.
func (o *outlet) over() bool {
	select {
	case <-o.request.Context().Done():
		return true
	case <-o.server.ending:
		return true
	default:
		return false
	}
}

// stillAdmitted asks the gate again if it was not asked lately: more often while there is something to tell.
func (o *outlet) stillAdmitted() bool {
	const often = 4 // to a tick
	if time.Since(o.admitted) < o.server.tempo.gate/often {
		return true
	}
	o.admitted = time.Now()
	return o.server.readmit(o.request, o.route) == nil
}

// signOfLife is a comment if nothing was sent for a while, and nothing otherwise.
func (o *outlet) signOfLife() []byte {
	if time.Since(o.alive) < o.server.tempo.keepAlive {
		return nil
	}
	return []byte(": keep-alive\n\n")
}

// failed is why a part could not be sent: the client does not read it, or has gone, which is no cut.
func (o *outlet) failed(err error) string {
	if errors.Is(err, os.ErrDeadlineExceeded) || o.request.Context().Err() == nil {
		return cutSlow
	}
	return ""
}

func (o *outlet) write(part []byte) error {
	if len(part) == 0 {
		return nil
	}
	o.alive = time.Now()
	return o.send(func() { _, _ = o.Write(part) }) // Flush fails, too
}

// send has something sent, and waits until it is.
func (o *outlet) send(write func()) error {
	_ = o.control.SetWriteDeadline(time.Now().Add(o.server.tempo.write))
	write()
	if err := o.control.Flush(); err != nil {
		return fmt.Errorf("send part of a stream: %w", err)
	}
	_ = o.control.SetWriteDeadline(time.Time{})
	return nil
}

// endStreams ends all streams.
func (s *Server) endStreams() { s.end.Do(func() { close(s.ending) }) }
