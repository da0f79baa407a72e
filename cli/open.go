package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"kayra/cli/term"
	"kayra/config"
	"kayra/store"
	"kayra/store/etcd"
	"kayra/store/local"
	"kayra/tlsfiles"
)

// backend is an open store.
type backend interface {
	store.Store
	store.JobLocker
	Close() error
}

// retryPause is the time between two tries to reach the store at the start. A try by itself may take a while.
const retryPause = 500 * time.Millisecond

// open opens the store that is configured. One that cannot be reached is tried again, and the user told, for as long as
// patience lasts; without any there is one try.
func (e *env) open(ctx context.Context, c config.Database, log *slog.Logger, patience time.Duration) (backend, error) {
	if patience <= 0 {
		return openOnce(ctx, c, log)
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	why := fmt.Errorf("no answer in time: %w", store.ErrUnavailable)
	for {
		s, err := openOnce(patient, c, log)
		switch {
		case err == nil:
			return s, nil
		case errors.Is(err, store.ErrUnavailable):
			why = err
		case ctx.Err() != nil || patient.Err() == nil:
			return nil, err
		}
		if patient.Err() == nil {
			e.tell("waiting for the store: %s", term.Escape(why.Error()))
		}
		pause := time.NewTimer(retryPause)
		select {
		case <-pause.C:
		case <-patient.Done():
			pause.Stop()
			return nil, &failure{
				code: codeUnreachable, err: why,
				message: fmt.Sprintf("%s cannot be reached, and --startup-timeout (%s) is over: %v", named(c), patience, why),
			}
		}
	}
}

func openOnce(ctx context.Context, c config.Database, log *slog.Logger) (backend, error) {
	return openAs(ctx, c, log, false)
}

// openAs opens a store that may have to exist.
func openAs(ctx context.Context, c config.Database, log *slog.Logger, existing bool) (backend, error) {
	if c.Backend == "etcd" {
		o, err := etcdOptions(c.Etcd, log)
		if err != nil {
			return nil, err
		}
		o.Existing = existing
		return opened(etcd.Open(ctx, o))
	}
	return opened(local.Open(ctx, local.Options{Path: c.Local.Path, Existing: existing, PollInterval: c.Local.PollInterval, Logger: log}))
}

// opened keeps a store that is nil from becoming a backend that is not.
func opened[S backend](s S, err error) (backend, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func etcdOptions(c config.Etcd, log *slog.Logger) (etcd.Options, error) {
	o := etcd.Options{Endpoints: c.Endpoints, Prefix: c.Prefix, Username: c.Username, LeaseTTL: c.LeaseTTL, Logger: log}
	var err error
	if o.Password, err = c.Password().Reveal(nil); err != nil {
		return o, &failure{code: codeUsage, message: "database.etcd.password_file: " + err.Error(), err: err}
	}
	if c.CAFile == "" && c.CertFile == "" {
		return o, nil
	}
	o.TLS, err = tlsfiles.Client{CAFile: c.CAFile, CertFile: c.CertFile, KeyFile: c.KeyFile}.Config(log)
	return o, wrongFile("database.etcd", err)
}

// named is how messages name the store.
func named(c config.Database) string {
	if c.Backend == "etcd" {
		return "etcd " + strings.Join(c.Etcd.Endpoints, ",") + c.Etcd.Prefix
	}
	return "local " + c.Local.Path
}
