// Package auth tells who a request comes from, and who is a sysadmin.
package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// ErrUnauthenticated is wrapped by an Authenticator's refusals. What it says is shown to the caller.
var ErrUnauthenticated = errors.New("not authenticated")

// Identity is who a request comes from.
type Identity struct {
	User   string
	Groups []string
}

// Authenticator tells who a bearer token belongs to. It fails with ErrUnauthenticated when it belongs to nobody; any
// other error means that it could not find out.
type Authenticator interface {
	Authenticate(ctx context.Context, token string) (Identity, error)
}

// Sysadmins are those who may do everything.
type Sysadmins struct {
	Users  []string
	Groups []string
}

// Include tells whether the identity is one of them, by its user or by one of its groups.
func (s Sysadmins) Include(id Identity) bool {
	return slices.Contains(s.Users, id.User) ||
		slices.ContainsFunc(id.Groups, func(group string) bool { return slices.Contains(s.Groups, group) })
}

// Bearer is the token that the request carries (RFC 6750, section 2.1), or "".
func Bearer(r *http.Request) string {
	values := r.Header["Authorization"]
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
