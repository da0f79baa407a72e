package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"kayra/server/api"
)

// readyTimeout is how long the store may take to answer a read while the server still counts as ready.
const readyTimeout = time.Second

func (s *Server) getHealth(*call) (reply, error) {
	return reply{body: api.Health{Status: "ok"}}, nil
}

func (s *Server) getReadiness(c *call) (reply, error) {
	ctx, cancel := context.WithTimeout(c.Context(), readyTimeout)
	defer cancel()
	if err := s.ready(ctx); err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "not ready",
			slog.String("request_id", requestIDOf(c.Request)), slog.Any("error", err))
		return reply{}, refuse(http.StatusServiceUnavailable, "not ready: the store does not answer a read within %s", readyTimeout)
	}
	if err := s.policy.Stale(); err != nil {
		return reply{}, refuse(http.StatusServiceUnavailable, "not ready: %v", err)
	}
	return reply{body: api.Health{Status: "ok"}}, nil
}

func (s *Server) getMetrics(*call) (reply, error) {
	return reply{handler: s.metrics.handler}, nil
}

func (s *Server) getMetadata(*call) (reply, error) {
	scope := s.repository.Scope()
	return reply{body: api.Metadata{
		Name: "kayra", Version: s.version, Domain: s.domain, Platform: scope.Platform, Region: scope.Region,
	}}, nil
}

func (s *Server) getOwnDocument(*call) (reply, error) {
	return reply{raw: s.document}, nil
}
