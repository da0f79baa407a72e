package server

import "time"

// Hurry has the server be less patient with clients than it is, so that a test need not be.
func (s *Server) Hurry(header, request time.Duration) {
	s.patience.header, s.patience.request = header, request
}

// HurryAnswers does so with clients that read answers, and those that read streams.
func (s *Server) HurryAnswers(answer, part time.Duration) {
	s.patience.answer, s.tempo.write = answer, part
}

// LookOften has streams look for what ends them so often.
func (s *Server) LookOften(gate time.Duration) { s.tempo.gate = gate }
