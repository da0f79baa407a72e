package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kayra/store"
)

func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }

func isKind(err, kind error) bool { return errors.Is(err, kind) }

// names lists what the keys end with, for an error message.
func names(l store.Listing, prefix string) string {
	out := make([]string, 0, len(l.Entries)+1)
	for _, e := range l.Entries {
		out = append(out, strings.TrimPrefix(e.Key, prefix))
	}
	if l.More {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// writeRegistration is the transaction that replaces old (Revision 0: none) by next, with all the rules between next
// and other records.
func (r *Repository) writeRegistration(ctx context.Context, old, next Registration) (store.Txn, error) {
	key := r.scope.registrationKey(next.Name)
	op, err := put(key, &next)
	if err != nil {
		return store.Txn{}, err
	}
	txn := store.Txn{If: []store.Cond{unchanged(key, old.Revision)}, Then: []store.Op{op}}
	if err := r.writeShortName(ctx, old, next, &txn); err != nil {
		return store.Txn{}, err
	}
	return txn, r.writeDependencies(ctx, old, next, &txn)
}

// vacancy returns the store's revision at which there is no registration of the name.
func (r *Repository) vacancy(ctx context.Context, name string) (int64, error) {
	res, err := r.read(ctx, r.scope.registrationKey(name))
	if err != nil {
		return 0, err
	}
	if len(res.Got) == 0 {
		return res.Revision, nil
	}
	return 0, refuse(ErrConflict, "API registration %q exists already; update it instead", name)
}

// writeShortName keeps the short name unique.
func (r *Repository) writeShortName(ctx context.Context, old, next Registration, txn *store.Txn) error {
	if old.ShortName == next.ShortName {
		return nil
	}
	if old.ShortName != "" {
		txn.Then = append(txn.Then, store.Delete(r.scope.shortNameKey(old.ShortName)))
	}
	if next.ShortName == "" {
		return nil
	}
	key := r.scope.shortNameKey(next.ShortName)
	taken, err := r.store.Get(ctx, key)
	if err == nil && string(taken.Value) == next.Name { // left over, when the registration's record was lost
		txn.If = append(txn.If, store.Unchanged(taken))
		return nil
	}
	if err == nil {
		return refuse(ErrConflict, "short_name %q is taken by API registration %q; choose another", next.ShortName, taken.Value)
	}
	if !isNotFound(err) {
		return fmt.Errorf("read short name %q: %w", next.ShortName, err)
	}
	txn.If = append(txn.If, store.Absent(key))
	txn.Then = append(txn.Then, store.Put(key, []byte(next.Name)))
	return nil
}

// writeDependencies keeps what is depended on in place and the graph free of cycles. Whatever was read of the graph is
// still so when the transaction commits, since every other change of it writes depgraph.
func (r *Repository) writeDependencies(ctx context.Context, old, next Registration, txn *store.Txn) error {
	was, is := refs(old.DependsOn), refs(next.DependsOn)
	if slices.Equal(was, is) {
		return nil
	}
	version, err := r.store.Get(ctx, depgraphKey)
	if err != nil && !isNotFound(err) {
		return fmt.Errorf("read dependency graph: %w", err)
	}
	version.Key = depgraphKey
	if err := r.refuseCycle(ctx, next); err != nil {
		return err
	}
	txn.If = append(txn.If, store.Unchanged(version))
	txn.Then = append(txn.Then, store.Put(depgraphKey, []byte(next.Ref().String())))
	for _, d := range is {
		txn.If = append(txn.If, store.Present(d.registrationKey()))
		if !slices.Contains(was, d) {
			txn.Then = append(txn.Then, store.Put(d.dependentKey(next.Ref()), nil))
		}
	}
	for _, d := range was {
		if !slices.Contains(is, d) {
			txn.Then = append(txn.Then, store.Delete(d.dependentKey(next.Ref())))
		}
	}
	return nil
}

func refs(deps []Dependency) []Ref {
	out := make([]Ref, len(deps))
	for i, d := range deps {
		out[i] = d.Ref
	}
	return out
}

// refuseCycle walks all that next depends on, and refuses what is not there and any way back to next.
func (r *Repository) refuseCycle(ctx context.Context, next Registration) error {
	type step struct {
		ref  Ref
		path []string
	}
	self := next.Ref()
	start := []string{next.Name}
	seen := map[Ref]bool{}
	todo := []step{}
	for _, d := range next.DependsOn {
		todo = append(todo, step{d.Ref, start})
	}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		path := append(slices.Clone(at.path), at.ref.NameIn(r.scope))
		if at.ref == self {
			return refuse(ErrConflict, "depends_on would close a cycle: %s", strings.Join(path, " -> "))
		}
		if seen[at.ref] {
			continue
		}
		seen[at.ref] = true
		deps, err := r.dependenciesOf(ctx, at.ref)
		if isKind(err, ErrNotFound) && len(at.path) > 1 {
			continue // deleted since it was referred to: the graph has changed, and the transaction will not commit
		}
		if err != nil {
			return err
		}
		for _, d := range deps {
			todo = append(todo, step{d, path})
		}
	}
	return nil
}

func (r *Repository) dependenciesOf(ctx context.Context, ref Ref) ([]Ref, error) {
	e, err := r.store.Get(ctx, ref.registrationKey())
	if isNotFound(err) {
		return nil, refuse(ErrNotFound, "depends_on names API registration %q of platform %q and region %q, which is not there; create it first",
			clip(ref.Name), clip(ref.Platform), clip(ref.Region))
	}
	if err != nil {
		return nil, fmt.Errorf("read dependency %q: %w", ref, err)
	}
	var reg Registration
	if err := Decode(e, &reg); err != nil {
		return nil, err
	}
	return refs(reg.DependsOn), nil
}

// NameIn is how the reference is shown within a scope: its name alone, or with the scope that is another one.
func (r Ref) NameIn(s Scope) string {
	if r.Scope() == s {
		return r.Name
	}
	return r.String()
}

// writeRoleBinding is the transaction that replaces old (Revision 0: none) by next: the role that it gives must be
// there, and the indexes tell of it.
func (r *Repository) writeRoleBinding(ctx context.Context, old, next RoleBinding) (store.Txn, error) {
	if _, err := r.Role(ctx, next.Role); err != nil {
		return store.Txn{}, err
	}
	key := r.scope.roleBindingKey(next.Name)
	op, err := putBounded(key, "/subjects", &next)
	if err != nil {
		return store.Txn{}, err
	}
	txn := store.Txn{
		If:   []store.Cond{unchanged(key, old.Revision), store.Present(r.scope.roleKey(next.Role))},
		Then: []store.Op{op, store.Put(r.scope.byRoleKey(next.Role, next.Name), nil)},
	}
	if old.Role != "" && old.Role != next.Role {
		txn.Then = append(txn.Then, store.Delete(r.scope.byRoleKey(old.Role, old.Name)))
	}
	if ns := next.Namespace; ns != "" {
		txn.Then = append(txn.Then, store.Put(r.scope.namespaceBindingKey(ns, next.Name), []byte(next.Role)),
			r.scope.touchBindings(ns))
	}
	if ns := old.Namespace; ns != "" && ns != next.Namespace {
		txn.Then = append(txn.Then, store.Delete(r.scope.namespaceBindingKey(ns, old.Name)), r.scope.touchBindings(ns))
	}
	return txn, nil
}

// touchBindings says that the role bindings of the namespace are not what they were.
func (s Scope) touchBindings(namespace string) store.Op {
	return store.Put(s.bindingsVersionKey(namespace), nil)
}

// unbind deletes a role binding and what the indexes have of it.
func (s Scope) unbind(name, role, namespace string) []store.Op {
	ops := []store.Op{store.Delete(s.roleBindingKey(name)), store.Delete(s.byRoleKey(role, name))}
	if namespace != "" {
		ops = append(ops, store.Delete(s.namespaceBindingKey(namespace, name)))
	}
	return ops
}

// unbindNamespace makes the transaction delete all role bindings that hold in the namespace alone, and names them. What is
// read of them here is still so when it commits, since every other write of one touches their version.
func (r *Repository) unbindNamespace(ctx context.Context, namespace string, txn *store.Txn) ([]string, error) {
	version, err := r.store.Get(ctx, r.scope.bindingsVersionKey(namespace))
	if err != nil && !isNotFound(err) {
		return nil, fmt.Errorf("read version of the role bindings of %q: %w", namespace, err)
	}
	version.Key = r.scope.bindingsVersionKey(namespace)
	txn.If = append(txn.If, store.Unchanged(version))
	txn.Then = append(txn.Then, store.Delete(version.Key))
	const each = 3 // operations of unbind
	most := (store.MaxOps - len(txn.Then)) / each
	prefix := r.scope.namespaceBindingsPrefix(namespace)
	bound, err := r.store.List(ctx, prefix, store.ListOptions{Limit: most})
	if err != nil {
		return nil, fmt.Errorf("list role bindings of %q: %w", namespace, err)
	}
	if bound.More {
		const named = 5
		bound.Entries = bound.Entries[:named]
		return nil, refuse(ErrConflict, "namespace %q has more than %d role bindings of its own, which would have to go with it (%s): delete some of them first",
			namespace, most, names(bound, prefix))
	}
	var unbound []string
	for _, e := range bound.Entries {
		name := strings.TrimPrefix(e.Key, prefix)
		unbound = append(unbound, name)
		txn.Then = append(txn.Then, r.scope.unbind(name, string(e.Value), namespace)...)
	}
	return unbound, nil
}
