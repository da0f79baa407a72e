package catalog

import (
	"context"
	"fmt"

	"kayra/store"
)

// RoleBindingChange is what a client asks of a role binding. What is nil stays as it is, or takes its default in a new
// binding; a pointer to a zero value clears.
type RoleBindingChange struct {
	Role      *string    // cannot be cleared, and must be given for a new binding
	Namespace *string    // "": the binding holds cluster-wide; the namespace need not be there (yet)
	Subjects  *[]Subject // an empty list gives the role to nobody
}

func (ch RoleBindingChange) apply(b *RoleBinding) {
	set(&b.Role, ch.Role)
	set(&b.Namespace, ch.Namespace)
	set(&b.Subjects, ch.Subjects)
	if b.Subjects == nil {
		b.Subjects = []Subject{}
	}
}

// Tag is the role binding's entity tag, without the quotes.
func (b *RoleBinding) Tag() string { return fmt.Sprintf("%.8s-%d", b.UID, b.Revision) }

// CreateRoleBinding creates a role binding. It fails with ErrNotFound when the role is not there, and with ErrConflict
// when the binding is.
func (r *Repository) CreateRoleBinding(ctx context.Context, name string, ch RoleBindingChange) (RoleBinding, error) {
	if ch.Role == nil {
		ch.Role = new(string)
	}
	c := &check{}
	c.roleName("/name", name)
	if c.roleBinding(ch); c.err() != nil {
		return RoleBinding{}, c.err()
	}
	uid, err := newID()
	if err != nil {
		return RoleBinding{}, err
	}
	next := RoleBinding{Name: name, UID: uid, CreatedAt: now(), UpdatedAt: now()}
	ch.apply(&next)
	res, err := r.again(ctx, "create role binding", func() (store.Txn, error) {
		_, err := r.RoleBinding(ctx, name)
		switch {
		case err == nil:
			return store.Txn{}, refuse(ErrConflict, "role binding %q exists already; update it instead", name)
		case !isKind(err, ErrNotFound):
			return store.Txn{}, err
		}
		return r.writeRoleBinding(ctx, RoleBinding{Name: name}, next)
	})
	if err != nil {
		return RoleBinding{}, err
	}
	next.Revision = res.Revision
	return next, observed(ctx, nil, nil, &next)
}

// RoleBinding reads a role binding.
func (r *Repository) RoleBinding(ctx context.Context, name string) (RoleBinding, error) {
	if !ValidRoleName(name) {
		return RoleBinding{}, unknownRoleBinding(name)
	}
	var b RoleBinding
	e, err := r.store.Get(ctx, r.scope.roleBindingKey(name))
	if isNotFound(err) {
		return b, unknownRoleBinding(name)
	}
	if err != nil {
		return b, fmt.Errorf("read role binding %q: %w", name, err)
	}
	return b, Decode(e, &b)
}

// RoleBindings lists the role bindings by name.
func (r *Repository) RoleBindings(ctx context.Context, page PageRequest) (Page[RoleBinding], error) {
	return list[RoleBinding](ctx, r, r.scope.roleBindingsPrefix(), page)
}

// UpdateRoleBinding changes a role binding. It fails with ErrNotFound when the role that it gives then is not there.
func (r *Repository) UpdateRoleBinding(ctx context.Context, name string, ch RoleBindingChange, m Match) (RoleBinding, error) {
	c := &check{}
	if c.roleBinding(ch); c.err() != nil {
		return RoleBinding{}, c.err()
	}
	var old, next RoleBinding
	res, err := r.again(ctx, "update role binding", func() (store.Txn, error) {
		var err error
		if old, err = r.matchingRoleBinding(ctx, name, m); err != nil {
			return store.Txn{}, err
		}
		next = old
		ch.apply(&next)
		next.UpdatedAt = now()
		return r.writeRoleBinding(ctx, old, next)
	})
	if err != nil {
		return RoleBinding{}, err
	}
	next.Revision = res.Revision
	return next, observed(ctx, nil, &old, &next)
}

func (r *Repository) matchingRoleBinding(ctx context.Context, name string, m Match) (RoleBinding, error) {
	b, err := r.RoleBinding(ctx, name)
	if err != nil {
		return b, err
	}
	return b, m.check("role binding", name, b.Tag())
}

// DeleteRoleBinding deletes a role binding.
func (r *Repository) DeleteRoleBinding(ctx context.Context, name string, m Match) error {
	var old RoleBinding
	_, err := r.again(ctx, "delete role binding", func() (store.Txn, error) {
		var err error
		if old, err = r.matchingRoleBinding(ctx, name, m); err != nil {
			return store.Txn{}, err
		}
		ops := r.scope.unbind(name, old.Role, old.Namespace)
		if old.Namespace != "" {
			ops = append(ops, r.scope.touchBindings(old.Namespace))
		}
		return store.Txn{If: []store.Cond{unchanged(r.scope.roleBindingKey(name), old.Revision)}, Then: ops}, nil
	})
	return observed(ctx, err, &old, nil)
}

func unknownRoleBinding(name string) error {
	return refuse(ErrNotFound, "there is no role binding %q; `get authorization rolebindings` lists those there are", clip(name))
}
