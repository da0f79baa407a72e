package catalog

import (
	"context"
	"fmt"

	"kayra/store"
)

// explainWaiting tells of those of the views that may be tried what they wait for. Nothing is read when there are none.
func (r *Repository) explainWaiting(ctx context.Context, views []SubscriptionView, regs map[string]*Registration) error {
	var alive []Reconciler
	known := map[string]*Surroundings{}
	for i := range views {
		v := &views[i]
		reg := regs[v.API]
		if !v.may() || reg == nil {
			continue
		}
		var err error
		if len(known) == 0 {
			if alive, err = r.Reconcilers(ctx); err != nil {
				return err
			}
		}
		if known[v.API] == nil {
			known[v.API] = &Surroundings{Home: r.scope, Reconcilers: alive, Tenants: &tenants{repo: r, of: map[Ref]*asked{}}}
			if known[v.API].Needs, err = r.Needs(ctx, reg.DependsOn); err != nil {
				return err
			}
		}
		if err := known[v.API].Explain(ctx, v, reg); err != nil {
			return err
		}
	}
	return nil
}

// Needs reads what is known of dependencies.
func (r *Repository) Needs(ctx context.Context, deps []Dependency) ([]Needed, error) {
	if len(deps) == 0 {
		return nil, nil
	}
	keys := make([]string, 0, 2*len(deps)) //nolint:mnd // the two of each
	for _, d := range deps {
		keys = append(keys, d.registrationKey(), d.Scope().healthKey(d.Name))
	}
	res, err := r.read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	needs := make([]Needed, 0, len(deps))
	for _, d := range deps {
		one := Needed{Dependency: d}
		var there Registration
		ok, err := find(res, d.registrationKey(), &there)
		if err != nil {
			return nil, err
		}
		if ok {
			one.Registration = &there
		}
		if _, err := find(res, d.Scope().healthKey(d.Name), &one.Health); err != nil {
			return nil, err
		}
		if one.Alone, err = r.unattended(ctx, d.Scope()); err != nil {
			return nil, err
		}
		needs = append(needs, one)
	}
	return needs, nil
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

// tenants reads the subscriptions that are asked for.
type tenants struct {
	repo *Repository
	of   map[Ref]*asked
}

// asked is what was read of the subscriptions to one registration.
type asked struct {
	by    map[string]*Subscription // by namespace; nil: there is none
	times int
}

// Tenant implements [Tenants].
func (t *tenants) Tenant(ctx context.Context, to Ref, namespace string) (*Subscription, error) {
	const few = 8 // beyond, it is cheaper to read all of them
	a := t.of[to]
	if a == nil {
		a = &asked{by: map[string]*Subscription{}}
		t.of[to] = a
	}
	a.times++
	prefix := to.Scope().subscriptionsPrefix(to.Name)
	if _, known := a.by[namespace]; !known && a.times <= few {
		res, err := t.repo.read(ctx, prefix+namespace)
		if err != nil {
			return nil, err
		}
		if err := a.keep(namespace, res.Got[prefix+namespace]); err != nil {
			return nil, err
		}
	}
	if a.times == few+1 {
		var err error
		if a.by, err = t.repo.TenantsOf(ctx, to); err != nil {
			return nil, err
		}
	}
	return a.by[namespace], nil
}

// keep notes a namespace's subscription; that of an entry which was not found is nil.
func (a *asked) keep(namespace string, e store.Entry) error {
	if e.ModRevision == 0 {
		a.by[namespace] = nil
		return nil
	}
	sub := &Subscription{}
	a.by[namespace] = sub
	return Decode(e, sub)
}

// TenantsOf reads the subscriptions to a registration of any scope, by namespace.
func (r *Repository) TenantsOf(ctx context.Context, to Ref) (map[string]*Subscription, error) {
	prefix := to.Scope().subscriptionsPrefix(to.Name)
	l, err := r.store.List(ctx, prefix, store.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list subscriptions to %q: %w", to.Name, err)
	}
	all := make(map[string]*Subscription, len(l.Entries))
	for _, e := range l.Entries {
		sub := &Subscription{}
		if err := Decode(e, sub); err != nil {
			return nil, err
		}
		all[e.Key[len(prefix):]] = sub
	}
	return all, nil
}
