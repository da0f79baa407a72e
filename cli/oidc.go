package cli

import (
	"fmt"
	"log/slog"

	"kayra/config"
	"kayra/server/auth"
	"kayra/tlsfiles"
)

// issuerOf gives the issuer of tokens, or nil where none is configured. It does not look for it: an issuer that is down
// keeps no server from its start.
func issuerOf(c config.OIDC, log *slog.Logger) (*auth.OIDC, error) {
	if c.Issuer == "" {
		return nil, nil //nolint:nilnil // most servers have none
	}
	o := auth.OIDCOptions{Issuer: c.Issuer, Audience: c.Audience, UserClaim: c.UserClaim, GroupsClaim: c.GroupsClaim, Logger: log}
	if c.CAFile != "" {
		ca, err := tlsfiles.OpenCA(c.CAFile)
		if err != nil {
			return nil, &failure{code: codeUsage, message: "auth.oidc." + err.Error(), err: err}
		}
		o.Roots = ca.Pool
	}
	issuer, err := auth.NewOIDC(o)
	if err != nil {
		return nil, &failure{code: codeUsage, message: fmt.Sprintf("auth.oidc: %v", err), err: err}
	}
	return issuer, nil
}
