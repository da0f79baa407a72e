package watch_test

import (
	"testing"
	"time"

	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
)

const compute = "compute.example.com"

// world has a registration with subscriptions to it, and processes that feed streams.
type world struct {
	*catalog.Repository

	t       testing.TB
	store   store.Store
	session store.Session
}

// onBoth runs a test on each backend.
func onBoth(t *testing.T, test func(*world)) {
	t.Helper()
	for name, open := range map[string]func(testing.TB) store.Store{"local": openLocal, "etcd": openEtcd} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(newWorld(t, open(t)))
		})
	}
}

func newWorld(tb testing.TB, s store.Store) *world {
	tb.Helper()
	return &world{Repository: catalog.NewRepository(s, home()), t: tb, store: s}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func errOf[T any](_ T, err error) error { return err }

// subscribed has a registration, and namespaces that subscribe to it.
func (w *world) subscribed(namespaces ...string) {
	w.t.Helper()
	if errOf(w.Registration(w.t.Context(), compute)) != nil {
		w.must(errOf(w.CreateRegistration(w.t.Context(), compute, catalog.RegistrationChange{})))
	}
	for _, ns := range namespaces {
		w.must(errOf(w.CreateNamespace(w.t.Context(), ns)))
		w.must(errOf(w.Subscribe(w.t.Context(), ns, compute)))
	}
}

func (w *world) start() *process {
	w.t.Helper()
	return start(w.t.Context(), w.t, w.store)
}

// watches opens a stream, and reads on until it is synced.
func (w *world) watches(p *process, t watch.Topic) *client {
	w.t.Helper()
	c, err := p.open(w.t.Context(), t)
	w.must(err)
	c.until(w.t, func() bool { return c.head != "" })
	c.seen = nil
	return c
}

// goes has a client go on at another process.
func (w *world) goes(c *client, to *process) {
	w.t.Helper()
	c.Close()
	w.must(c.move(w.t.Context(), to))
}

func status() watch.Topic { return watch.Topic{Of: watch.Status, API: compute, All: true} }

// lent is a session of a reconciler.
func (w *world) lent() string {
	w.t.Helper()
	if w.session == nil {
		s, err := w.store.(store.JobLocker).NewSession(w.t.Context())
		w.must(err)
		w.session = s
	}
	return w.session.ID()
}

// begin begins a run.
func (w *world) begin(namespace string) *catalog.SubscriptionClaim {
	w.t.Helper()
	reg, err := w.Registration(w.t.Context(), compute)
	w.must(err)
	v, err := w.Subscription(w.t.Context(), namespace, compute)
	w.must(err)
	a := catalog.Attempt{
		Trigger: catalog.Trigger{RegGen: reg.Generation, SubGen: v.Generation}, SyncID: reg.SyncID, Run: "run", N: 1, Begun: 1,
	}
	c, err := w.Begin(w.t.Context(), &reg, &v.Subscription, a, w.lent())
	w.must(err)
	return c
}

// succeed runs subscriptions, with success.
func (w *world) succeed(namespaces ...string) {
	w.t.Helper()
	for _, ns := range namespaces {
		w.must(w.Finish(w.t.Context(), w.begin(ns), catalog.Outcome{Phase: catalog.PhaseSuccess}))
	}
}

// fail ends a run in an error, to be tried again after a while, if that is not 0.
func (w *world) fail(c *catalog.SubscriptionClaim, again time.Duration) {
	w.t.Helper()
	o := catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: "step 1 failed"}
	if again != 0 {
		o.RetryAt = time.Now().UTC().Add(again).Truncate(time.Millisecond)
	}
	w.must(w.Finish(w.t.Context(), c, o))
}

func (w *world) sync() {
	w.t.Helper()
	w.must(errOf(w.SyncRegistration(w.t.Context(), compute, catalog.SyncRequest{}, nil)))
}
