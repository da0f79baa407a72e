package server

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"kayra/server/auth"
)

// identify tells who the request comes from.
func (s *Server) identify(r *http.Request) (auth.Identity, error) {
	token, err := auth.Bearer(r)
	if err != nil {
		return auth.Identity{}, unauthenticated(err)
	}
	if token == "" {
		return auth.Identity{}, refuse(http.StatusUnauthorized, "send a token: Authorization: Bearer TOKEN")
	}
	who, err := s.who.Authenticate(r.Context(), token)
	switch {
	case errors.Is(err, auth.ErrUnauthenticated):
		return who, unauthenticated(err)
	case err != nil:
		return who, fmt.Errorf("authenticate: %w", err)
	}
	return who, nil
}

// unauthenticated refuses what was sent for a token.
func unauthenticated(err error) error {
	return &refusal{status: http.StatusUnauthorized, detail: err.Error() + ": send one that this server accepts", invalidToken: true}
}

// challenge is what a refusal tells a client of how to authenticate (RFC 6750, section 3): why, only if it sent a token.
func (e *refusal) challenge() string {
	const scheme = `Bearer realm="kayra"`
	if !e.invalidToken {
		return scheme
	}
	return scheme + `, error="invalid_token", error_description="` + strings.Map(quotable, e.detail) + `"`
}

// quotable keeps the characters that an error_description may have.
func quotable(c rune) rune {
	switch {
	case c == '"':
		return '\''
	case c == '\\':
		return '/'
	case c < ' ' || c > '~':
		return '?'
	}
	return c
}
