package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kayra/config"
	"kayra/server/auth"
	"kayra/server/client"
	"kayra/tlsfiles"
)

// remote is what a verb talks to: the server and, for the resources of registered apps, the gateway.
type remote struct {
	*place

	at      *client.Client // the server
	timeout time.Duration
	secret  string // the token, which is shown nowhere
}

// tokenFile is the name of the one client flag that is no key of the configuration.
const tokenFile = "token-file"

// addClient declares the flags of what speaks to a server. There is none for the token itself: arguments are for all to see.
func addClient(cmd *cobra.Command) { addClientAs(cmd, "timeout") }

// addClientAs is addClient where --timeout is about something else, so that the time of a request has another flag.
func addClientAs(cmd *cobra.Command, timeout string) {
	addServerAs(cmd, timeout)
	cmd.Flags().String(tokenFile, "", "file with the bearer token, instead of what else would give one; -: the standard input")
}

func addServer(cmd *cobra.Command) { addServerAs(cmd, "timeout") }

func addServerAs(cmd *cobra.Command, timeout string) {
	bind(cmd.Flags(), "server", "client.server", "URL of the server (default http://localhost:8080)")
	bind(cmd.Flags(), timeout, "client.timeout", "how long a request may take (default 30s)")
	cmd.Flags().String(contextFlag, "", "context whose server is spoken to, of those that context list has")
}

// remote reads the configuration and the contexts. It does not connect.
func (e *env) remote(cmd *cobra.Command) (*remote, error) {
	c, err := e.config(cmd)
	if err != nil {
		return nil, err
	}
	return e.remoteOf(cmd, c)
}

// remoteOf is remote for a configuration that has been read.
func (e *env) remoteOf(cmd *cobra.Command, c *config.Config) (*remote, error) {
	chooser := e.chooser(cmd, c)
	var err error
	if chooser.token, err = e.token(cmd); err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	p, err := chooser.place()
	if err != nil {
		return nil, err
	}
	return e.connect(p, c.Client.Timeout)
}

// connect makes a client of the server that the command speaks to. It does not connect yet.
func (e *env) connect(p *place, timeout time.Duration) (*remote, error) {
	m, err := e.dial(p, timeout)
	if err == nil {
		e.place, e.secret = p, m.secret
	}
	return m, err
}

// dial makes a client of a server. It does not connect yet.
func (e *env) dial(p *place, timeout time.Duration) (*remote, error) {
	token, err := p.token.Reveal(e.lookup)
	if err != nil {
		return nil, &failure{code: codeUsage, message: "read client.token: " + err.Error(), err: err}
	}
	if token != "" && !auth.IsToken(token) {
		return nil, notAToken(p)
	}
	m := &remote{place: p, timeout: timeout, secret: token}
	m.at, err = m.open(p.server, token)
	if file, ok := errors.AsType[*tlsfiles.Error](err); ok {
		return nil, wrongFile(p.files(), file)
	}
	if err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	return m, nil
}

// notAToken is the failure for what no request could carry.
func notAToken(p *place) error {
	return &failure{code: codeUsage, message: "what " + p.tokenBy + " gives is no token: a token is one line, without spaces, and of visible ASCII characters only", hint: p.hintToken()}
}

func (m *remote) open(url, token string) (*client.Client, error) {
	return client.New(client.Options{ //nolint:wrapcheck // is shown as it is
		URL: url, Token: token, Timeout: m.timeout, UserAgent: "kayra/" + readBuild().Version,
		TLS: tlsfiles.Client{CAFile: m.caFile, CertFile: m.certFile, KeyFile: m.keyFile},
	})
}

// token is that of --token-file, or none.
func (e *env) token(cmd *cobra.Command) (config.Secret, error) {
	path := cmd.Flag(tokenFile).Value.String()
	if path == "" {
		return config.Secret{}, nil
	}
	content, err := readInput(cmd.Context(), path, e.streams.In)
	if err != nil {
		return config.Secret{}, fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" {
		return config.Secret{}, fmt.Errorf("read token: %s is empty", path)
	}
	return config.SecretOf(token), nil
}

// atGateway is a client of the gateway, where the resources of a registered app are.
func (m *remote) atGateway(api string) (*client.Client, error) {
	if m.gateway == "" {
		return nil, &failure{
			code:    codeFailed,
			message: fmt.Sprintf("the resources of %s are behind the gateway, and reconciler.gateway_url is not set here", api),
			hint:    "set it in kayra.yaml or by KAYRA_RECONCILER_GATEWAY_URL, or give `kayra login` a --gateway",
		}
	}
	token := m.secret
	if m.withheld() {
		token = ""
	}
	c, err := m.open(m.gateway, token)
	if err != nil {
		return nil, fmt.Errorf("reach gateway: %w", err)
	}
	return c, nil
}
