package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"kayra/server/api"
	"kayra/server/docs"
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

// docsPath is where the page is that shows the document. Its name is that of the folder that the page's files are in.
const docsPath = "/-/docs"

func (s *Server) getDocs(*call) (reply, error) { return s.docsFile(docs.Page), nil }

func (s *Server) getDocsFile(c *call) (reply, error) { return s.docsFile(c.PathValue("file")), nil }

func (s *Server) docsFile(name string) reply {
	return reply{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.docs.Serve(w, r, name); err != nil {
			s.fail(w, r, err)
		}
	})}
}

// toDocs has a slash too many left out, since the page refers to its files from beside itself.
func toDocs(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Location", "../docs")
	w.WriteHeader(http.StatusPermanentRedirect)
}

func (s *Server) getOwnDocument(*call) (reply, error) {
	return reply{raw: s.document}, nil
}
