package auth_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"kayra/server/auth"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	ann := auth.Identity{User: "ann", Groups: []string{"tenants"}}
	digest, err := auth.ParseDigest("f4b6bb6548129dacf11c1a9c4dffffefd4aa6b21fcf4e9754cc03b731cbe7c25") // printf secret-2 | sha256sum
	if err != nil || digest != auth.DigestOf("secret-2") {
		t.Fatalf("ParseDigest: %x, %v", digest, err)
	}
	tokens, err := auth.NewTokens([]auth.Token{
		{Identity: auth.Identity{User: "root"}, Digest: auth.DigestOf("secret-1")},
		{Identity: ann, Digest: digest},
	})
	if err != nil {
		t.Fatal(err)
	}
	for token, user := range map[string]string{"secret-1": "root", "secret-2": "ann"} {
		got, err := tokens.Authenticate(t.Context(), token)
		if err != nil || got.User != user {
			t.Errorf("%s: %v, %v", token, got, err)
		}
	}
	for _, token := range []string{"", "secret", "secret-1 ", "SECRET-1", fmt.Sprintf("%x", digest)} {
		_, err := tokens.Authenticate(t.Context(), token)
		if !errors.Is(err, auth.ErrUnauthenticated) || token != "" && strings.Contains(err.Error(), token) {
			t.Errorf("%q: %v", token, err)
		}
	}
}

func TestNoTokens(t *testing.T) {
	t.Parallel()
	tokens, err := auth.NewTokens(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.Authenticate(t.Context(), ""); !errors.Is(err, auth.ErrUnauthenticated) {
		t.Errorf("without any token: %v", err)
	}
}

func TestBadTokens(t *testing.T) {
	t.Parallel()
	a, b := auth.Identity{User: "a"}, auth.Identity{User: "b"}
	for why, list := range map[string][]auth.Token{
		"no user":  {{Digest: auth.DigestOf("x")}},
		"no token": {{Identity: a}},
		"empty":    {{Identity: a, Digest: auth.DigestOf("")}},
		"shared":   {{Identity: a, Digest: auth.DigestOf("x")}, {Identity: b, Digest: auth.DigestOf("x")}},
	} {
		if _, err := auth.NewTokens(list); err == nil {
			t.Errorf("%s: accepted", why)
		}
	}
	for _, text := range []string{"", "zz", "abcd", strings.Repeat("a", 63), strings.Repeat("a", 65), strings.Repeat("a", 66)} {
		if _, err := auth.ParseDigest(text); err == nil {
			t.Errorf("digest %q: accepted", text)
		}
	}
}

func TestSysadmins(t *testing.T) {
	t.Parallel()
	s := auth.Sysadmins{Users: []string{"root"}, Groups: []string{"sysadmin"}}
	for _, c := range []struct {
		who  auth.Identity
		want bool
	}{
		{auth.Identity{User: "root"}, true},
		{auth.Identity{User: "bob", Groups: []string{"x", "sysadmin"}}, true},
		{auth.Identity{User: "sysadmin", Groups: []string{"root"}}, false},
		{auth.Identity{}, false},
	} {
		if got := s.Include(c.who); got != c.want {
			t.Errorf("%v: %t", c.who, got)
		}
	}
}
