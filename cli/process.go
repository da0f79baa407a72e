package cli

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"kayra/config"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/metered"
)

// process is what serve and reconciler have in common: a configuration with a scope, a log, an open store, an address.
type process struct {
	startupTimeout time.Duration
	untilEOF       bool

	config   *config.Config
	log      *slog.Logger
	store    backend
	records  store.Store // the store, with its latencies measured
	registry *prometheus.Registry
	tls      *tls.Config // of the listener; nil: it speaks plain HTTP
}

func addProcess(cmd *cobra.Command, p *process, listenKey string) {
	bind(cmd.Flags(), "listen", listenKey, "address to listen on, HOST:PORT")
	bind(cmd.Flags(), "log-level", "log.level", "debug, info, warn or error")
	bind(cmd.Flags(), "log-format", "log.format", "text or json")
	cmd.Flags().DurationVar(&p.startupTimeout, "startup-timeout", 30*time.Second, "how long to wait for a store that cannot be reached")
	addUntilEOF(cmd, &p.untilEOF)
}

// addUntilEOF declares the flag that ties a process to the one that started it, whatever way that one ends.
func addUntilEOF(cmd *cobra.Command, untilEOF *bool) {
	const name = "until-stdin-closes"
	cmd.Flags().BoolVar(untilEOF, name, false, "end when the standard input is closed")
	_ = cmd.Flags().MarkHidden(name) // fails for a flag that is not there only
}

func (p *process) scope() catalog.Scope {
	return catalog.Scope{Platform: p.config.Platform, Region: p.config.Region}
}

// load reads the configuration, and finds what is wrong of it before anything is opened.
func (p *process) load(cmd *cobra.Command, e *env) error {
	var err error
	if p.config, err = e.config(cmd); err != nil {
		return err
	}
	if err = p.config.RequireScope(); err != nil {
		return &failure{code: codeUsage, message: err.Error(), err: err}
	}
	p.registry = newRegistry()
	p.log, err = e.logger(p.config.Log)
	return err
}

// with runs fn with an open store and a listener.
func (p *process) with(ctx context.Context, e *env, address, key string, fn func(context.Context, net.Listener) error) (err error) {
	if p.untilEOF {
		var cancel context.CancelFunc
		ctx, cancel = untilEOF(ctx, e.streams.In)
		defer cancel()
	}
	if p.store, err = e.open(ctx, p.config.Database, p.log, p.startupTimeout); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.store.Close()) }()
	if p.records, err = metered.New(p.store, p.registry); err != nil {
		return fmt.Errorf("measure store: %w", err)
	}
	l, err := listen(ctx, address, key)
	if err != nil {
		return err
	}
	return fn(ctx, p.secured(l))
}

// announce says where the process can be reached, in one line.
func (p *process) announce(l net.Listener) {
	p.log.Info("listening",
		slog.String("address", p.url(l.Addr().String())), slog.String("store", named(p.config.Database)),
		slog.String("scope", p.scope().Platform+"/"+p.scope().Region))
}

// listen names the key that another address would be set by.
func listen(ctx context.Context, address, key string) (net.Listener, error) {
	var c net.ListenConfig
	l, err := c.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, &failure{
			code: codeFailed, message: fmt.Sprintf("listen on %s: another process listens there already", address),
			hint: key + " in kayra.yaml or --listen set another address", err: err,
		}
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s (%s): %w", address, key, err)
	}
	return l, nil
}

// untilEOF gives a context that ends when nothing more can be read.
func untilEOF(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() { // ends with the process: a read cannot be called off
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	return ctx, cancel
}
