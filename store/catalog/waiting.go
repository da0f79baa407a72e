package catalog

import (
	"context"
	"fmt"
	"strings"

	"kayra/store"
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
		unmet := ""
		if !v.PassesDependencies(reg) {
			unmet, err = known[v.API].unmet(ctx, v.Namespace)
		}
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
	alone  bool                     // it is in another scope, in which no reconciler is alive
	tenant map[string]*Subscription // by namespace, of those that were asked for
	asked  int                      // for how many namespaces
}

// needsOf reads what a registration depends on.
func (r *Repository) needsOf(ctx context.Context, reg *Registration) (*needs, error) {
	n := &needs{repo: r}
	if len(reg.DependsOn) == 0 {
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
		one := need{Dependency: d}
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
		if one.alone, err = r.unattended(ctx, d.Scope()); err != nil {
			return nil, err
		}
		n.of = append(n.of, one)
	}
	return n, nil
}

// unattended tells whether a scope is another one, and no reconciler of it is alive.
func (r *Repository) unattended(ctx context.Context, s Scope) (bool, error) {
	if s == r.scope {
		return false, nil
	}
	l, err := r.store.List(ctx, s.reconcilersPrefix(), store.ListOptions{Limit: 1})
	if err != nil {
		return false, fmt.Errorf("list reconcilers of %s: %w", s, err)
	}
	return len(l.Entries) == 0, nil
}

// unmet says which dependency keeps the namespace's subscription from being tried, and why, or is "".
func (n *needs) unmet(ctx context.Context, namespace string) (string, error) {
	for i := range n.of {
		one := &n.of[i]
		is := one.is(n.repo.scope)
		if is == "" && one.reg != nil && one.Needs() == ConditionSynced {
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

// is tells what a dependency is that it must not be, or is "". One in another scope that the store does not tell of is not
// judged.
func (n *need) is(home Scope) string {
	foreign := n.Scope() != home
	switch {
	case foreign && n.reg == nil:
		return ""
	case n.alone && n.Needs() != ConditionSynced:
		return "no reconciler of its platform and region is running"
	case foreign && n.health.State == "":
		return ""
	}
	return n.Unmet(n.reg != nil, n.health)
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
	const few = 8 // beyond, it is cheaper to read all of them
	prefix := n.Scope().subscriptionsPrefix(n.Name)
	if n.asked == 0 {
		n.tenant = map[string]*Subscription{}
	}
	n.asked++
	if _, known := n.tenant[namespace]; !known && n.asked <= few {
		res, err := r.read(ctx, prefix+namespace)
		if err != nil {
			return "", err
		}
		if err := n.keep(namespace, res.Got[prefix+namespace]); err != nil {
			return "", err
		}
	}
	if n.asked == few+1 {
		l, err := r.store.List(ctx, prefix, store.ListOptions{})
		if err != nil {
			return "", fmt.Errorf("list subscriptions to %q: %w", n.Name, err)
		}
		for _, e := range l.Entries {
			if err := n.keep(e.Key[len(prefix):], e); err != nil {
				return "", err
			}
		}
	}
	return n.tenant[namespace].Behind(n.reg), nil
}

// keep notes a namespace's subscription; that of an entry which was not found is nil.
func (n *need) keep(namespace string, e store.Entry) error {
	if e.ModRevision == 0 {
		n.tenant[namespace] = nil
		return nil
	}
	sub := &Subscription{}
	n.tenant[namespace] = sub
	return Decode(e, sub)
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
