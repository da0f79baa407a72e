package watch_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
)

// history is a store that anything happens to, with clients that watch.
type history struct {
	*catalog.Repository

	tb      testing.TB
	r       *rapid.T
	store   store.Store
	far     *catalog.Repository // another scope in the same store
	session store.Session       // of reconcilers; nil: none is alive
	lease   catalog.Office
	claims  []*catalog.SubscriptionClaim

	processes []*process
	clients   []*client
}

func apis() []string { return []string{"a.example.com", "b.example.com", "c.example.com"} }

func namespaces() []string { return []string{"x", "y", "z"} }

func one[T any](h *history, of ...T) T { return rapid.SampledFrom(of).Draw(h.r, "one") }

func (h *history) api() string { return one(h, apis()...) }

func (h *history) namespace() string { return one(h, namespaces()...) }

func (h *history) yes() bool { return one(h, true, false) }

// lent is the session of the reconcilers.
func (h *history) lent(ctx context.Context) string {
	if h.session == nil {
		s, err := h.store.(store.JobLocker).NewSession(ctx)
		if err != nil {
			h.r.Fatal(err)
		}
		h.session = s
	}
	return h.session.ID()
}

// TestStreamsAreWhatListsAre has anything happen in any order, while clients watch, go, and come back to another process. In
// the end each has what the list has, to the letter.
func TestStreamsAreWhatListsAre(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(testing.TB) store.Store{"local": openLocal, "etcd": openEtcd} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				tb := inside{t, r}
				newHistory(tb, r, open(tb)).run()
			})
		})
	}
}

// inside is one check of a test.
type inside struct {
	testing.TB

	r *rapid.T
}

func (i inside) Cleanup(do func())         { i.r.Cleanup(do) }
func (i inside) Context() context.Context  { return i.r.Context() }
func (i inside) Fatal(args ...any)         { i.r.Fatal(args...) }
func (i inside) Fatalf(s string, a ...any) { i.r.Fatalf(s, a...) }
func (i inside) Errorf(s string, a ...any) { i.r.Errorf(s, a...) }

func newHistory(tb testing.TB, r *rapid.T, s store.Store) *history {
	tb.Helper()
	h := &history{
		Repository: catalog.NewRepository(s, home()), tb: tb, r: r, store: s,
		far: catalog.NewRepository(s, catalog.Scope{Platform: "prod", Region: "us-east-1"}),
	}
	for range 2 {
		h.processes = append(h.processes, start(tb.Context(), tb, s))
	}
	return h
}

func (h *history) run() {
	ctx := h.tb.Context()
	for _, name := range apis()[:2] {
		_, _ = h.CreateRegistration(ctx, name, catalog.RegistrationChange{})
	}
	for _, name := range namespaces() {
		_, _ = h.CreateNamespace(ctx, name)
	}
	steps := map[string]func(context.Context) error{
		"register": h.register, "change": h.change, "subscribe": h.subscribe, "unsubscribe": h.unsubscribe,
		"namespace": h.changeNamespace, "sync": h.sync, "begin": h.begin, "begin more": h.begin, "finish": h.finish,
		"finish more": h.finish, "reconciler": h.reconciler, "health": h.health, "abroad": h.abroad, "access": h.access,
		"watch": h.watch, "watch more": h.watch, "read": h.read, "leave": h.leave, "restart": h.restart,
	}
	actions := map[string]func(*rapid.T){}
	for name, step := range steps {
		actions[name] = func(r *rapid.T) {
			h.r = r
			if err := step(ctx); err != nil && !refused(err) {
				r.Fatalf("%s: %v", name, err)
			}
		}
	}
	h.r.Repeat(actions)
	for _, c := range h.clients {
		h.settle(ctx, c)
	}
	if h.session != nil {
		_ = h.session.Close(ctx)
	}
}

// refused tells an answer that changes nothing.
func refused(err error) bool {
	var refusal *catalog.Error
	lockHeld := errors.Is(err, store.ErrUnavailable) // by this process itself, for another claim
	return errors.As(err, &refusal) || errors.Is(err, catalog.ErrStale) || errors.Is(err, catalog.ErrLost) || lockHeld
}

// settle has a client come to what its list has.
func (h *history) settle(ctx context.Context, c *client) {
	deadline := time.After(patience)
	for {
		want, head, listErr := listed(ctx, h.Repository, c.topic)
		more, err := c.read()
		switch {
		case errors.Is(err, watch.ErrOver):
			if _, _, gone := listed(ctx, h.Repository, c.topic); c.topic.Of != watch.Status && c.topic.Of != watch.NamespaceSubscriptions {
				h.r.Fatalf("%+v: a list has ended (%v)", c.topic, gone)
			}
			return
		case err != nil:
			h.r.Fatalf("%+v: %v", c.topic, err)
		case listErr == nil && c.head == head && maps.Equal(want, c.rows):
			return
		}
		tick := time.NewTimer(20 * time.Millisecond)
		select {
		case <-more:
		case <-tick.C:
		case <-deadline:
			h.r.Fatalf("%+v: has %s%s\n\nand the list %s%s (%v)\n\n%v", c.topic, c.head, slicesOf(c.rows), head, slicesOf(want), listErr, c.seen)
		}
		tick.Stop()
	}
}

func (h *history) dependencies() *[]catalog.Dependency {
	var deps []catalog.Dependency
	for range one(h, 0, 0, 1, 2) {
		d := catalog.Dependency{Ref: catalog.Ref{Name: h.api()}, Condition: one(h, catalog.Conditions()...)}
		if one(h, 0, 1, 2) == 0 {
			d.Platform, d.Region, d.Name = "prod", "us-east-1", "far.example.com"
		}
		deps = append(deps, d)
	}
	return &deps
}

func (h *history) register(ctx context.Context) error {
	if name := h.api(); h.yes() {
		_, err := h.CreateRegistration(ctx, name, catalog.RegistrationChange{DependsOn: h.dependencies()})
		return err
	}
	name := h.api()
	if h.yes() {
		for _, ns := range namespaces() {
			_ = h.Unsubscribe(ctx, ns, name, nil)
		}
	}
	return h.DeleteRegistration(ctx, name, nil)
}

func (h *history) change(ctx context.Context) error {
	owner, paused := one(h, "me", "<you>"), one(h, true, false, false)
	ch := catalog.RegistrationChange{Owner: &owner, Paused: &paused}
	if h.yes() {
		ch.DependsOn = h.dependencies()
	}
	_, err := h.UpdateRegistration(ctx, h.api(), ch, nil)
	return err
}

func (h *history) subscribe(ctx context.Context) error {
	_, err := h.Subscribe(ctx, h.namespace(), h.api())
	return err
}

func (h *history) unsubscribe(ctx context.Context) error {
	switch ns, name := h.namespace(), h.api(); one(h, 0, 1, 2) {
	case 0:
		return h.Unsubscribe(ctx, ns, name, nil)
	case 1:
		_, err := h.TouchSubscription(ctx, ns, name, nil)
		return err
	default:
		_, err := h.Resync(ctx, ns, name, nil)
		return err
	}
}

func (h *history) changeNamespace(ctx context.Context) error {
	name := h.namespace()
	switch one(h, 0, 1, 2) {
	case 0:
		_, err := h.CreateNamespace(ctx, name)
		return err
	case 1:
		if h.yes() {
			for _, api := range apis() {
				_ = h.Unsubscribe(ctx, name, api, nil)
			}
		}
		return h.DeleteNamespace(ctx, name, nil)
	}
	ns, err := h.Namespace(ctx, name)
	if err != nil {
		return err
	}
	return h.ActivateNamespace(ctx, ns)
}

func (h *history) sync(ctx context.Context) error {
	requests := []catalog.SyncRequest{{}, {Abort: true}, {Release: true}, {CanaryNamespaces: []string{h.namespace()}}}
	_, err := h.SyncRegistration(ctx, h.api(), one(h, requests...), nil)
	return err
}

func (h *history) begin(ctx context.Context) error {
	reg, err := h.Registration(ctx, h.api())
	if err != nil {
		return err
	}
	v, err := h.Subscription(ctx, h.namespace(), reg.Name)
	if err != nil {
		return err
	}
	a := catalog.Attempt{Trigger: catalog.Trigger{RegGen: reg.Generation, SubGen: v.Generation}, SyncID: reg.SyncID, Run: "run", N: 1, Begun: 1}
	c, err := h.Begin(ctx, &reg, &v.Subscription, a, h.lent(ctx))
	if err == nil {
		h.claims = append(h.claims, c)
	}
	return err
}

func (h *history) finish(ctx context.Context) error {
	if len(h.claims) == 0 {
		return nil
	}
	c := h.claims[0]
	if h.yes() {
		return c.Note(ctx, catalog.Step{Index: 1, Total: 2, Name: "s", Since: time.Now().UTC().Truncate(time.Second)}, h.lent(ctx))
	}
	h.claims = h.claims[1:]
	o := catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: one(h, "step 1 failed", "<no>")}
	switch one(h, 0, 1, 2, 3) {
	case 0:
		o.RetryAt = time.Now().UTC().Add(30 * time.Millisecond).Truncate(time.Millisecond)
	case 1:
		o.Phase = catalog.PhaseFailed
	case 2:
		o = catalog.Outcome{Phase: catalog.PhaseSuccess}
	}
	return h.Finish(ctx, c, o)
}

func (h *history) reconciler(ctx context.Context) error {
	if one(h, 0, 1, 2, 3) == 0 && h.session != nil {
		s := h.session
		h.session, h.claims, h.lease = nil, nil, catalog.Office{}
		return s.Close(ctx)
	}
	p := catalog.Reconciler{ID: one(h, "r1", "r2")}
	if h.yes() {
		p.Queues = map[string]catalog.QueueLength{h.api(): {Waiting: one(h, 1, 2, 3), Running: one(h, 1, 2)}}
	}
	if err := h.Announce(ctx, p, h.lent(ctx)); err != nil {
		return err
	}
	var err error
	h.lease, err = h.Campaign(ctx, p.ID, h.lent(ctx))
	return err
}

func (h *history) health(ctx context.Context) error {
	return publish(ctx, h, h.Repository, h.lease, h.api())
}

func publish(ctx context.Context, h *history, r *catalog.Repository, lease catalog.Office, name string) error {
	old, err := r.Health(ctx, name)
	if err != nil {
		return err
	}
	_, absent := r.Registration(ctx, name)
	next := old
	next.State, next.Reason = one(h, catalog.HealthStates()...), one(h, "", "it fails")
	return r.PublishHealth(ctx, lease, &old, &next, absent == nil)
}

func (h *history) abroad(ctx context.Context) error {
	const name = "far.example.com"
	switch one(h, 0, 1, 2, 3) {
	case 0:
		_, err := h.far.CreateRegistration(ctx, name, catalog.RegistrationChange{})
		return err
	case 1:
		ns := h.namespace()
		if _, err := h.far.CreateNamespace(ctx, ns); err != nil {
			return err
		}
		_, err := h.far.Subscribe(ctx, ns, name)
		return err
	case 2:
		return h.far.Announce(ctx, catalog.Reconciler{ID: "far"}, h.lent(ctx))
	}
	lease, err := h.far.Campaign(ctx, "far", h.lent(ctx))
	if err != nil || !lease.Held() {
		return err
	}
	return publish(ctx, h, h.far, lease, name)
}

func (h *history) access(ctx context.Context) error {
	switch one(h, 0, 1, 2, 3) {
	case 0:
		_, err := h.CreateRole(ctx, "r", catalog.RoleChange{})
		return err
	case 1:
		rules := []catalog.Rule{{APIs: []string{"*"}, Resources: []string{one(h, "a", "b")}, Verbs: []string{"get"}}}
		_, err := h.UpdateRole(ctx, "r", catalog.RoleChange{Rules: &rules}, nil)
		return err
	case 2:
		role, ns := "r", h.namespace()
		_, err := h.CreateRoleBinding(ctx, "b", catalog.RoleBindingChange{Role: &role, Namespace: &ns})
		return err
	}
	return h.DeleteRoleBinding(ctx, "b", nil)
}

func (h *history) topic() watch.Topic {
	t := watch.Topic{Of: one(h, append(watch.Resources(), watch.Status, watch.Subscriptions, watch.Subscriptions)...)}
	switch t.Of { //nolint:exhaustive // the others are one list each
	case watch.NamespaceSubscriptions:
		t.Namespace = h.namespace()
	case watch.Status:
		t.API, t.All = h.api(), h.yes()
	case watch.Subscriptions:
		t.API = one(h, "", h.api())
		t.State = one(h, "", "", catalog.StateError, catalog.StateSuccess)
		t.Synced = one(h, "", "", watch.OnlySynced, watch.OnlyUnsynced)
	}
	return t
}

func (h *history) watch(ctx context.Context) error {
	c, err := one(h, h.processes...).open(ctx, h.topic())
	if errors.Is(err, watch.ErrOver) {
		return nil
	}
	if err == nil {
		h.clients = append(h.clients, c)
	}
	return err
}

// read has a client read what there is, or a part of it.
func (h *history) read(context.Context) error {
	if len(h.clients) == 0 {
		return nil
	}
	c := one(h, h.clients...)
	if _, err := c.read(); err != nil && !errors.Is(err, watch.ErrOver) {
		return fmt.Errorf("%+v: %w (%v)", c.topic, err, c.seen)
	}
	return nil
}

// leave has a client go, having read what there was or not, and come back to any process.
func (h *history) leave(ctx context.Context) error {
	if len(h.clients) == 0 {
		return nil
	}
	c := one(h, h.clients...)
	c.Close()
	err := c.move(ctx, one(h, h.processes...))
	if errors.Is(err, watch.ErrOver) { // a client would be answered 404
		for i := range h.clients {
			if h.clients[i] == c {
				h.clients = append(h.clients[:i], h.clients[i+1:]...)
				break
			}
		}
		return nil
	}
	return err
}

// restart replaces a process by a new one. Its clients come back to that.
func (h *history) restart(ctx context.Context) error {
	i := one(h, 0, 1)
	h.processes[i].stop()
	h.processes[i] = start(ctx, h.tb, h.store)
	var stay []*client
	for _, c := range h.clients {
		c.Close()
		if err := c.move(ctx, h.processes[i]); err == nil {
			stay = append(stay, c)
		} else if !errors.Is(err, watch.ErrOver) {
			return err
		}
	}
	h.clients = stay
	return nil
}
