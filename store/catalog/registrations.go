package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"kayra/store"
)

// RegistrationChange is what a client asks of a registration. What is nil stays as it is, or takes its default in a new
// registration; a pointer to a zero value clears.
type RegistrationChange struct {
	ShortName, Owner, Description, Mode *string
	SyncID                              *string // cannot be cleared
	Active, Paused                      *bool
	Upstream, Downstream                *bool
	DependsOn                           *[]Dependency // an empty Platform or Region means this scope's
	AllowedNamespaces                   *[]string
	RestrictedNamespaces                *[]string
	Operator                            json.RawMessage // a merge patch (RFC 7396) of the block; null clears all of it

	DryRun bool // check all, and write nothing
}

// Tag is the registration's entity tag (RFC 9110, section 8.8.3), without the quotes. Only client writes change it.
func (r *Registration) Tag() string { return fmt.Sprintf("%.8s-%d", r.UID, r.Generation) }

// CreateRegistration creates a registration. It fails with ErrConflict when the name or the short name is taken or a
// dependency would close a cycle, and with ErrNotFound when a dependency is not there.
func (r *Repository) CreateRegistration(ctx context.Context, name string, ch RegistrationChange) (Registration, error) {
	c := &check{}
	c.longName("/name", name)
	ch = r.complete(ch)
	if ch.SyncID != nil && *ch.SyncID != "" {
		c.syncID("/sync_id", *ch.SyncID)
	}
	if c.change(ch); c.err() != nil {
		return Registration{}, c.err()
	}
	reg, err := r.newRegistration(name)
	if err != nil {
		return Registration{}, err
	}
	if ch.SyncID != nil && *ch.SyncID == "" {
		ch.SyncID = nil
	}
	if err := apply(&reg, ch); err != nil {
		return Registration{}, err
	}
	if ch.SyncID == nil {
		if reg.SyncID, err = newID(); err != nil {
			return Registration{}, err
		}
	}
	reg.ReleasedSyncID = reg.SyncID
	decide := func() (store.Txn, error) {
		revision, err := r.vacancy(ctx, name)
		if err != nil {
			return store.Txn{}, err
		}
		reg.Generation = revision + 1 // above that of a namesake whose record was lost, and whose subscriptions are still there
		return r.writeRegistration(ctx, Registration{Name: name}, reg)
	}
	if ch.DryRun {
		_, err := r.again(ctx, "create registration", dry(decide))
		return reg, err
	}
	res, err := r.again(ctx, "create registration", decide)
	reg.Revision = res.Revision
	return reg, observed(ctx, err, nil, &reg)
}

func (r *Repository) newRegistration(name string) (Registration, error) {
	uid, err := newID()
	return Registration{
		Name: name, Platform: r.scope.Platform, Region: r.scope.Region, Active: true,
		UID: uid, Generation: 1, CreatedAt: now(), TargetAt: now(),
	}, err
}

// complete fills in this scope where a dependency leaves it out.
func (r *Repository) complete(ch RegistrationChange) RegistrationChange {
	if ch.DependsOn == nil {
		return ch
	}
	deps := slices.Clone(*ch.DependsOn)
	for i := range deps {
		if deps[i].Platform == "" {
			deps[i].Platform = r.scope.Platform
		}
		if deps[i].Region == "" {
			deps[i].Region = r.scope.Region
		}
	}
	ch.DependsOn = &deps
	return ch
}

func apply(reg *Registration, ch RegistrationChange) (err error) {
	set(&reg.ShortName, ch.ShortName)
	set(&reg.Owner, ch.Owner)
	set(&reg.Description, ch.Description)
	set(&reg.Mode, ch.Mode)
	set(&reg.Active, ch.Active)
	set(&reg.Paused, ch.Paused)
	set(&reg.Upstream, ch.Upstream)
	set(&reg.Downstream, ch.Downstream)
	if ch.DependsOn != nil {
		reg.DependsOn = distinct(*ch.DependsOn)
	}
	if ch.AllowedNamespaces != nil {
		reg.AllowedNamespaces = once(*ch.AllowedNamespaces)
	}
	if ch.RestrictedNamespaces != nil {
		reg.RestrictedNamespaces = once(*ch.RestrictedNamespaces)
	}
	if ch.Operator != nil {
		reg.Operator, err = reg.Operator.merge("/operator", ch.Operator)
	}
	if ch.SyncID != nil && *ch.SyncID != reg.SyncID {
		reg.target(*ch.SyncID)
		if !reg.Pending() {
			reg.ReleasedSyncID = reg.SyncID
		}
	}
	return err
}

// once has each of the names once, in their order.
func once(names []string) []string {
	seen := make(map[string]bool, len(names))
	var out []string
	for _, name := range names {
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

func set[T any](field, value *T) {
	if value != nil {
		*field = *value
	}
}

// target makes the id the one that subscribers are brought to.
func (r *Registration) target(id string) {
	r.SyncID, r.TargetAt, r.Reverting = id, now(), false
}

// Registration reads a registration.
func (r *Repository) Registration(ctx context.Context, name string) (Registration, error) {
	var reg Registration
	e, err := r.store.Get(ctx, r.scope.registrationKey(name))
	if isNotFound(err) {
		return reg, unknownRegistration(name)
	}
	if err != nil {
		return reg, fmt.Errorf("read registration %q: %w", name, err)
	}
	return reg, Decode(e, &reg)
}

// Registrations lists the registrations by name.
func (r *Repository) Registrations(ctx context.Context, page PageRequest) (Page[Registration], error) {
	return list[Registration](ctx, r, r.scope.Prefix()+"registrations/", page)
}

// UpdateRegistration changes a registration. A change that changes nothing is a trigger, too. It fails as
// CreateRegistration does.
func (r *Repository) UpdateRegistration(ctx context.Context, name string, ch RegistrationChange, m Match) (Registration, error) {
	c := &check{}
	ch = r.complete(ch)
	if ch.SyncID != nil {
		c.syncID("/sync_id", *ch.SyncID)
	}
	if c.change(ch); c.err() != nil {
		return Registration{}, c.err()
	}
	return r.changeRegistration(ctx, name, m, ch.DryRun, func(reg *Registration) ([]store.Cond, error) {
		return nil, apply(reg, ch)
	})
}

// changeRegistration writes what change makes of a registration, if the conditions that it returns hold. A dry run writes
// nothing.
func (r *Repository) changeRegistration(ctx context.Context, name string, m Match, dryRun bool,
	change func(*Registration) ([]store.Cond, error),
) (Registration, error) {
	var old, next Registration
	decide := func() (store.Txn, error) {
		var err error
		if old, err = r.Registration(ctx, name); err != nil {
			return store.Txn{}, err
		}
		if err := m.check("API registration", name, old.Tag()); err != nil {
			return store.Txn{}, err
		}
		next = old
		conds, err := change(&next)
		if err != nil {
			return store.Txn{}, err
		}
		next.Generation++
		txn, err := r.writeRegistration(ctx, old, next)
		txn.If = append(txn.If, conds...)
		return txn, err
	}
	if dryRun {
		_, err := r.again(ctx, "update registration", dry(decide))
		return next, err
	}
	res, err := r.again(ctx, "update registration", decide)
	next.Revision = res.Revision
	return next, observed(ctx, err, &old, &next)
}

// DeleteRegistration deletes a registration, with its documents. It fails with ErrConflict while a subscription or
// another registration refers to it.
func (r *Repository) DeleteRegistration(ctx context.Context, name string, m Match) error {
	var reg Registration
	_, err := r.again(ctx, "delete registration", func() (store.Txn, error) {
		there, spec, specEntry, err := r.registrationAndSpec(ctx, name)
		if err != nil {
			return store.Txn{}, err
		}
		reg = there
		if err := m.check("API registration", name, reg.Tag()); err != nil {
			return store.Txn{}, err
		}
		if err := r.refuseReferenced(ctx, reg); err != nil {
			return store.Txn{}, err
		}
		return store.Txn{
			If: []store.Cond{
				unchanged(r.scope.registrationKey(name), reg.Revision),
				store.Unchanged(specEntry),
				store.Empty(r.scope.subscriptionsPrefix(name)),
				store.Empty(reg.Ref().dependentsPrefix()),
			},
			Then: r.deletion(reg, spec),
		}, nil
	})
	return observed(ctx, err, &reg, nil)
}

func (r *Repository) deletion(reg Registration, spec Spec) []store.Op {
	ops := []store.Op{
		store.Delete(r.scope.registrationKey(reg.Name)),
		store.Delete(r.scope.specKey(reg.Name)),
		store.Delete(r.scope.healthKey(reg.Name)),
	}
	if reg.ShortName != "" {
		ops = append(ops, store.Delete(r.scope.shortNameKey(reg.ShortName)))
	}
	for _, d := range reg.DependsOn {
		ops = append(ops, store.Delete(d.dependentKey(reg.Ref())))
	}
	for _, f := range spec.Fetched {
		ops = append(ops, store.Delete(r.scope.documentKey(reg.Name, f.SyncID)),
			store.Delete(r.scope.resourcesKey(reg.Name, f.SyncID)))
	}
	return ops
}

// refuseReferenced names what refers to the registration. The transaction checks it again.
func (r *Repository) refuseReferenced(ctx context.Context, reg Registration) error {
	const named = 5
	for _, by := range []struct{ prefix, what string }{
		{r.scope.subscriptionsPrefix(reg.Name), "subscribed to by namespace"},
		{reg.Ref().dependentsPrefix(), "a dependency of"},
	} {
		l, err := r.store.List(ctx, by.prefix, store.ListOptions{Limit: named})
		if err != nil {
			return fmt.Errorf("list references: %w", err)
		}
		if len(l.Entries) > 0 {
			return refuse(ErrConflict, "API registration %q is still %s %s: delete what refers to it first",
				reg.Name, by.what, names(l, by.prefix))
		}
	}
	return nil
}
