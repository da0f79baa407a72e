package rbac

import (
	"hash/maphash"
	"unique"

	"kayra/store"
	"kayra/store/catalog"
)

// records are what decisions need of the scope's records, in any order in which they may have come: a subscription may
// be there before its registration, and a binding before its role.
type records struct {
	apis       map[string]*api
	namespaces map[string]bool // whether it is active
	roles      map[string]*role
	marks      []mark // of the roles, by their slots
	free       []int  // slots
	marker     marker
	bindings   map[string]*binding
	users      map[string]*holder
	groups     map[string]*holder
}

func newRecords() *records {
	return &records{
		apis: map[string]*api{}, namespaces: map[string]bool{}, roles: map[string]*role{}, bindings: map[string]*binding{},
		users: map[string]*holder{}, groups: map[string]*holder{}, marker: marker(maphash.MakeSeed()),
	}
}

// api is a registration with its subscriptions.
type api struct {
	registered bool
	active     bool
	tenants    map[string]bool // namespaces that subscribe to it, and whether the subscription is active
}

// role is kept as long as it is there or a binding names it.
type role struct {
	there bool
	rules []rule
	bound int // bindings that name it
	slot  int // of its mark
}

// change is a record that was written, or with a nil record, one that is to be forgotten.
type change struct {
	id     catalog.ID
	record any
}

// read decodes what decisions need of an entry. It has no record for any other.
func read(id catalog.ID, e store.Entry) (change, error) {
	switch id.Kind {
	case catalog.KindRegistration:
		r := new(catalog.Registration)
		return change{id, r}, catalog.Decode(e, r) //nolint:wrapcheck // says it all
	case catalog.KindNamespace:
		r := new(catalog.Namespace)
		return change{id, r}, catalog.Decode(e, r) //nolint:wrapcheck // says it all
	case catalog.KindSubscription:
		r := new(catalog.Subscription)
		return change{id, r}, catalog.Decode(e, r) //nolint:wrapcheck // says it all
	case catalog.KindRole:
		r := new(catalog.Role)
		return change{id, r}, catalog.Decode(e, r) //nolint:wrapcheck // says it all
	case catalog.KindRoleBinding:
		r := new(catalog.RoleBinding)
		return change{id, r}, catalog.Decode(e, r) //nolint:wrapcheck // says it all
	case catalog.KindIndex, catalog.KindSpec, catalog.KindBoot, catalog.KindReconciler,
		catalog.KindSubscriptionLock, catalog.KindSpecLock, catalog.KindKonductor, catalog.KindHealth:
	}
	return change{id, nil}, nil
}

// apply takes over a change.
func (k *records) apply(c change) {
	switch r := c.record.(type) {
	case nil:
		k.delete(c.id)
	case *catalog.Registration:
		a := k.api(c.id.API)
		a.registered, a.active = true, r.Active
	case *catalog.Namespace:
		k.namespaces[once(c.id.Namespace)] = r.Active
	case *catalog.Subscription:
		k.api(c.id.API).tenants[once(c.id.Namespace)] = r.Active
	case *catalog.Role:
		to := k.role(c.id.Name)
		to.there, to.rules = true, newRules(r.Rules)
		k.marks[to.slot] = k.marker.role(to.rules)
	case *catalog.RoleBinding:
		k.unbind(c.id.Name)
		k.bind(once(c.id.Name), r)
	}
}

// delete forgets a record.
func (k *records) delete(id catalog.ID) {
	switch id.Kind {
	case catalog.KindRegistration:
		if a := k.apis[id.API]; a != nil {
			a.registered, a.active = false, false
			k.dropAPI(id.API)
		}
	case catalog.KindNamespace:
		delete(k.namespaces, id.Namespace)
	case catalog.KindSubscription:
		if a := k.apis[id.API]; a != nil {
			delete(a.tenants, id.Namespace)
			k.dropAPI(id.API)
		}
	case catalog.KindRole:
		if r := k.roles[id.Name]; r != nil {
			r.there, r.rules, k.marks[r.slot] = false, nil, 0
			k.dropRole(id.Name)
		}
	case catalog.KindRoleBinding:
		k.unbind(id.Name)
	case catalog.KindIndex, catalog.KindSpec, catalog.KindBoot, catalog.KindReconciler,
		catalog.KindSubscriptionLock, catalog.KindSpecLock, catalog.KindKonductor, catalog.KindHealth:
	}
}

func (k *records) api(name string) *api {
	a := k.apis[name]
	if a == nil {
		a = &api{tenants: map[string]bool{}}
		k.apis[once(name)] = a
	}
	return a
}

func (k *records) dropAPI(name string) {
	if a := k.apis[name]; !a.registered && len(a.tenants) == 0 {
		delete(k.apis, name)
	}
}

func (k *records) role(name string) *role {
	r := k.roles[name]
	if r == nil {
		r = &role{slot: k.slot()}
		k.roles[once(name)] = r
	}
	return r
}

func (k *records) dropRole(name string) {
	if r := k.roles[name]; !r.there && r.bound == 0 {
		delete(k.roles, name)
		k.free = append(k.free, r.slot)
	}
}

// slot is one that no role has.
func (k *records) slot() int {
	if last := len(k.free) - 1; last >= 0 {
		slot := k.free[last]
		k.free = k.free[:last]
		return slot
	}
	k.marks = append(k.marks, 0)
	return len(k.marks) - 1
}

// once has one copy of each name, however many records have it.
func once(name string) string { return unique.Make(name).Value() }
