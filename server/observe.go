package server

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
)

const requestIDHeader = "X-Request-Id"

// observe counts and logs every request, and turns a panic into a problem.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		id := requestID(r.Header.Get(requestIDHeader))
		w.Header().Set(requestIDHeader, id)
		r.Header.Set(requestIDHeader, id)
		rec := &recorder{ResponseWriter: w}
		defer func() {
			s.recovered(rec, r, recover())
			s.note(rec, r, time.Since(began))
		}()
		next.ServeHTTP(rec, r)
	})
}

// recovered answers for a handler that panicked.
func (s *Server) recovered(rec *recorder, r *http.Request, cause any) {
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause) // how a handler asks net/http to cut the connection
	}
	s.log.LogAttrs(r.Context(), slog.LevelError, "handler panicked", slog.Any("panic", cause),
		slog.String("request_id", requestIDOf(r)), slog.String("stack", string(debug.Stack())))
	if rec.status == 0 {
		s.fail(rec, r, fmt.Errorf("handler panicked: %v", cause))
	}
}

func (s *Server) note(rec *recorder, r *http.Request, took time.Duration) {
	method, route := labels(r.Pattern)
	s.metrics.observe(method, route, rec, took)
	if s.log.Enabled(r.Context(), slog.LevelDebug) {
		s.log.LogAttrs(r.Context(), slog.LevelDebug, "request", slog.String("method", r.Method), slog.String("route", route),
			slog.Int("status", rec.status), slog.Duration("duration", took), slog.String("request_id", requestIDOf(r)))
	}
}

// requestID is the id that the client gave the request, where it is a decent one, and otherwise a new one.
func requestID(given string) string {
	const most = 128
	strange := func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("._:-", c)
	}
	if given == "" || len(given) > most || strings.ContainsFunc(given, strange) {
		return rand.Text()
	}
	return given
}

// requestIDOf is the id of a request that observe has seen.
func requestIDOf(r *http.Request) string { return r.Header.Get(requestIDHeader) }

// recorder remembers the status that was sent.
type recorder struct {
	http.ResponseWriter

	status  int
	streams bool // the answer goes on for as long as its client wants it
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(data []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(data) //nolint:wrapcheck // stands in for it
}

// Unwrap is for [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
