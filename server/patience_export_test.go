package server

import "time"

// Hurry has the server be less patient with clients than it is, so that a test need not be.
func (s *Server) Hurry(header, request time.Duration) {
	s.patience = patience{header: header, request: request}
}
