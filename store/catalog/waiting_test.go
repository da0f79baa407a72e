package catalog_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kayra/store/catalog"
)

// publishes has the konductor say how a registration is.
func (w *world) publishes(api string, state catalog.HealthState, reason string) {
	w.t.Helper()
	old, err := w.Health(w.ctx(), api)
	w.must(err)
	s := w.session()
	lease, err := w.Campaign(w.ctx(), "r1", s.ID())
	w.must(err)
	next := old
	next.State, next.Reason, next.Since = state, reason, time.Now().UTC()
	_, err = w.Registration(w.ctx(), api)
	w.must(w.PublishHealth(w.ctx(), lease, &old, &next, err == nil))
	w.must(s.Close(w.ctx()))
}

// explained has each way to read the subscription tell the same of it.
func (w *world) explained(reason catalog.Reason, says ...string) {
	w.t.Helper()
	const ns, api = "sre", compute
	one, err := w.Subscription(w.ctx(), ns, api)
	w.must(err)
	status, err := w.Status(w.ctx(), api, true)
	w.must(err)
	all, err := w.Subscriptions(w.ctx(), catalog.Filter{API: api}, catalog.PageRequest{})
	w.must(err)
	of, err := w.NamespaceSubscriptions(w.ctx(), ns, catalog.PageRequest{})
	w.must(err)
	views := []catalog.SubscriptionView{one}
	for _, list := range [][]catalog.SubscriptionView{status.Subscriptions, all.Items, of.Items} {
		for _, v := range list {
			if v.API == api && v.Namespace == ns {
				views = append(views, v)
			}
		}
	}
	if len(views) != 4 {
		w.t.Fatalf("%d of 4 ways lead to it", len(views))
	}
	for i, v := range views {
		if v.Reason != reason {
			w.t.Errorf("way %d: reason %s, not %s (%s)", i, v.Reason, reason, v.Message)
		}
		for _, text := range says {
			if !strings.Contains(v.Message, text) {
				w.t.Errorf("way %d: %q is not said: %s", i, text, v.Message)
			}
		}
	}
}

// A subscription tells which dependency it waits for, and what that one is that it must not be.
func TestWaitingForADependency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		const app = "app.example.com"
		needs := func(c catalog.Condition) {
			deps := []catalog.Dependency{{Ref: catalog.Ref{Name: app}, Condition: c}}
			_, err := w.UpdateRegistration(w.ctx(), compute, catalog.RegistrationChange{DependsOn: &deps}, nil)
			w.must(err)
		}
		w.register(app)
		w.register(compute)
		w.tenant("sre", compute)
		w.explained(catalog.ReasonInit, "no reconciler is running")
		needs(catalog.ConditionStarted)
		w.explained(catalog.ReasonWaitingDependency, app, "to be started", "have not been started")
		w.publishes(app, catalog.HealthPending, "")
		w.explained(catalog.ReasonInit)
		needs(catalog.ConditionHealthy)
		w.explained(catalog.ReasonWaitingDependency, app, "to be healthy", "it is pending")
		w.publishes(app, catalog.HealthDegraded, "5 attempts failed")
		w.explained(catalog.ReasonWaitingDependency, "it is degraded, since 5 attempts failed")
		w.publishes(app, catalog.HealthHealthy, "")
		w.explained(catalog.ReasonInit)
		needs(catalog.ConditionSynced)
		w.explained(catalog.ReasonInit)
		_, err := w.Subscribe(w.ctx(), "sre", app)
		w.must(err)
		w.explained(catalog.ReasonWaitingDependency, "to be synced", "this namespace's subscription to it is at")
	})
}

// Only who holds the konductor's lease may do what it may, and who has lost it may not.
func TestOffice(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		reg := w.register(compute)
		s := w.session()
		lease, err := w.Campaign(w.ctx(), "r1", s.ID())
		w.must(err)
		again, err := w.Campaign(w.ctx(), "r1", s.ID())
		if err != nil || again != lease {
			w.t.Errorf("the same once more: %v, %v", again, err)
		}
		health := &catalog.Health{API: compute, State: catalog.HealthHealthy}
		w.must(w.PublishHealth(w.ctx(), lease, &catalog.Health{API: compute}, health, true))
		w.must(s.Close(w.ctx()))
		worse := &catalog.Health{API: compute, State: catalog.HealthDegraded}
		for what, err := range map[string]error{
			"publish":   w.PublishHealth(w.ctx(), lease, health, worse, true),
			"roll back": errOf(w.RollBack(w.ctx(), lease, reg, "v1")),
		} {
			if !strings.Contains(err.Error(), catalog.ErrStale.Error()) {
				w.t.Errorf("%s without the lease: %v", what, err)
			}
		}
		if got, err := w.Health(w.ctx(), compute); err != nil || got.State != catalog.HealthHealthy {
			w.t.Errorf("published: %+v, %v", got, err)
		}
	})
}

// However many rows wait for a dependency, each is told what its own namespace waits for.
func TestManyWaitForADependency(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		const app, many = "app.example.com", 30
		w.register(app)
		deps := []catalog.Dependency{{Ref: catalog.Ref{Name: app}, Condition: catalog.ConditionSynced}}
		_, err := w.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{DependsOn: &deps})
		w.must(err)
		for i := range many {
			ns := fmt.Sprintf("t%02d", i)
			if w.tenant(ns, compute); i%2 == 0 {
				_, err := w.Subscribe(w.ctx(), ns, app)
				w.must(err)
			}
		}
		status, err := w.Status(w.ctx(), compute, true)
		w.must(err)
		for i, v := range status.Subscriptions {
			want := catalog.ReasonInit
			if i%2 == 0 {
				want = catalog.ReasonWaitingDependency
			}
			if v.Reason != want {
				w.t.Errorf("%s: %s, not %s (%s)", v.Namespace, v.Reason, want, v.Message)
			}
		}
	})
}

// A dependency in another scope is told of as it is judged: by its reconcilers and by what was published of it, and not at
// all where the store tells nothing.
func TestWaitingForAnotherScope(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		const app = "app.example.com"
		far := w.elsewhere("prod", "us-east-1")
		far.register(app)
		deps := []catalog.Dependency{{Ref: catalog.Ref{Platform: "prod", Region: "us-east-1", Name: app}, Condition: catalog.ConditionHealthy}}
		_, err := w.CreateRegistration(w.ctx(), compute, catalog.RegistrationChange{DependsOn: &deps})
		w.must(err)
		w.tenant("sre", compute)
		w.explained(catalog.ReasonWaitingDependency, "prod/us-east-1/"+app, "no reconciler of its platform and region is running")
		s := far.session()
		w.must(far.Announce(w.ctx(), catalog.Reconciler{ID: "far"}, s.ID()))
		w.explained(catalog.ReasonInit)
		lease, err := far.Campaign(w.ctx(), "far", s.ID())
		w.must(err)
		w.must(far.PublishHealth(w.ctx(), lease, &catalog.Health{API: app}, &catalog.Health{API: app, State: catalog.HealthDegraded, Reason: "it fails"}, true))
		w.explained(catalog.ReasonWaitingDependency, "it is degraded, since it fails")
	})
}
