package catalog

import (
	"context"
	"fmt"
	"slices"

	"kayra/store"
)

// Filter narrows a list of subscriptions. What is nil or empty takes all.
type Filter struct {
	API    string
	State  State
	Synced *bool
}

// Takes tells whether the filter lets a view through.
func (f Filter) Takes(v *SubscriptionView) bool {
	return (f.API == "" || v.API == f.API) && (f.State == "" || v.State == f.State) && (f.Synced == nil || v.InSync == *f.Synced)
}

// Status is a registration with its subscriptions.
type Status struct {
	Registration  Registration
	Subscriptions []SubscriptionView // by namespace
}

// Status reads a registration and its active subscriptions, or all of them.
func (r *Repository) Status(ctx context.Context, api string, all bool) (Status, error) {
	reg, err := r.Registration(ctx, api)
	if err != nil {
		return Status{}, err
	}
	locks, err := r.locks(ctx, r.scope.subscriptionLocksPrefix(api))
	if err != nil {
		return Status{}, err
	}
	page, err := list[Subscription](ctx, r, r.scope.subscriptionsPrefix(api), PageRequest{})
	if err != nil {
		return Status{}, err
	}
	out := Status{Registration: reg, Subscriptions: make([]SubscriptionView, 0, len(page.Items))}
	for _, sub := range page.Items {
		if all || sub.Active {
			lock := locks[r.scope.subscriptionLockKey(api, sub.Namespace)]
			out.Subscriptions = append(out.Subscriptions, NewView(sub, &reg, lock))
		}
	}
	return out, r.explainWaiting(ctx, out.Subscriptions, map[string]*Registration{api: &reg})
}

func (r *Repository) locks(ctx context.Context, prefix string) (map[string]*Lock, error) {
	l, err := r.store.List(ctx, prefix, store.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list locks: %w", err)
	}
	held := make(map[string]*Lock, len(l.Entries))
	for _, e := range l.Entries {
		lock := &Lock{}
		if err := Decode(e, lock); err != nil {
			return nil, err
		}
		held[e.Key] = lock
	}
	return held, nil
}

// Subscriptions lists the subscriptions of all namespaces by API, and by namespace within an API. A position is
// API/NAMESPACE.
func (r *Repository) Subscriptions(ctx context.Context, f Filter, page PageRequest) (Page[SubscriptionView], error) {
	prefix, base := r.scope.Prefix()+"subscriptions/", ""
	if f.API != "" {
		base = f.API + "/"
	}
	regs, err := r.registrationsByName(ctx)
	if err != nil {
		return Page[SubscriptionView]{}, err
	}
	locks, err := r.locks(ctx, r.scope.locksPrefix()+"subscriptions/"+base)
	if err != nil {
		return Page[SubscriptionView]{}, err
	}
	var out Page[SubscriptionView]
	opts := page.options(prefix)
	opts.Limit = chunk(page.Limit)
	for {
		l, err := r.store.List(ctx, prefix+base, opts)
		if err != nil {
			return out, fmt.Errorf("list subscriptions: %w", err)
		}
		views, err := r.viewEntries(ctx, l.Entries, regs, locks)
		if err != nil {
			return out, err
		}
		for i, e := range l.Entries {
			if f.Takes(&views[i]) {
				out.Items = append(out.Items, views[i])
			}
			more := l.More || i < len(l.Entries)-1
			if page.Limit > 0 && len(out.Items) == page.Limit && more {
				out.Next = e.Key[len(prefix):]
				return out, nil
			}
			opts.After = e.Key
		}
		if !l.More {
			return out, nil
		}
	}
}

func (p PageRequest) options(prefix string) store.ListOptions {
	opts := store.ListOptions{Limit: p.Limit}
	if p.After != "" {
		opts.After = prefix + p.After
	}
	return opts
}

// chunk is how many rows to read at once to fill a page after filtering.
func chunk(limit int) int {
	const least = 500
	if limit == 0 {
		return 0
	}
	return max(limit, least)
}

func (r *Repository) viewEntries(ctx context.Context, entries []store.Entry, regs map[string]*Registration, locks map[string]*Lock) ([]SubscriptionView, error) {
	views := make([]SubscriptionView, len(entries))
	for i, e := range entries {
		var sub Subscription
		if err := Decode(e, &sub); err != nil {
			return nil, err
		}
		reg := regs[sub.API]
		if reg == nil { // deleted between the two reads
			reg = &Registration{Name: sub.API}
		}
		views[i] = NewView(sub, reg, locks[r.scope.subscriptionLockKey(sub.API, sub.Namespace)])
	}
	return views, r.explainWaiting(ctx, views, regs)
}

func (r *Repository) registrationsByName(ctx context.Context) (map[string]*Registration, error) {
	regs, err := r.Registrations(ctx, PageRequest{})
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*Registration, len(regs.Items))
	for i := range regs.Items {
		byName[regs.Items[i].Name] = &regs.Items[i]
	}
	return byName, nil
}

// NamespaceSubscriptions lists the subscriptions of a namespace by API.
func (r *Repository) NamespaceSubscriptions(ctx context.Context, namespace string, page PageRequest) (Page[SubscriptionView], error) {
	var out Page[SubscriptionView]
	if _, err := r.Namespace(ctx, namespace); err != nil {
		return out, err
	}
	prefix := r.scope.byNamespacePrefix(namespace)
	l, err := r.store.List(ctx, prefix, page.options(prefix))
	if err != nil {
		return out, fmt.Errorf("list subscriptions of %q: %w", namespace, err)
	}
	if l.More {
		out.Next = l.Entries[len(l.Entries)-1].Key[len(prefix):]
	}
	const together = store.MaxOps / 3 // a standing has three keys
	for some := range slices.Chunk(l.Entries, together) {
		apis := make([]string, len(some))
		for i, e := range some {
			apis[i] = e.Key[len(prefix):]
		}
		views, err := r.viewsOf(ctx, namespace, apis)
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, views...)
	}
	return out, nil
}

// viewsOf reads a namespace's subscriptions to the APIs, at one revision. Those that are no longer there are left out.
func (r *Repository) viewsOf(ctx context.Context, namespace string, apis []string) ([]SubscriptionView, error) {
	keys := make([]string, 0, store.MaxOps)
	for _, api := range apis {
		keys = append(keys, r.scope.standingKeys(namespace, api)...)
	}
	res, err := r.read(ctx, keys...)
	if err != nil {
		return nil, err
	}
	out, regs := make([]SubscriptionView, 0, len(apis)), map[string]*Registration{}
	for _, api := range apis {
		s, err := r.findStanding(res, namespace, api)
		if isKind(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, s.view())
		regs[api] = &s.reg
	}
	return out, r.explainWaiting(ctx, out, regs)
}

// Reconcilers lists the reconciler processes that are alive.
func (r *Repository) Reconcilers(ctx context.Context) ([]Reconciler, error) {
	page, err := list[Reconciler](ctx, r, r.scope.reconcilersPrefix(), PageRequest{})
	if err != nil {
		return nil, err
	}
	var leader Konductor
	res, err := r.read(ctx, r.scope.konductorKey())
	if err != nil {
		return nil, err
	}
	if _, err := find(res, r.scope.konductorKey(), &leader); err != nil {
		return nil, err
	}
	for i := range page.Items {
		page.Items[i].Konductor = page.Items[i].ID == leader.ID
	}
	return page.Items, nil
}
