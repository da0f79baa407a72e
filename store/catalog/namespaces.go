package catalog

import (
	"context"
	"fmt"

	"kayra/store"
)

// Tag is the namespace's entity tag, without the quotes.
func (n *Namespace) Tag() string { return fmt.Sprintf("%.8s-%d", n.UID, n.Revision) }

// CreateNamespace creates a namespace, to be activated by a reconciler. It fails with ErrConflict when it exists.
func (r *Repository) CreateNamespace(ctx context.Context, name string) (Namespace, error) {
	c := &check{}
	if c.label("/name", name); c.err() != nil {
		return Namespace{}, c.err()
	}
	uid, err := newID()
	if err != nil {
		return Namespace{}, err
	}
	ns := Namespace{Name: name, UID: uid, CreatedAt: now(), UpdatedAt: now()}
	key := r.scope.namespaceKey(name)
	op, err := put(key, &ns)
	if err != nil {
		return ns, err
	}
	res, err := r.store.Txn(ctx, store.Txn{If: []store.Cond{store.Absent(key)}, Then: []store.Op{op}})
	if err != nil {
		return ns, fmt.Errorf("create namespace %q: %w", name, err)
	}
	if !res.OK {
		return ns, refuse(ErrConflict, "namespace %q exists already", name)
	}
	ns.Revision = res.Revision
	return ns, observed(ctx, nil, nil, &ns)
}

// Namespace reads a namespace.
func (r *Repository) Namespace(ctx context.Context, name string) (Namespace, error) {
	var ns Namespace
	e, err := r.store.Get(ctx, r.scope.namespaceKey(name))
	if isNotFound(err) {
		return ns, unknownNamespace(name)
	}
	if err != nil {
		return ns, fmt.Errorf("read namespace %q: %w", name, err)
	}
	return ns, Decode(e, &ns)
}

// Namespaces lists the namespaces by name.
func (r *Repository) Namespaces(ctx context.Context, page PageRequest) (Page[Namespace], error) {
	return list[Namespace](ctx, r, r.scope.Prefix()+"namespaces/", page)
}

// ActivateNamespace marks a namespace active, provided that it is still as it is given. Otherwise it fails with ErrStale.
func (r *Repository) ActivateNamespace(ctx context.Context, ns Namespace) error {
	key := r.scope.namespaceKey(ns.Name)
	cond := unchanged(key, ns.Revision)
	ns.Active, ns.UpdatedAt = true, now()
	op, err := put(key, &ns)
	if err != nil {
		return err
	}
	_, err = r.decided(ctx, "activate namespace", ns.Name, store.Txn{If: []store.Cond{cond}, Then: []store.Op{op}})
	return err
}

// TouchNamespace writes a namespace as it is, which makes a reconciler look at it again.
func (r *Repository) TouchNamespace(ctx context.Context, name string, m Match) (Namespace, error) {
	var old, ns Namespace
	res, err := r.again(ctx, "write namespace", func() (store.Txn, error) {
		var err error
		if old, err = r.matchingNamespace(ctx, name, m); err != nil {
			return store.Txn{}, err
		}
		ns = old
		ns.UpdatedAt = now()
		key := r.scope.namespaceKey(name)
		op, err := put(key, &ns)
		return store.Txn{
			If:   []store.Cond{unchanged(key, ns.Revision)},
			Then: []store.Op{op},
		}, err
	})
	ns.Revision = res.Revision
	return ns, observed(ctx, err, &old, &ns)
}

func (r *Repository) matchingNamespace(ctx context.Context, name string, m Match) (Namespace, error) {
	ns, err := r.Namespace(ctx, name)
	if err != nil {
		return ns, err
	}
	return ns, m.check("namespace", name, ns.Tag())
}

// DeleteNamespace deletes a namespace, with the role bindings that hold in it alone. It fails with ErrConflict while it
// has subscriptions, or more of those bindings than one transaction can delete.
func (r *Repository) DeleteNamespace(ctx context.Context, name string, m Match) error {
	var ns Namespace
	var unbound []string
	_, err := r.again(ctx, "delete namespace", func() (store.Txn, error) {
		var err error
		if ns, err = r.matchingNamespace(ctx, name, m); err != nil {
			return store.Txn{}, err
		}
		if err := r.refuseSubscribed(ctx, name); err != nil {
			return store.Txn{}, err
		}
		key := r.scope.namespaceKey(name)
		txn := store.Txn{
			If:   []store.Cond{unchanged(key, ns.Revision), store.Empty(r.scope.byNamespacePrefix(name))},
			Then: []store.Op{store.Delete(key)},
		}
		unbound, err = r.unbindNamespace(ctx, name, &txn)
		return txn, err
	})
	if err == nil {
		tell(ctx, &ns, nil, unbound)
	}
	return err
}

// refuseSubscribed names what the namespace subscribes to. The transaction checks it again.
func (r *Repository) refuseSubscribed(ctx context.Context, name string) error {
	prefix := r.scope.byNamespacePrefix(name)
	const named = 5
	subs, err := r.store.List(ctx, prefix, store.ListOptions{Limit: named})
	if err != nil {
		return fmt.Errorf("list subscriptions of %q: %w", name, err)
	}
	if len(subs.Entries) > 0 {
		return refuse(ErrConflict, "namespace %q still subscribes to %s: delete its subscriptions first",
			name, names(subs, prefix))
	}
	return nil
}
