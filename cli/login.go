package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/contexts"
	"kayra/cli/term"
	"kayra/config"
	"kayra/server/api"
	"kayra/server/auth"
)

// login stores a token for a server, after it was tried.
type login struct {
	name    string // of the context
	gateway string // --gateway
	label   string // --label

	reconcilers bool            // --reconcilers
	given       map[string]bool // of these three, those that were given
}

func loginCommand(e *env) *cobra.Command {
	l := &login{}
	cmd := &cobra.Command{
		Use:   "login [--server URL] [--context NAME]",
		Short: "Try a token at a server, and store it for the commands to come",
		Long: "Try a token at a server, store it with the server's URL as a context, and make\n" +
			"that the current one. The token is asked for at a terminal, and read from the\n" +
			"standard input elsewhere; it is never an argument. What the server refuses is\n" +
			"not stored.\n\n" +
			"The context is named after the server's host unless --context names it. To log\n" +
			"in again, as when a token has run out, name the context alone. It is kept in\n" +
			"$XDG_CONFIG_HOME/kayra/contexts.yaml, or ~/.config/kayra/contexts.yaml, which\n" +
			"only you may read; its token is sent to its server alone, to the gateway that\n" +
			"--gateway names and, with --reconcilers, to the reconcilers that the server\n" +
			"names, over HTTPS or on this machine: `why` and `top` tell more then. --label\n" +
			"marks it wherever it is shown. What is stored of these stays unless it is given.",
		Example: `  kayra login --server https://kayra.example.com
  kayra login --server https://kayra.example.com --context prod <token.txt
  kayra login --context prod
  kayra login --context prod --label production --reconcilers <token.txt`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l.given = map[string]bool{}
			for _, name := range []string{"gateway", "label", "reconcilers"} {
				l.given[name] = cmd.Flags().Changed(name)
			}
			return l.run(cmd, e)
		},
	}
	addServer(cmd)
	cmd.Flag(contextFlag).Usage = "name of the context (default the server's host and port)"
	bind(cmd.Flags(), "ca-file", "client.ca_file", "PEM file of the authorities that the server's certificate may come from")
	bind(cmd.Flags(), "cert-file", "client.cert_file", "PEM file with a client certificate; with --key-file")
	bind(cmd.Flags(), "key-file", "client.key_file", "PEM file with its key")
	cmd.Flags().StringVar(&l.gateway, "gateway", "", "URL of the gateway that the apps are behind; it gets the token, too")
	cmd.Flags().StringVar(&l.label, "label", "", "what the context is marked with, such as production")
	cmd.Flags().BoolVar(&l.reconcilers, "reconcilers", false, "let the reconcilers that the server names get the token, too")
	return cmd
}

func (l *login) run(cmd *cobra.Command, e *env) error {
	c, err := e.config(cmd)
	if err != nil {
		return err
	}
	if l.gateway != "" {
		if err := contexts.CheckServer(l.gateway); err != nil {
			return usage("", "--gateway %v", err)
		}
	}
	if err := contexts.CheckLabel(l.label); err != nil {
		return usage("", "--label: %v", err)
	}
	p, err := l.place(e.chooser(cmd, c))
	if err != nil {
		return err
	}
	return l.try(cmd.Context(), e, c, p)
}

// place is where to log in. A name that is new needs a server that was named for it: the current
// one would not be meant, nor that of whatever kayra.yaml is there.
func (l *login) place(c *chooser) (*place, error) {
	all, err := c.contexts()
	if err != nil {
		return nil, err
	}
	l.name, c.flag = c.flag, ""
	old, known := all.Find(l.name)
	switch {
	case known && kind(c.config, "client.server") == "flag" && l.checkServer(old, c.config.Client.Server) != nil:
		return nil, l.checkServer(old, c.config.Client.Server)
	case known:
		c.flag = l.name
	case l.name != "" && !strong(c.config, "client.server"):
		return nil, newContextNeedsServer(l.name, all)
	case l.name != "":
		c.env = "" // names another one
	}
	p, err := c.place()
	if err != nil {
		return nil, err
	}
	if err := contexts.CheckServer(p.server); err != nil {
		return nil, usage("", "%s %v", p.by, err)
	}
	if l.name == "" {
		l.name = p.context
	}
	if l.name == "" {
		l.name = contexts.NameOf(p.server)
		old, known = all.Find(l.name)
	}
	if err := contexts.CheckName(l.name); err != nil {
		return nil, usage("", "%v", err)
	}
	if known {
		c.useContext(p, old)
		return p, l.checkServer(old, p.server)
	}
	return p, nil
}

func newContextNeedsServer(name string, all *contexts.Contexts) error {
	err := unknownContext(name, "", all)
	if f, ok := errors.AsType[*failure](err); ok {
		near := f.hint
		f.hint = "for a new one say with --server where it is"
		if len(all.All) > 0 {
			f.hint += "; " + near
		}
	}
	return err
}

// checkServer keeps a login from moving a context to another server.
func (l *login) checkServer(old contexts.Context, server string) error {
	if contexts.Normal(old.Server) == contexts.Normal(server) {
		return nil
	}
	return &failure{
		code:    codeConflict,
		message: fmt.Sprintf("context %q is for %s, and this login is at %s: nothing was changed", old.Name, old.Server, server),
		hint:    fmt.Sprintf("name another one with --context, or `kayra context delete %s` first", old.Name),
	}
}

// try asks for the token and tries it before it is stored.
func (l *login) try(ctx context.Context, e *env, c *config.Config, p *place) error {
	if auth.IsExposed(p.server) {
		e.tell("warning: %s is not https: whoever is on the way can read the token", term.Escape(p.server))
	}
	token, err := e.askToken(ctx, p.server)
	if err != nil {
		return err
	}
	p.token, p.tokenBy, p.stored = config.SecretOf(token), "", false
	m, err := e.connect(p, c.Client.Timeout)
	if err != nil {
		return err
	}
	who, err := m.caller(ctx)
	if err != nil {
		return l.refused(ctx, err, p)
	}
	if err := l.store(ctx, e, p); err != nil {
		return err
	}
	if err := e.say("logged in at %s as %s; context %s is the current one", term.Escape(p.server), term.Escape(titled(who)), term.Escape(l.name)); err != nil {
		return err
	}
	e.warnOverridden(l.name)
	return nil
}

// refused says of a login that failed that it has left nothing behind.
func (l *login) refused(ctx context.Context, err error, p *place) error {
	f := explain(ctx, err, nil)
	f.message += ": nothing was stored"
	if f.status == unauthenticated {
		f.hint = "this was " + p.server
	}
	return f
}

// store writes the context. Another login may have been faster since its server was looked at.
func (l *login) store(ctx context.Context, e *env, p *place) error {
	return e.changeContexts(ctx, func(all *contexts.Contexts) error {
		x, known := all.Find(l.name)
		if known {
			if err := l.checkServer(x, p.server); err != nil {
				return err
			}
		}
		x.Name, x.Server, x.Token = l.name, contexts.Normal(p.server), p.token
		x.CAFile, x.CertFile, x.KeyFile = absolute(p.caFile), absolute(p.certFile), absolute(p.keyFile)
		if l.given["gateway"] {
			x.GatewayURL = l.gateway
		}
		if l.given["label"] {
			x.Label = l.label
		}
		if l.given["reconcilers"] {
			x.Reconcilers = l.reconcilers
		}
		all.Put(x)
		all.Current = l.name
		return nil
	})
}

// absolute is a path that is right in every folder.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil && path != "" {
		return full
	}
	return path
}

// titled is who has logged in.
func titled(who api.Caller) string {
	if who.Sysadmin {
		return who.User + ", a sysadmin"
	}
	return who.User
}

// askToken reads the token from the standard input, where nobody at a terminal can be asked for it.
func (e *env) askToken(ctx context.Context, server string) (string, error) {
	text, err := e.readSecret(ctx, fmt.Sprintf("token for %s: ", term.Escape(server)))
	if errors.Is(err, term.ErrInterrupted) {
		return "", &failure{code: codeInterrupted, message: "interrupted", err: err}
	}
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return "", usage("pipe it in, or run `kayra login` at a terminal", "no token came from the standard input")
	}
	if !auth.IsToken(text) {
		return "", usage("", "what came from the standard input is no token: a token has no spaces, and visible ASCII characters only")
	}
	return text, nil
}

func (e *env) readSecret(ctx context.Context, prompt string) (string, error) {
	if e.streams.InTTY() {
		return e.streams.AskSecret(ctx, prompt) //nolint:wrapcheck // wrapped by askToken
	}
	content, err := readInput(ctx, "-", e.streams.In)
	return string(content), err
}
