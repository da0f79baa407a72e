package reconciler_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kayra/reconciler"
	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
	"kayra/store/etcd/etcdtest"
	"kayra/store/local"
)

const (
	compute  = "compute.example.com"
	patience = 30 * time.Second // for what must happen; a test that waits that long has failed
)

// fleet is the kind of store that a test runs on, and how many reconcilers.
type fleet struct {
	backend   string
	processes int
}

func (f fleet) String() string { return fmt.Sprintf("%s/%d", f.backend, f.processes) }

// everyFleet runs a test on both stores, and on etcd with one, two and three reconcilers.
func everyFleet(t *testing.T, test func(w *world)) {
	t.Helper()
	if etcdtest.Racing {
		onFleets(t, extremes(), test)
		return
	}
	onFleets(t, []fleet{{"local", 1}, {"etcd", 1}, {"etcd", 2}, {"etcd", 3}}, test)
}

// extremes are the fleets between which the others lie, for what is tested in many variations.
func extremes() []fleet { return []fleet{{"local", 1}, {"etcd", 3}} }

func onFleets(t *testing.T, fleets []fleet, test func(w *world)) {
	t.Helper()
	for _, f := range fleets {
		t.Run(f.String(), func(t *testing.T) {
			t.Parallel()
			test(newWorld(t, f))
		})
	}
}

// world is a store, a stub of the registered app behind a gateway, and the reconcilers that a test has started.
type world struct {
	*catalog.Repository

	t       *testing.T
	fleet   fleet
	store   store.Store
	tape    *tape // of the store
	app     *app
	log     *syncBuffer
	open    opener
	options func(*reconciler.Options)
	resting func(revision int64) bool // whether the reconcilers have seen the revision and are idle
	steps   map[string][]pipeline.Step
	gateway reconciler.GatewayOptions
	started []*process
}

// process is one reconciler of a test.
type process struct {
	*reconciler.Controller

	signal func()          // as SIGTERM does
	stop   func()          // the same; returns when it has ended
	ended  <-chan struct{} // closed when it has
}

func newWorld(t *testing.T, f fleet) *world {
	t.Helper()
	if f.backend == "local" {
		return newWorldOn(t, f, onLocal(local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")}))
	}
	server := cluster.Server(t)
	return newWorldOn(t, f, onEtcd(etcd.Options{Endpoints: server.Endpoints(), Prefix: server.Prefix(t), RequestTimeout: patience}))
}

// opener opens one store again and again, as so many processes would.
type opener func(t *testing.T) (store.Store, store.JobLocker)

func onLocal(opts local.Options) opener {
	opts.PollInterval = 2 * time.Millisecond
	return func(t *testing.T) (store.Store, store.JobLocker) {
		t.Helper()
		s, err := local.Open(t.Context(), opts)
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		return s, s
	}
}

func onEtcd(opts etcd.Options) opener {
	return func(t *testing.T) (store.Store, store.JobLocker) {
		t.Helper()
		s, err := etcd.Open(t.Context(), opts)
		must(t, err)
		t.Cleanup(func() { must(t, s.Close()) })
		return s, s
	}
}

func newWorldOn(t *testing.T, f fleet, open opener) *world {
	t.Helper()
	w := &world{
		t: t, fleet: f, app: newApp(t), log: &syncBuffer{},
		open: open, options: func(*reconciler.Options) {},
	}
	w.resting = func(revision int64) bool {
		return !slices.ContainsFunc(w.started, func(p *process) bool { return !ended(p.ended) && !p.Idle(revision) })
	}
	w.store, _ = w.open(t)
	w.tape = record(t, w.store, w.mark())
	w.Repository = catalog.NewRepository(w.store, scope())
	w.steps = stepsOf(w.app.url)
	w.gateway = reconciler.GatewayOptions{URL: w.app.url, Timeout: patience}
	return w
}

// stepsOf is the one mode there is, which calls the stub app.
func stepsOf(app string) map[string][]pipeline.Step {
	return map[string][]pipeline.Step{"api": {{
		Method:   "post",
		Endpoint: app + "/sync/{{ .Subscription.Namespace }}",
		Data:     map[string]any{"sync_id": "{{ .Subscription.ExpectedSyncID }}"},
	}}}
}

func scope() catalog.Scope { return catalog.Scope{Platform: "sandbox", Region: "eu-west-1"} }

// start starts the fleet's reconcilers, and waits until all are ready.
func (w *world) start() {
	w.t.Helper()
	for range w.fleet.processes {
		w.startOne()
	}
}

func (w *world) startOne() *process {
	w.t.Helper()
	s, locker := w.open(w.t)
	p, err := pipeline.Parse(w.steps, pipeline.Options{
		AsyncAckTimeout: 20 * time.Millisecond, WaitPollInterval: 5 * time.Millisecond,
	})
	must(w.t, err)
	gateway, err := reconciler.NewHTTPGateway(p, w.gateway)
	must(w.t, err)
	opts := reconciler.Options{
		Store: s, Locker: locker, Scope: scope(), Pipeline: p, Gateway: gateway, DefaultMode: "api",
		Identity: catalog.Reconciler{ID: fmt.Sprintf("r%d", len(w.started))},
		Logger:   slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	w.options(&opts)
	c, err := reconciler.New(opts)
	must(w.t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.t.Context()))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := c.Run(ctx); err != nil {
			w.t.Errorf("Run: %v", err)
		}
		if err := p.Close(context.WithoutCancel(ctx)); err != nil {
			w.t.Errorf("Close: %v", err)
		}
	}()
	proc := &process{Controller: c, signal: cancel, stop: func() { cancel(); <-done }, ended: done}
	w.t.Cleanup(proc.stop)
	w.started = append(w.started, proc)
	w.eventually("the reconciler is ready", func() bool { return proc.ready() })
	return proc
}

// settle waits until every reconciler has seen all that was written and has nothing left to do. What has not happened by
// then will not happen.
func (w *world) settle() {
	w.t.Helper()
	for w.stirred() {
	}
}

// stirred writes two marks, and tells whether anything else was written after the first. A reconciler that has seen the
// second has queued all that came before the first; if it is idle then, it has done all of it.
func (w *world) stirred() bool {
	w.t.Helper()
	var first int64
	for i := range 2 {
		mark := w.mark()
		w.eventually("the reconcilers come to rest", func() bool { return w.resting(mark) })
		if i == 0 {
			first = mark
		}
	}
	return len(w.since(first)) > 0
}

const markKey = "scopes/sandbox/eu-west-1/mark"

// mark makes a revision of its own.
func (w *world) mark() (revision int64) {
	w.t.Helper()
	mark, err := w.store.Txn(w.t.Context(), store.Txn{Then: []store.Op{store.Put(markKey, nil)}})
	must(w.t, err)
	return mark.Revision
}

// since is all that has been written after the revision.
func (w *world) since(revision int64) []store.Event {
	w.t.Helper()
	end := w.mark()
	if w.tape.store != w.store { // the world has moved
		w.tape = record(w.t, w.store, 0)
	}
	all := w.tape.between(w.t, revision, end)
	return slices.DeleteFunc(all, func(e store.Event) bool { return e.Key == markKey })
}

// register creates a registration and subscribes the namespaces to it.
func (w *world) register(api string, namespaces ...string) {
	w.t.Helper()
	_, err := w.CreateRegistration(w.t.Context(), api, catalog.RegistrationChange{})
	must(w.t, err)
	w.subscribe(api, namespaces...)
}

func (w *world) subscribe(api string, namespaces ...string) {
	w.t.Helper()
	for _, ns := range namespaces {
		if _, err := w.CreateNamespace(w.t.Context(), ns); err != nil && !isKind(err, catalog.ErrConflict) {
			w.t.Fatal(err)
		}
		_, err := w.Subscribe(w.t.Context(), ns, api)
		must(w.t, err)
	}
}

func (w *world) sub(ns string) catalog.SubscriptionView {
	w.t.Helper()
	v, err := w.Subscription(w.t.Context(), ns, compute)
	must(w.t, err)
	return v
}

func (w *world) sync(req catalog.SyncRequest) catalog.Registration {
	w.t.Helper()
	reg, err := w.SyncRegistration(w.t.Context(), compute, req, nil)
	must(w.t, err)
	return reg
}

func (w *world) synced(namespaces ...string) {
	w.t.Helper()
	for _, ns := range namespaces {
		w.eventually(ns+" is synced", func() bool { return w.sub(ns).InSync })
	}
}

func (w *world) eventually(what string, probe func() bool) {
	w.t.Helper()
	eventually(w.t, what, probe)
}

func eventually(t *testing.T, what string, probe func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for !probe() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s: not within %s", what, patience)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// syncBuffer is a log that several processes write to.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// cluster is shared by the tests, each with a prefix of its own.
var cluster etcdtest.Shared

func TestMain(m *testing.M) { goleak.VerifyTestMain(perhapsChild{cluster.Around(m)}) }
