package cli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/rogpeppe/go-internal/testscript"

	"kayra/server/auth/oidctest"
)

// TestScriptsWithAnIssuer runs scripts with real processes in front of an issuer, which the command issuer takes down and
// brings up.
func TestScriptsWithAnIssuer(t *testing.T) {
	t.Parallel()
	key := oidctest.NewKey(t, "one", jose.RS256)
	issuer := oidctest.StartTLS(t, key)
	cmds := commands()
	cmds["issuer"] = func(_ *testscript.TestScript, _ bool, args []string) {
		issuer.Answer(nil)
		if args[0] == "down" {
			issuer.Answer(oidctest.Cut)
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "oidc"),
		Cmds: cmds,
		Setup: func(e *testscript.Env) error {
			ca := filepath.Join(e.WorkDir, "ca.pem")
			if err := os.WriteFile(ca, issuer.CA(), 0o600); err != nil {
				return err
			}
			for name, value := range map[string]string{
				"KAYRA_AUTH_OIDC_ISSUER": issuer.URL, "KAYRA_AUTH_OIDC_AUDIENCE": oidctest.Audience, "KAYRA_AUTH_OIDC_CA_FILE": ca,
				"ANN":     issuer.Token(key, nil),
				"ROOT":    issuer.Token(key, map[string]any{"groups": []string{"sysadmin"}}),
				"FOREIGN": issuer.Token(key, map[string]any{"aud": "grafana"}),
			} {
				e.Setenv(name, value)
			}
			return setUp(e, "backend: local\n  local: {path: kayra.db}")
		},
	})
}
