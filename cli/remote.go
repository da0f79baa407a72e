package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kayra/config"
	"kayra/server/client"
)

// remote is what a verb talks to: the server and, for the resources of registered apps, the gateway.
type remote struct {
	server *client.Client
	config *config.Config
	open   func(url string) (*client.Client, error)
}

// tokenFile is the name of the one client flag that is no key of the configuration.
const tokenFile = "token-file"

// addClient declares the flags of what speaks to a server. There is none for the token itself: arguments are for all to see.
func addClient(cmd *cobra.Command) {
	bind(cmd.Flags(), "server", "client.server", "URL of the server (default http://localhost:8080)")
	bind(cmd.Flags(), "timeout", "client.timeout", "how long a request may take (default 30s)")
	cmd.Flags().String(tokenFile, "", "file with the bearer token, instead of client.token or $KAYRA_CLIENT_TOKEN")
}

// remote reads the configuration. It does not connect.
func (e *env) remote(cmd *cobra.Command) (*remote, error) {
	c, err := e.config(cmd)
	if err != nil {
		return nil, err
	}
	token, err := e.token(cmd, c)
	if err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	open := func(url string) (*client.Client, error) {
		return client.New(client.Options{
			URL: url, Token: token, CAFile: c.Client.CAFile, Timeout: c.Client.Timeout, UserAgent: "kayra/" + readBuild().Version,
		})
	}
	server, err := open(c.Client.Server)
	if err != nil {
		return nil, &failure{code: codeUsage, message: err.Error(), err: err}
	}
	return &remote{server: server, config: c, open: open}, nil
}

func (e *env) token(cmd *cobra.Command, c *config.Config) (string, error) {
	if path := cmd.Flag(tokenFile).Value.String(); path != "" {
		content, err := readInput(cmd.Context(), path, e.streams.In)
		if err != nil {
			return "", fmt.Errorf("read token: %w", err)
		}
		token := strings.TrimSpace(string(content))
		if token == "" {
			return "", fmt.Errorf("read token: %s is empty", path)
		}
		return token, nil
	}
	token, err := c.Client.Token.Reveal(e.lookup)
	if err != nil {
		return "", fmt.Errorf("read client.token: %w", err)
	}
	return token, nil
}

// gateway is where the resources of a registered app are.
func (m *remote) gateway(api string) (*client.Client, error) {
	url := m.config.Reconciler.GatewayURL
	if url == "" {
		return nil, &failure{
			code:    codeFailed,
			message: fmt.Sprintf("the resources of %s are behind the gateway, and reconciler.gateway_url is not set here", api),
			hint:    "set it in kayra.yaml or by KAYRA_RECONCILER_GATEWAY_URL",
		}
	}
	c, err := m.open(url)
	if err != nil {
		return nil, fmt.Errorf("reach gateway: %w", err)
	}
	return c, nil
}

// explainAnswer finds out what a server's refusal, or its silence, means for the user.
func explainAnswer(f *failure) {
	if refused, ok := errors.AsType[*client.Error](f.err); ok {
		f.status = refused.Status
	}
	switch {
	case errors.Is(f.err, client.ErrUnauthorized):
		f.code = codeDenied
		if f.status == 401 {
			f.hint = "give a token: client.token in kayra.yaml, KAYRA_CLIENT_TOKEN or --token-file"
		}
	case errors.Is(f.err, client.ErrTimeout):
		f.code, f.hint = codeTimeout, "--timeout allows for more"
	case errors.Is(f.err, client.ErrUnreachable):
		f.code = codeUnreachable
		if f.status == 0 {
			f.hint = "client.server in kayra.yaml, KAYRA_CLIENT_SERVER or --server say where it is; `kayra serve` starts one"
		}
	}
	if app, ok := errors.AsType[*appError](f.err); ok && (f.hint == "" || f.code == codeUnreachable) {
		f.hint = app.hint(f.status != 0)
	}
}
