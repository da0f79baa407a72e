package catalog

import (
	"context"
	"fmt"
	"strings"
)

// explainWaiting tells of those of the views that may be tried what they wait for: a dependency, a slot, or a reconciler.
// Nothing is read when there are none.
func (r *Repository) explainWaiting(ctx context.Context, views []SubscriptionView, regs map[string]*Registration) error {
	var crew *crew
	known := map[string]*needs{}
	for i := range views {
		v := &views[i]
		reg := regs[v.API]
		if !v.may() || reg == nil {
			continue
		}
		var err error
		if crew == nil {
			if crew, err = r.crew(ctx); err != nil {
				return err
			}
		}
		if known[v.API] == nil {
			if known[v.API], err = r.needsOf(ctx, reg); err != nil {
				return err
			}
		}
		unmet, err := known[v.API].unmet(ctx, v.Namespace)
		switch {
		case err != nil:
			return err
		case unmet != "":
			v.Reason, v.Message = ReasonWaitingDependency, unmet
		default:
			v.Reason, v.Message = crew.explain(v)
		}
	}
	return nil
}

// crew is the reconcilers that are alive.
type crew struct{ all []Reconciler }

func (r *Repository) crew(ctx context.Context) (*crew, error) {
	all, err := r.Reconcilers(ctx)
	return &crew{all}, err
}

// explain tells what one that may be tried waits for.
func (c *crew) explain(v *SubscriptionView) (Reason, string) {
	if len(c.all) == 0 {
		return v.Reason, v.Message + "; no reconciler is running: start one"
	}
	var sum QueueLength
	for _, one := range c.all {
		sum.Waiting += one.Queues[v.API].Waiting
		sum.Running += one.Queues[v.API].Running
	}
	if sum.Waiting == 0 {
		return v.Reason, v.Message
	}
	return ReasonQueued, fmt.Sprintf("waiting for a slot: %d jobs of this API wait for one, and %d run, in all reconcilers (%d)",
		sum.Waiting, sum.Running, len(c.all))
}

// needs is what is known of what a registration depends on.
type needs struct {
	repo *Repository
	of   []need
}

type need struct {
	Dependency

	reg    *Registration // nil: it is not registered
	health Health
	tenant map[string]*Subscription // by namespace, of those that were asked for
}

// needsOf reads what a registration depends on. An abort and a rollback pass all of it.
func (r *Repository) needsOf(ctx context.Context, reg *Registration) (*needs, error) {
	n := &needs{repo: r}
	if reg.Reverting || len(reg.DependsOn) == 0 {
		return n, nil
	}
	keys := make([]string, 0, 2*len(reg.DependsOn)) //nolint:mnd // the two of each
	for _, d := range reg.DependsOn {
		keys = append(keys, d.registrationKey(), d.Scope().healthKey(d.Name))
	}
	res, err := r.read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	for _, d := range reg.DependsOn {
		one := need{Dependency: d, tenant: map[string]*Subscription{}}
		var there Registration
		ok, err := find(res, d.registrationKey(), &there)
		if err != nil {
			return nil, err
		}
		if ok {
			one.reg = &there
		}
		if _, err := find(res, d.Scope().healthKey(d.Name), &one.health); err != nil {
			return nil, err
		}
		n.of = append(n.of, one)
	}
	return n, nil
}

// unmet says which dependency keeps the namespace's subscription from being tried, and why, or is "".
func (n *needs) unmet(ctx context.Context, namespace string) (string, error) {
	for i := range n.of {
		one := &n.of[i]
		if one.reg == nil && one.Scope() != n.repo.scope {
			continue // nothing here can judge it
		}
		is := one.Unmet(one.reg != nil, one.health)
		if is == "" && one.Needs() == ConditionSynced {
			var err error
			if is, err = n.repo.behind(ctx, one, namespace); err != nil {
				return "", err
			}
		}
		if is != "" {
			return one.Waits(n.repo.scope, is), nil
		}
	}
	return "", nil
}

// Unmet tells what a dependency is that it must not be, or is "". Of one that must be synced, that is told by
// [Subscription.Behind].
func (d Dependency) Unmet(registered bool, is Health) string {
	switch {
	case !registered:
		return "it is not registered"
	case d.Needs() == ConditionSynced:
		return ""
	case is.State == "" || is.State == HealthNotStarted || is.State == HealthMissing:
		return "its workers have not been started"
	case d.Needs() == ConditionHealthy && is.State != HealthHealthy:
		return strings.TrimSuffix(fmt.Sprintf("it is %s, since %s", is.State, is.Reason), ", since ")
	}
	return ""
}

// Waits says, within a scope, that a dependency is waited for, and why.
func (d Dependency) Waits(s Scope, why string) string {
	return fmt.Sprintf("waits for %s to be %s: %s", d.NameIn(s), d.Needs(), why)
}

// behind tells how the namespace's subscription to a dependency stands, or is "" when it is where it should be.
func (r *Repository) behind(ctx context.Context, n *need, namespace string) (string, error) {
	if _, asked := n.tenant[namespace]; !asked {
		key := n.Scope().subscriptionKey(n.Name, namespace)
		e, err := r.store.Get(ctx, key)
		if err != nil && !isNotFound(err) {
			return "", fmt.Errorf("read subscription: %w", err)
		}
		n.tenant[namespace] = nil
		if err == nil {
			sub := &Subscription{}
			if err := Decode(e, sub); err != nil {
				return "", err
			}
			n.tenant[namespace] = sub
		}
	}
	sub := n.tenant[namespace]
	return sub.Behind(n.reg), nil
}

// Behind tells how a subscription to a dependency, or nil where there is none, stands, or is "" when it is where it should
// be.
func (s *Subscription) Behind(reg *Registration) string {
	if s == nil || s.UpToDate(reg) {
		return ""
	}
	return fmt.Sprintf("this namespace's subscription to it is at sync_id %q, not at %q (its state is %s)",
		s.CurrentSyncID, reg.SyncID, s.State)
}
