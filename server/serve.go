package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Bounds on connections, against clients that are slow or gone.
const (
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 1 << 20 // what is more is refused without a problem; see maxHeaderSize
	defaultDrain   = 10 * time.Second
)

// patience is how long a client may take to send the header of a request, and all of it, and to read the answer.
type patience struct {
	header, request, answer time.Duration
}

func defaultPatience() patience {
	const header, request, answer = 10 * time.Second, 30 * time.Second, 60 * time.Second
	return patience{header: header, request: request, answer: answer}
}

// Serve serves on the listener until ctx ends, and closes it. Requests that have begun by then are answered, if that takes
// no longer than the drain timeout, and streams end at once, for good; it returns nil when all its goroutines have ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	var connections sync.WaitGroup
	srv := &http.Server{
		Handler: s.handler, ReadHeaderTimeout: s.patience.header, ReadTimeout: s.patience.request, WriteTimeout: s.patience.answer,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				connections.Add(1)
			case http.StateClosed, http.StateHijacked:
				connections.Done()
			case http.StateActive, http.StateIdle:
			}
		},
	}
	srv.RegisterOnShutdown(s.endStreams)
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		s.shutdown(ctx, srv)
		err = <-ended
	}
	cut()
	_ = srv.Close()
	connections.Wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

func (s *Server) shutdown(ctx context.Context, srv *http.Server) {
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.drain)
	defer cancel()
	if err := srv.Shutdown(bound); err != nil {
		s.log.LogAttrs(bound, slog.LevelWarn, "requests were cut off", slog.Any("error", err))
	}
}
