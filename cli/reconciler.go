package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	uuid "github.com/hashicorp/go-uuid"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"kayra/notice"
	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/server"
	"kayra/server/auth"
	"kayra/store"
	"kayra/store/catalog"
)

// reconcile runs a reconciler.
type reconcile struct {
	process

	pipelines *pipeline.Pipelines
	operator  *catalog.Operator // defaults of operator blocks, or nil
	gateway   *reconciler.HTTPGateway
	serve     *notice.Client // what has teams told, or nil
	tokens    *auth.Tokens   // of those who may ask how it is doing
	issuer    *auth.OIDC     // nil: none
	startedAt time.Time
}

func reconcilerCommand(e *env) *cobra.Command {
	r := &reconcile{}
	cmd := &cobra.Command{
		Use:   "reconciler",
		Short: "Bring subscriptions up to their API's sync id",
		Long: "Bring subscriptions up to their API's sync id, until SIGINT or SIGTERM; attempts\n" +
			"that run then may go on for reconciler.drain_timeout. Any number of reconcilers\n" +
			"share an etcd; a local store has one.",
		Example: `  kayra reconciler --config kayra.yaml
  KAYRA_RECONCILER_GATEWAY_URL=https://gateway.example.com kayra reconciler --config kayra.yaml --log-format json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := r.load(cmd, e); err != nil {
				return err
			}
			return r.with(cmd.Context(), e, r.config.Reconciler.Listen, "reconciler.listen", r.run)
		},
	}
	addProcess(cmd, &r.process, "reconciler.listen")
	return cmd
}

func (r *reconcile) load(cmd *cobra.Command, e *env) error {
	err := r.process.load(cmd, e)
	if err != nil {
		return err
	}
	if err = r.listenTLS(r.config.Reconciler.TLS, "reconciler.tls"); err != nil {
		return err
	}
	if r.pipelines, err = parseModes(r.config, e.lookup); err != nil {
		return err
	}
	if r.operator, err = operatorOf(r.config); err != nil {
		return err
	}
	if r.serve, err = r.newServe(e.lookup); err != nil {
		return err
	}
	if err = r.loadCallers(e); err != nil {
		return err
	}
	r.warnOfMode()
	for _, w := range r.pipelines.Warnings() {
		r.log.Warn("a step names what no run can have, and will fail before it is sent", slog.Any("error", w))
	}
	r.startedAt = e.now().UTC().Truncate(time.Millisecond)
	c := r.config.Reconciler
	if c.GatewayURL == "" {
		r.log.Warn("no sync can complete: reconciler.gateway_url is not set, so that no app's OpenAPI document can be fetched")
	}
	r.gateway, err = reconciler.NewHTTPGateway(r.pipelines, reconciler.GatewayOptions{
		URL: c.GatewayURL, Timeout: c.Gateway.Timeout, Headers: headersOf(c.Gateway.Headers, e.lookup), TLS: pipeline.TLS(c.Gateway.TLS),
	})
	if err != nil {
		return &failure{code: codeUsage, message: fmt.Sprintf("%s: reconciler.%v", r.config.File(), err), err: err}
	}
	return nil
}

// loadCallers reads who may ask how it is doing: the same as may call the REST API, of whom sysadmins are answered.
func (r *reconcile) loadCallers(e *env) error {
	if len(r.config.Auth.Tokens) == 0 && r.config.Auth.OIDC.Issuer == "" {
		r.log.Warn("nobody can ask the reconciler how it is doing: auth.tokens is empty, and auth.oidc.issuer is not set")
	}
	var err error
	if r.tokens, err = tokensOf(r.config, e.lookup); err != nil {
		return err
	}
	r.issuer, err = issuerOf(r.config, r.log)
	return err
}

// warnOfMode says that a default mode, which may be misspelled, has no pipeline: what it syncs succeeds without a request.
func (r *reconcile) warnOfMode() {
	c := r.config.Reconciler
	if _, there := c.Mode[c.DefaultMode]; c.DefaultMode == "" || there {
		return
	}
	r.log.Warn("registrations without a mode are synced without a request: reconciler.default_mode names a mode that reconciler.mode does not have",
		slog.String("mode", c.DefaultMode), slog.Any("modes", slices.Sorted(maps.Keys(c.Mode))))
}

func (r *reconcile) run(ctx context.Context, l net.Listener) error {
	if r.issuer != nil {
		defer r.issuer.Close()
	}
	r.warnOfPlainTokens(ctx, l.Addr(), "reconciler.tls")
	c, err := r.controller(l)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	if r.serve != nil {
		defer r.serve.Close()
	}
	late, cancel := after(ctx, r.config.Reconciler.DrainTimeout)
	defer cancel()
	r.announce(l)
	err = r.serveWhile(ctx, l, c)
	if errors.Is(err, store.ErrInUse) {
		return &failure{
			code: codeFailed, message: fmt.Sprintf("%s: %v", named(r.config.Database), err), err: err,
			hint: "a local store has one reconciler at a time; stop the other one, or keep the records in etcd",
		}
	}
	if cut := r.pipelines.Close(late); cut != nil {
		r.log.Warn("async steps were cut off: they did not end within the drain timeout", slog.Any("error", cut))
	}
	return err
}

func (r *reconcile) controller(l net.Listener) (*reconciler.Controller, error) {
	id, err := uuid.GenerateUUID()
	if err != nil {
		return nil, fmt.Errorf("generate id: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("find host name: %w", err)
	}
	o := reconciler.Options{
		Store: r.records, Locker: r.store, Scope: r.scope(), Pipeline: r.pipelines, Gateway: r.gateway,
		Identity: catalog.Reconciler{
			ID: id, Host: host, PID: os.Getpid(), Endpoint: r.url(reachable(l.Addr(), host)),
			Version: readBuild().Version, StartedAt: r.startedAt,
		},
		DefaultMode: r.config.Reconciler.DefaultMode, Operator: r.operator, MaxConcurrent: r.config.Reconciler.MaxConcurrentReconciles,
		DrainTimeout: r.config.Reconciler.DrainTimeout, Logger: r.log, Registry: r.registry,
		NotifyWithin: r.config.Notification.Interval,
		ServerURL:    r.config.Reconciler.Server.URL,
		Authenticate: server.SysadminsOnly(auth.NewChain(r.tokens, r.issuer), auth.Sysadmins(r.config.Auth.Sysadmins), r.log),
	}
	if r.serve != nil {
		o.Notifier = r.serve
	}
	c, err := reconciler.New(o)
	if err != nil {
		return nil, fmt.Errorf("start reconciler: %w", err)
	}
	return c, nil
}

// reachable is an address by which others reach what listens at one: all addresses of this host are none for them.
func reachable(address net.Addr, host string) string {
	at := address.String()
	if tcp, ok := address.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		at = net.JoinHostPort(host, strconv.Itoa(tcp.Port))
	}
	return at
}

// serveWhile serves what the reconciler tells of itself for as long as the reconciler runs, its draining included.
func (r *reconcile) serveWhile(ctx context.Context, l net.Listener, c *reconciler.Controller) error {
	const header, request, idle = 10 * time.Second, 30 * time.Second, 2 * time.Minute
	srv := &http.Server{
		Handler: c.Handler(), ReadHeaderTimeout: header, ReadTimeout: request, WriteTimeout: request, IdleTimeout: idle,
		ErrorLog: slog.NewLogLogger(r.log.Handler(), slog.LevelDebug),
	}
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve %s: %w", l.Addr(), err)
		}
		return nil
	})
	group.Go(func() error {
		defer srv.Close() //nolint:errcheck // what is still open is of no interest
		return c.Run(running)
	})
	return group.Wait() //nolint:wrapcheck // already are
}

// after gives a context that ends a while after ctx has.
func after(ctx context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancel(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() { time.AfterFunc(while, cancel) })
	return late, cancel
}
