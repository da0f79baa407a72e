package auth_test

import (
	"errors"
	"strings"
	"testing"

	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

func TestChain(t *testing.T) {
	t.Parallel()
	key := ec(t, "one")
	d := newDesk(t, oidctest.Start(t, key))
	good, fixed := d.issuer.Token(key, nil), d.issuer.Token(key, map[string]any{"sub": "bob"})
	list := []auth.Token{
		{Identity: auth.Identity{User: "root"}, Digest: auth.DigestOf("secret")},
		{Identity: auth.Identity{User: "fixed"}, Digest: auth.DigestOf(fixed)}, // has the form of a JWT
	}
	tokens, err := auth.NewTokens(list)
	if err != nil {
		t.Fatal(err)
	}
	none, err := auth.NewTokens(nil)
	if err != nil {
		t.Fatal(err)
	}
	all, bare := auth.NewChain(tokens, d.OIDC), auth.NewChain(tokens, nil)
	d.issuer.Answer(oidctest.Cut)
	for token, user := range map[string]string{"secret": "root", fixed: "fixed"} {
		if who, err := all.Authenticate(t.Context(), token); err != nil || who.User != user {
			t.Errorf("while the issuer is away: %v, %v", who, err)
		}
	}
	if _, err := all.Authenticate(t.Context(), good); !errors.Is(err, auth.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if _, err := bare.Authenticate(t.Context(), good); !errors.Is(err, auth.ErrUnauthenticated) {
		t.Errorf("without an issuer: %v", err)
	}
	d.issuer.Answer(nil)
	d.clock.advance(auth.FetchPause)
	if who, err := all.Authenticate(t.Context(), good); err != nil || who.User != "ann" {
		t.Errorf("%v, %v", who, err)
	}
	// What is said of a wrong token is the same, whatever the list holds.
	for _, token := range []string{"secre", "a.b", "a.b.c", "a.b.c.d.e", good + "x", fixed + "x", "secret.secret.secret"} {
		_, with := all.Authenticate(t.Context(), token)
		_, without := auth.NewChain(none, d.OIDC).Authenticate(t.Context(), token)
		if !errors.Is(with, auth.ErrUnauthenticated) || with.Error() != without.Error() ||
			strings.Count(token, ".") != 2 && !strings.HasSuffix(with.Error(), "the token is not known") {
			t.Errorf("%q: %v; with no tokens: %v", token, with, without)
		}
	}
}
