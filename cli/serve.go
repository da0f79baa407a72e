package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kayra/config"
	"kayra/server"
	"kayra/server/auth"
	"kayra/server/katalog"
	"kayra/server/notify"
	"kayra/server/rbac"
	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
)

// serve runs the REST API.
type serve struct {
	process

	tokens   *auth.Tokens
	issuer   *auth.OIDC   // nil: none
	audit    *slog.Logger // nil: none
	notifier *notify.Notifier
}

func serveCommand(e *env) *cobra.Command {
	s := &serve{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the REST API",
		Long: "Run the REST API until SIGINT or SIGTERM. It needs platform and region, and a\n" +
			"store; any number of them share an etcd.",
		Example: `  kayra serve --config kayra.yaml
  KAYRA_PLATFORM=sandbox KAYRA_REGION=eu-west-1 kayra serve --listen 127.0.0.1:8080`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.load(cmd, e); err != nil {
				return err
			}
			end, err := s.openAudit(e)
			if err != nil {
				return err
			}
			return errors.Join(s.with(cmd.Context(), e, s.config.Server.Listen, "server.listen", s.run), end())
		},
	}
	addProcess(cmd, &s.process, "server.listen")
	return cmd
}

func (s *serve) load(cmd *cobra.Command, e *env) error {
	if err := s.process.load(cmd, e); err != nil {
		return err
	}
	if err := s.listenTLS(s.config.Server.TLS, "server.tls"); err != nil {
		return err
	}
	if len(s.config.Auth.Tokens) == 0 && s.config.Auth.OIDC.Issuer == "" {
		s.log.Warn("nobody can call the API: auth.tokens is empty, and auth.oidc.issuer is not set")
	}
	var err error
	if s.tokens, err = tokensOf(s.config, e.lookup); err != nil {
		return err
	}
	if s.notifier, err = s.newNotifier(e.lookup); err != nil {
		return err
	}
	s.issuer, err = issuerOf(s.config, s.log)
	return err
}

func (s *serve) run(ctx context.Context, l net.Listener) error {
	if s.issuer != nil {
		defer s.issuer.Close()
	}
	figures := katalog.New(s.scope(), s.log)
	repository := catalog.NewRepository(s.records, s.scope())
	hub := watch.New(watch.Options{Repository: repository, Logger: s.log})
	policy := rbac.New(rbac.Options{Scope: s.scope(), Logger: s.log, Also: []store.Follower{figures, hub}})
	srv, err := server.New(server.Options{ //nolint:contextcheck // a stream has the context of its request
		Repository:    repository,
		Authenticator: auth.NewChain(s.tokens, s.issuer),
		Sysadmins:     auth.Sysadmins(s.config.Auth.Sysadmins),
		Policy:        policy,
		Domain:        s.config.Domain,
		Version:       readBuild().Version,
		Logger:        s.log,
		Registry:      s.registry,
		Audit:         s.audit,
		RateLimit:     s.config.Server.RateLimit,
		Katalog:       figures,
		Notifier:      s.notifier,
		Watch:         hub,
	})
	if err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	s.warnOfPlainTokens(ctx, l.Addr(), "server.tls")
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return policy.Run(running, s.records) })
	group.Go(func() error { return hub.Run(running) })
	group.Go(func() error {
		s.await(running, policy)
		s.announce(l)
		return srv.Serve(running, l)
	})
	return group.Wait() //nolint:wrapcheck // says what failed
}

// await gives the policy a while to read the roles: until then, nobody but sysadmins is served.
func (s *serve) await(ctx context.Context, policy *rbac.Policy) {
	const patience = 5 * time.Second
	bound, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := policy.Wait(bound); err != nil && ctx.Err() == nil {
		s.log.Warn("only sysadmins are served as yet: the roles have not been read", slog.Duration("waited", patience))
	}
}

// newRegistry has the metrics of the process itself.
func newRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func tokensOf(c *config.Config, env lookup) (*auth.Tokens, error) {
	list := make([]auth.Token, len(c.Auth.Tokens))
	for i, t := range c.Auth.Tokens {
		list[i].Identity = auth.Identity{User: t.User, Groups: t.Groups}
		if digest, ok := t.Token.SHA256(); ok {
			list[i].Digest = auth.Digest(digest)
			continue
		}
		text, err := t.Token.Reveal(env)
		if err == nil && !auth.IsToken(text) {
			err = errors.New("no request could carry it: a token has no spaces, and visible ASCII characters only")
		}
		if err != nil {
			return nil, wrongKey(c, fmt.Sprintf("auth.tokens[%d].token", i), err)
		}
		list[i].Digest = auth.DigestOf(text)
	}
	tokens, err := auth.NewTokens(list)
	if err != nil {
		return nil, wrongKey(c, "auth.tokens", err)
	}
	return tokens, nil
}
