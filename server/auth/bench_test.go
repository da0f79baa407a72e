package auth_test

import (
	"fmt"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"kayra/server/auth"
	"kayra/server/auth/oidctest"
)

// BenchmarkAuthenticate measures a static token among 100, a JWT that is known, and ones whose key is known.
func BenchmarkAuthenticate(b *testing.B) {
	list := make([]auth.Token, 100)
	for i := range list {
		list[i] = auth.Token{Identity: auth.Identity{User: "ann"}, Digest: auth.DigestOf(fmt.Sprint("token-", i))}
	}
	tokens, err := auth.NewTokens(list)
	if err != nil {
		b.Fatal(err)
	}
	rs, es := oidctest.NewKey(b, "rs", jose.RS256), oidctest.NewKey(b, "es", jose.ES256)
	d := newDesk(b, oidctest.Start(b, rs, es))
	chain := auth.NewChain(tokens, d.OIDC)
	for _, c := range []struct {
		name, token string
		anew        bool
	}{
		{"static", "token-50", false}, {"JWT", d.issuer.Token(rs, nil), false}, {"RS256", d.issuer.Token(rs, nil), true}, {"ES256", d.issuer.Token(es, nil), true},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.anew {
					d.Forget()
				}
				if _, err := chain.Authenticate(b.Context(), c.token); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
