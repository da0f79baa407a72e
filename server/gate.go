package server

import (
	"errors"
	"fmt"
	"net/http"

	"kayra/server/auth"
)

// gate says whom a route admits.
type gate int

const (
	open          gate = iota + 1 // everyone
	authenticated                 // everyone who is known
	rbac                          // those to whom a role gives the route's verb on its resource, and sysadmins
	sysadmin                      // sysadmins alone
)

// admit tells who the request comes from, and refuses whom the route does not admit. There are no roles yet that could
// give anything to others than sysadmins.
func (s *Server) admit(r *http.Request, rt *route) (auth.Identity, error) {
	if rt.gate == open {
		return auth.Identity{}, nil
	}
	who, err := s.identify(r)
	if err != nil {
		return who, err
	}
	if rt.gate != authenticated && !s.sysadmins.Include(who) {
		return who, refuse(http.StatusForbidden, "user %q may not %s %s: ask a sysadmin", who.User, rt.verb, rt.resource)
	}
	return who, nil
}

func (s *Server) identify(r *http.Request) (auth.Identity, error) {
	token := auth.Bearer(r)
	if token == "" {
		return auth.Identity{}, refuse(http.StatusUnauthorized, "send a token: Authorization: Bearer TOKEN")
	}
	who, err := s.who.Authenticate(r.Context(), token)
	switch {
	case errors.Is(err, auth.ErrUnauthenticated):
		return who, refuse(http.StatusUnauthorized, "%v: send one that this server accepts", err)
	case err != nil:
		return who, fmt.Errorf("authenticate: %w", err)
	}
	return who, nil
}
