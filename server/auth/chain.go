package auth

import "context"

// Chain authenticates by tokens that do not change and, where one is not among them, by the tokens of an issuer.
type Chain struct {
	tokens *Tokens
	issuer *OIDC
}

// NewChain makes a Chain. issuer may be nil.
func NewChain(tokens *Tokens, issuer *OIDC) *Chain { return &Chain{tokens: tokens, issuer: issuer} }

// Authenticate looks among the tokens first, all of them, whatever form the token has. How it fails thus depends on the
// form of the token and on the issuer, and never on what the list holds.
func (c *Chain) Authenticate(ctx context.Context, token string) (Identity, error) {
	who, err := c.tokens.Authenticate(ctx, token)
	if err == nil || c.issuer == nil || !isJWT(token) {
		return who, err
	}
	return c.issuer.Authenticate(ctx, token)
}
