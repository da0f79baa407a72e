package cli

import (
	"errors"
	"log/slog"

	"kayra/config"
	"kayra/server/auth"
	"kayra/tlsfiles"
)

// issuerOf gives the issuer of tokens, or nil where none is configured. It does not look for it: an issuer that is down
// keeps no server from its start.
func issuerOf(all *config.Config, log *slog.Logger) (*auth.OIDC, error) {
	c := all.Auth.OIDC
	if c.Issuer == "" {
		return nil, nil //nolint:nilnil // most servers have none
	}
	o := auth.OIDCOptions{Issuer: c.Issuer, Audience: c.Audience, UserClaim: c.UserClaim, GroupsClaim: c.GroupsClaim, Logger: log}
	if c.CAFile != "" {
		ca, err := tlsfiles.OpenCA(c.CAFile)
		if file, ok := errors.AsType[*tlsfiles.Error](err); ok {
			err = errors.New(file.Problem)
		}
		if err != nil {
			return nil, wrongKey(all, "auth.oidc.ca_file", err)
		}
		o.Roots = ca.Pool
	}
	issuer, err := auth.NewOIDC(o)
	if err != nil {
		return nil, wrongKey(all, "auth.oidc", err)
	}
	return issuer, nil
}
