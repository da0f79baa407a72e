package reconciler_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"kayra/reconciler"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd/etcdtest"
	"kayra/store/local"
)

// model carries out decisions by hand, one step at a time, in any order with what clients do.
type model struct {
	*catalog.Repository

	store    store.Store
	scope    catalog.Scope
	session  string
	run      *catalog.SubscriptionClaim // in flight
	fetch    *catalog.SpecClaim         // in flight
	runs     map[string]int             // outcomes by run
	fetches  map[string]int
	triggers int // there have been so many, for the subscription or for the document
}

const tenant = "sre"

// Whatever clients do and however attempts end, a trigger has at most two attempts with an outcome, nothing runs that is
// held or paused, and in the end all is done.
func TestTriggersAreBounded(t *testing.T) {
	t.Parallel()
	if etcdtest.Racing {
		t.Skip("nothing happens at once in it")
	}
	s, err := local.Open(t.Context(), local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	session, err := s.NewSession(t.Context())
	must(t, err)
	worlds := 0
	rapid.Check(t, func(r *rapid.T) {
		worlds++
		m := &model{
			store: s, scope: catalog.Scope{Platform: fmt.Sprint("p", worlds), Region: "r"}, session: session.ID(),
			runs: map[string]int{}, fetches: map[string]int{},
		}
		m.Repository = catalog.NewRepository(s, m.scope)
		m.begin(r)
		r.Repeat(map[string]func(*rapid.T){
			"":          m.check,
			"client":    m.client,
			"start":     m.start,
			"reconcile": func(r *rapid.T) { m.reconcile(r) },
			"run ends":  func(r *rapid.T) { m.endRun(r, endings().Draw(r, "how")) },
			"fetch ends": func(r *rapid.T) {
				m.endFetch(r, endings().Draw(r, "how"))
			},
		})
		m.converge(r)
	})
}

func endings() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"success", "failure", "crash"})
}

func ok(r *rapid.T, err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (m *model) begin(r *rapid.T) {
	_, err := m.CreateRegistration(r.Context(), compute, catalog.RegistrationChange{})
	ok(r, err)
	for _, ns := range []string{tenant, "other"} {
		_, err = m.CreateNamespace(r.Context(), ns)
		ok(r, err)
		_, err = m.Subscribe(r.Context(), ns, compute)
		ok(r, err)
	}
	m.triggers = 1
}

// client is a write by a client, which may be refused.
func (m *model) client(r *rapid.T) {
	ctx := r.Context()
	sync := func(req catalog.SyncRequest) error {
		_, err := m.SyncRegistration(ctx, compute, req, nil)
		return err
	}
	update := func(ch catalog.RegistrationChange) error {
		_, err := m.UpdateRegistration(ctx, compute, ch, nil)
		return err
	}
	var err error
	switch what := rapid.SampledFrom([]string{
		"touch", "resync", "owner", "pause", "go on", "sync", "canary", "canary of another", "release", "abort", "put id",
	}).Draw(r, "what"); what {
	case "touch":
		_, err = m.TouchSubscription(ctx, tenant, compute, nil)
	case "resync":
		_, err = m.Resync(ctx, tenant, compute, nil)
	case "owner":
		err = update(catalog.RegistrationChange{Owner: new("sre-b")})
	case "pause", "go on":
		err = update(catalog.RegistrationChange{Paused: new(what == "pause")})
	case "sync":
		err = sync(catalog.SyncRequest{})
	case "canary":
		err = sync(catalog.SyncRequest{CanaryNamespaces: []string{tenant}})
	case "canary of another":
		err = sync(catalog.SyncRequest{CanaryNamespaces: []string{"other"}})
	case "release":
		err = sync(catalog.SyncRequest{Release: true})
	case "abort":
		err = sync(catalog.SyncRequest{Abort: true})
	case "put id":
		err = update(catalog.RegistrationChange{SyncID: new(rapid.SampledFrom([]string{"v1", "v2"}).Draw(r, "id"))})
	}
	if isKind(err, catalog.ErrConflict) {
		return
	}
	ok(r, err)
	m.triggers++
}

func (m *model) start(r *rapid.T) {
	_, err := m.CountBoot(r.Context())
	ok(r, err)
	m.triggers++
}

// situation reads what there is to know.
func (m *model) situation(ctx context.Context, r *rapid.T) reconciler.Situation {
	s := reconciler.Situation{DefaultMode: "api", Locked: m.run != nil, Fetching: m.fetch != nil, Spec: catalog.Spec{API: compute}}
	var boot catalog.Boot
	l, err := m.store.List(ctx, m.scope.Prefix(), store.ListOptions{})
	ok(r, err)
	for _, e := range l.Entries {
		switch id := m.scope.ParseKey(e.Key); {
		case id.Kind == catalog.KindRegistration:
			err = catalog.Decode(e, &s.Registration)
		case id.Kind == catalog.KindSubscription && id.Namespace == tenant:
			err = catalog.Decode(e, &s.Subscription)
		case id.Kind == catalog.KindSpec:
			err = catalog.Decode(e, &s.Spec)
		case id.Kind == catalog.KindBoot:
			err = catalog.Decode(e, &boot)
		}
		ok(r, err)
	}
	s.Boot, s.Revision = boot.Count, l.Revision
	return s
}

// reconcile does what is decided, and tells whether that was anything.
func (m *model) reconcile(r *rapid.T) bool {
	ctx := r.Context()
	s := m.situation(ctx, r)
	d := reconciler.EnsureReconciled(s)
	switch d.Action {
	case "settle":
		_, err := m.Settle(ctx, &s.Registration, s.Subscription, &s.Spec, d.Attempt, d.Outcome)
		ok(r, err)
		return true
	case "run":
		a := m.named(r, d.Attempt, m.runs)
		var err error
		m.run, err = m.Begin(ctx, &s.Registration, &s.Subscription, a, m.session)
		ok(r, err)
		if s.Registration.Paused || s.Subscription.Held(&s.Registration) {
			r.Fatalf("a run began for one that is held or paused: %+v of %+v", s.Subscription, s.Registration)
		}
		return true
	}
	return m.reconcileSpec(r, s)
}

func (m *model) reconcileSpec(r *rapid.T, s reconciler.Situation) bool {
	d := reconciler.EnsureFetched(s)
	switch d.Action {
	case "settle":
		s.Spec.Covered = s.Revision
		ok(r, m.SettleFetch(r.Context(), &s.Registration, s.Spec, d.Attempt, d.Outcome))
	case "run":
		a := m.named(r, d.Attempt, m.fetches)
		var err error
		m.fetch, err = m.BeginFetch(r.Context(), &s.Registration, &s.Spec, a, m.session)
		ok(r, err)
		if s.Registration.Paused {
			r.Fatal("a fetch began for a registration that is paused")
		}
	default:
		return false
	}
	return true
}

// named gives a new attempt a name, and counts the runs there are.
func (m *model) named(r *rapid.T, a catalog.Attempt, runs map[string]int) catalog.Attempt {
	if a.Begun > 3 || a.N > 2 {
		r.Fatalf("an attempt too many: %+v", a)
	}
	if a.Run == "" {
		a.Run = fmt.Sprint("run-", len(runs))
		runs[a.Run] = 0
	}
	return a
}

// ended is what becomes of an attempt: whether it is retried now, and else its outcome.
func (m *model) ended(r *rapid.T, how string, a catalog.Attempt, retry func(context.Context) error, moved func() bool) (again bool, o catalog.Outcome) {
	o = catalog.Outcome{Phase: catalog.PhaseSuccess}
	if how == "success" {
		return false, o
	}
	o = catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: "failed"}
	if a.N > 1 {
		return false, o
	}
	err := retry(r.Context())
	switch {
	case err == nil:
		return true, o
	case !errors.Is(err, catalog.ErrDropped):
		r.Fatal(err)
	case !moved():
		o.Phase = catalog.PhaseFailed
	}
	return false, o
}

func (m *model) endRun(r *rapid.T, how string) {
	if m.run == nil {
		return
	}
	claim := m.run
	if how == "crash" {
		m.run = nil
		ok(r, claim.Abandon(r.Context()))
		return
	}
	m.runs[claim.Attempt().Run]++
	again, o := m.ended(r, how, claim.Attempt(), claim.Retry, claim.Moved)
	if !again {
		m.run = nil
		ok(r, m.Finish(r.Context(), claim, o))
	}
}

func (m *model) endFetch(r *rapid.T, how string) {
	if m.fetch == nil {
		return
	}
	claim := m.fetch
	if how == "crash" {
		m.fetch = nil
		ok(r, claim.Abandon(r.Context()))
		return
	}
	m.fetches[claim.Attempt().Run]++
	again, o := m.ended(r, how, claim.Attempt(), claim.Retry, claim.Moved)
	switch {
	case again:
		return
	case o.Phase == catalog.PhaseSuccess:
		ok(r, m.FinishFetch(r.Context(), claim, []byte("{}"), nil))
		m.triggers++ // for those it failed
	default:
		ok(r, m.FailFetch(r.Context(), claim, o))
	}
	m.fetch = nil
}

// check is what holds at all times.
func (m *model) check(r *rapid.T) {
	for _, runs := range []map[string]int{m.runs, m.fetches} {
		if len(runs) > m.triggers {
			r.Fatalf("%d runs for %d triggers", len(runs), m.triggers)
		}
		for name, outcomes := range runs {
			if outcomes > 2 {
				r.Fatalf("%s had %d outcomes", name, outcomes)
			}
		}
	}
}

// converge lets all that is due be done, badly and then well.
func (m *model) converge(r *rapid.T) {
	_, err := m.UpdateRegistration(r.Context(), compute, catalog.RegistrationChange{Paused: new(false)}, nil)
	ok(r, err)
	m.finish(r, "failure")
	s := m.situation(r.Context(), r)
	sub, reg := &s.Subscription, &s.Registration
	if !sub.Settled(reg) && !sub.Held(reg) && sub.State != catalog.StateError {
		r.Fatalf("a subscription that fails is left %s: %+v", sub.State, sub)
	}
	_, err = m.SyncRegistration(r.Context(), compute, catalog.SyncRequest{}, nil)
	ok(r, err)
	m.finish(r, "success")
	s = m.situation(r.Context(), r)
	if sub, reg := &s.Subscription, &s.Registration; !sub.Settled(reg) || sub.State != catalog.StateSuccess {
		r.Fatalf("a subscription that succeeds is left %+v at %s", sub, reg.SyncID)
	}
}

// finish does all there is to do, each attempt ending in that way.
func (m *model) finish(r *rapid.T, how string) {
	const most = 20
	for range most {
		m.endRun(r, how)
		m.endFetch(r, how)
		if !m.reconcile(r) && m.run == nil && m.fetch == nil {
			return
		}
	}
	r.Fatalf("there is still something to do after %d steps", most)
}
