package reconciler

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"kayra/notice"
	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
)

// DefaultMaxConcurrentReconciles is the size of the pool unless Options says otherwise.
const DefaultMaxConcurrentReconciles = 30

// What options that are 0 stand for.
const (
	defaultDrainTimeout = 30 * time.Second
	defaultNotifyWithin = 15 * time.Minute
	defaultNotifyPause  = 5 * time.Second
)

// Pipeline carries out a mode's steps for one subscription.
type Pipeline interface {
	// Has tells whether the mode has steps.
	Has(mode string) bool
	// Run carries them out. A failure is a [pipeline.Error]; a run that was cut off returns ctx's error.
	Run(ctx context.Context, mode string, in pipeline.Input) error
	// Describe gives them as they may be shown.
	Describe(mode string) []pipeline.StepView
	// Hosts are the hosts that runs of an API have called.
	Hosts(api string) []pipeline.Host
	// Forget drops what is known of the hosts of an API.
	Forget(api string)
}

// Gateway serves the OpenAPI documents of the registered apps.
type Gateway interface {
	// Document reads the document of an API, of at most [catalog.MaxDocument] bytes. An error is one redacted sentence.
	Document(ctx context.Context, api string) ([]byte, error)
}

// Notifier has teams told of events.
type Notifier interface {
	// Send says by which channels the team was told and by which it was not, and has tried for long enough by then for
	// others to wait. After an error it may have been told by any, unless it is [notice.ErrUndelivered]. An error shows no
	// secret.
	Send(ctx context.Context, r notice.Request) (notice.Answer, error)
}

// Options are what a reconciler works with. Store, Locker, Scope, Pipeline and Gateway must be there.
type Options struct {
	Store    store.Store
	Locker   store.JobLocker
	Scope    catalog.Scope
	Pipeline Pipeline
	Gateway  Gateway

	Identity      catalog.Reconciler // how the process is listed; its ID must be there
	DefaultMode   string             // of a registration that names none; "": such a one cannot be reconciled
	Operator      *catalog.Operator  // defaults for what a registration's operator block leaves out; nil: the built-in ones
	MaxConcurrent int                // attempts at the same time in this process; 0: DefaultMaxConcurrentReconciles
	DrainTimeout  time.Duration      // how long running attempts may go on after the stop; 0: 30 s
	Notifier      Notifier           // nil: nobody is told of anything
	NotifyWithin  time.Duration      // how long an event of a registration is not told again; 0: 15 min
	NotifyPause   time.Duration      // before an event that could not be told is first tried again; 0: 5 s
	ServerURL     string             // of a server that counts what was asked of it, which is told to those who ask; may be empty
	Logger        *slog.Logger
	Registry      *prometheus.Registry // gets the metrics; nil: they are kept to the reconciler's own listener

	// Authenticate lets those pass to what is told of registrations and subscriptions who may know all of it, and refuses
	// everybody else; nil: nobody may.
	Authenticate func(http.Handler) http.Handler
}

func (o Options) complete() (Options, error) {
	if o.Store == nil || o.Locker == nil || o.Pipeline == nil || o.Gateway == nil || o.Identity.ID == "" ||
		o.Scope.Platform == "" || o.Scope.Region == "" {
		return o, errors.New("reconciler: Store, Locker, Scope, Pipeline, Gateway and Identity.ID are required")
	}
	if o.MaxConcurrent <= 0 {
		o.MaxConcurrent = DefaultMaxConcurrentReconciles
	}
	if o.DrainTimeout <= 0 {
		o.DrainTimeout = defaultDrainTimeout
	}
	if o.NotifyWithin <= 0 {
		o.NotifyWithin = defaultNotifyWithin
	}
	if o.NotifyPause <= 0 {
		o.NotifyPause = defaultNotifyPause
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Registry == nil {
		o.Registry = prometheus.NewRegistry()
	}
	return o, nil
}
