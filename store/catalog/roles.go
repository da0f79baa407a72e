package catalog

import (
	"context"
	"fmt"

	"kayra/store"
)

// RoleChange is what a client asks of a role. nil keeps the rules, or gives a new role none; an empty list clears them.
type RoleChange struct {
	Rules *[]Rule
}

func (ch RoleChange) apply(role *Role) {
	set(&role.Rules, ch.Rules)
	if role.Rules == nil {
		role.Rules = []Rule{}
	}
}

// Tag is the role's entity tag, without the quotes.
func (r *Role) Tag() string { return fmt.Sprintf("%.8s-%d", r.UID, r.Revision) }

// CreateRole creates a role, which gives nothing until a binding names it. It fails with ErrConflict when it exists.
func (r *Repository) CreateRole(ctx context.Context, name string, ch RoleChange) (Role, error) {
	c := &check{}
	c.roleName("/name", name)
	if c.rules(ch.Rules); c.err() != nil {
		return Role{}, c.err()
	}
	uid, err := newID()
	if err != nil {
		return Role{}, err
	}
	role := Role{Name: name, UID: uid, CreatedAt: now(), UpdatedAt: now()}
	ch.apply(&role)
	key := r.scope.roleKey(name)
	op, err := putBounded(key, "/rules", &role)
	if err != nil {
		return Role{}, err
	}
	res, err := r.store.Txn(ctx, store.Txn{If: []store.Cond{store.Absent(key)}, Then: []store.Op{op}})
	if err != nil {
		return Role{}, fmt.Errorf("create role %q: %w", name, err)
	}
	if !res.OK {
		return Role{}, refuse(ErrConflict, "role %q exists already; update it instead", name)
	}
	role.Revision = res.Revision
	return role, observed(ctx, nil, nil, &role)
}

// Role reads a role.
func (r *Repository) Role(ctx context.Context, name string) (Role, error) {
	if !ValidRoleName(name) {
		return Role{}, unknownRole(name)
	}
	var role Role
	e, err := r.store.Get(ctx, r.scope.roleKey(name))
	if isNotFound(err) {
		return role, unknownRole(name)
	}
	if err != nil {
		return role, fmt.Errorf("read role %q: %w", name, err)
	}
	return role, Decode(e, &role)
}

// Roles lists the roles by name.
func (r *Repository) Roles(ctx context.Context, page PageRequest) (Page[Role], error) {
	return list[Role](ctx, r, r.scope.rolesPrefix(), page)
}

// UpdateRole changes a role.
func (r *Repository) UpdateRole(ctx context.Context, name string, ch RoleChange, m Match) (Role, error) {
	c := &check{}
	if c.rules(ch.Rules); c.err() != nil {
		return Role{}, c.err()
	}
	var old, role Role
	res, err := r.again(ctx, "update role", func() (store.Txn, error) {
		var err error
		if old, err = r.matchingRole(ctx, name, m); err != nil {
			return store.Txn{}, err
		}
		cond := unchanged(r.scope.roleKey(name), old.Revision)
		role = old
		ch.apply(&role)
		role.UpdatedAt = now()
		op, err := putBounded(r.scope.roleKey(name), "/rules", &role)
		return store.Txn{If: []store.Cond{cond}, Then: []store.Op{op}}, err
	})
	if err != nil {
		return Role{}, err
	}
	role.Revision = res.Revision
	return role, observed(ctx, nil, &old, &role)
}

func (r *Repository) matchingRole(ctx context.Context, name string, m Match) (Role, error) {
	role, err := r.Role(ctx, name)
	if err != nil {
		return role, err
	}
	return role, m.check("role", name, role.Tag())
}

// DeleteRole deletes a role. It fails with ErrConflict while a binding gives it.
func (r *Repository) DeleteRole(ctx context.Context, name string, m Match) error {
	var role Role
	_, err := r.again(ctx, "delete role", func() (store.Txn, error) {
		var err error
		if role, err = r.matchingRole(ctx, name, m); err != nil {
			return store.Txn{}, err
		}
		prefix := r.scope.byRolePrefix(name)
		const named = 5
		bound, err := r.store.List(ctx, prefix, store.ListOptions{Limit: named})
		if err != nil {
			return store.Txn{}, fmt.Errorf("list bindings of role %q: %w", name, err)
		}
		if len(bound.Entries) > 0 {
			return store.Txn{}, refuse(ErrConflict, "role %q is still given by %s: delete those role bindings first, or let them give another role",
				name, names(bound, prefix))
		}
		key := r.scope.roleKey(name)
		return store.Txn{
			If:   []store.Cond{unchanged(key, role.Revision), store.Empty(prefix)},
			Then: []store.Op{store.Delete(key)},
		}, nil
	})
	return observed(ctx, err, &role, nil)
}

func unknownRole(name string) error {
	return refuse(ErrNotFound, "there is no role %q; `get authorization roles` lists those there are", clip(name))
}
