// Package auth tells who a request comes from, and who is a sysadmin.
package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

var (
	// ErrUnauthenticated is wrapped by an Authenticator's refusals. What it says is shown to the caller.
	ErrUnauthenticated = errors.New("not authenticated")

	// ErrUnavailable is wrapped when the token may be good, but the keys to check it with cannot be had from its issuer
	// now. What keeps them away has been logged.
	ErrUnavailable = errors.New("the issuer of the token does not answer, so that the token cannot be checked now")
)

func refusal(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnauthenticated, fmt.Sprintf(format, args...))
}

// Identity is who a request comes from.
type Identity struct {
	User   string
	Groups []string
}

// Authenticator tells who a bearer token belongs to. It fails with ErrUnauthenticated when it belongs to nobody; any
// other error, such as ErrUnavailable, means that it could not find out. No error shows any part of the token.
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
