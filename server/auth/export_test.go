package auth

// Forget forgets the tokens that were checked.
func (o *OIDC) Forget() { o.verified.tokens.Purge() }
