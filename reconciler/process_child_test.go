package reconciler_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/local"
)

// planEnv names the variable with the plan that turns the test binary into a reconciler.
const planEnv = "KAYRA_TEST_RECONCILER"

// What a child process exits with, beside 0.
const (
	exitFailed = 1
	exitInUse  = 3
)

// stopping is what a child logs once it has taken notice of SIGTERM.
const stopping = "stopping"

// plan is all that a child process is told.
type plan struct {
	ID     string
	Parent int    // the child does not outlive this process
	App    string // URL of the stub app
	Serve  string // URL of what is told of events; "": none is

	Path      string   // of a local store, or
	Endpoints []string // of etcd
	Prefix    string
	LeaseTTL  time.Duration

	Slots        int
	DrainTimeout time.Duration
}

// perhapsChild runs the tests, or a reconciler if the environment has a plan for one.
type perhapsChild struct{ etcdtest.Tests }

// Run implements etcdtest.Tests. A child that ends well is looked at by goleak, as the tests are.
func (p perhapsChild) Run() int {
	text, ok := os.LookupEnv(planEnv)
	if !ok {
		return p.Tests.Run()
	}
	var plan plan
	err := json.Unmarshal([]byte(text), &plan)
	if err == nil {
		err = plan.run()
	}
	switch {
	case err == nil:
		return 0
	case errors.Is(err, store.ErrInUse):
		fmt.Fprintln(os.Stderr, err)
		return exitInUse
	default:
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
}

// run reconciles until SIGTERM, and logs to stderr.
func (p plan) run() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	context.AfterFunc(ctx, func() { log.Info(stopping) })
	go stopWith(ctx, p.Parent, stop)
	s, err := p.open(ctx, log)
	if err != nil {
		return err
	}
	modes, err := pipeline.Parse(stepsOf(p.App), pipeline.Options{})
	if err == nil {
		err = p.reconcile(ctx, s, modes, log)
		err = errors.Join(err, modes.Close(context.WithoutCancel(ctx)))
	}
	return errors.Join(err, s.Close())
}

// stopWith stops the process when its parent is no more.
func stopWith(ctx context.Context, parent int, stop func()) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for os.Getppid() == parent {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
	stop()
}

type lockingStore interface {
	store.Store
	store.JobLocker
	Close() error
}

func (p plan) open(ctx context.Context, log *slog.Logger) (lockingStore, error) {
	if p.Path != "" {
		return local.Open(ctx, local.Options{Path: p.Path, PollInterval: 2 * time.Millisecond, Logger: log})
	}
	return etcd.Open(ctx, etcd.Options{Endpoints: p.Endpoints, Prefix: p.Prefix, LeaseTTL: p.LeaseTTL, Logger: log})
}

func (p plan) reconcile(ctx context.Context, s lockingStore, modes *pipeline.Pipelines, log *slog.Logger) error {
	gateway, err := reconciler.NewHTTPGateway(modes, reconciler.GatewayOptions{URL: p.App, Timeout: patience})
	if err != nil {
		return err
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var notifier reconciler.Notifier
	if p.Serve != "" {
		client, err := noticesTo(p.Serve, p.ID)
		if err != nil {
			return err
		}
		defer client.Close()
		notifier = client
	}
	c, err := reconciler.New(reconciler.Options{
		Notifier: notifier, NotifyPause: time.Millisecond,
		Store: s, Locker: s, Scope: scope(), Pipeline: modes, Gateway: gateway, DefaultMode: "api",
		Identity:      catalog.Reconciler{ID: p.ID, PID: os.Getpid(), Endpoint: "http://" + l.Addr().String()},
		MaxConcurrent: p.Slots, DrainTimeout: p.DrainTimeout, Logger: log,
	})
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: handlerOf(c), ReadHeaderTimeout: patience}
	go func() { _ = srv.Serve(l) }()
	return errors.Join(c.Run(ctx), srv.Close())
}

// handlerOf adds to a reconciler's own handler what a test wants to know: whether it has seen a revision and is idle.
func handlerOf(c *reconciler.Controller) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", c.Handler())
	mux.HandleFunc("GET /idle/{revision}", func(w http.ResponseWriter, r *http.Request) {
		if revision, err := strconv.ParseInt(r.PathValue("revision"), 10, 64); err != nil || !c.Idle(revision) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	return mux
}
