package watch

import (
	"kayra/store/catalog"
)

// records are what rows are made of, in any order in which they may have come.
type records struct {
	apis        map[string]*group
	namespaces  map[string]bool                // whether it is active
	reconcilers map[string]*catalog.Reconciler // by id
	konductor   string                         // id of a reconciler
	health      map[string]catalog.Health
	roles       map[string][]byte // as answered
	bindings    map[string][]byte // as answered
}

// group is a registration with its subscriptions, and with who depends on it.
type group struct {
	name       string
	reg        *catalog.Registration // nil: it is not registered
	tenants    map[string]*tenant    // by namespace
	dependents map[string]bool       // registrations of the same scope
}

func newRecords() *records {
	return &records{
		apis: map[string]*group{}, namespaces: map[string]bool{}, reconcilers: map[string]*catalog.Reconciler{},
		health: map[string]catalog.Health{}, roles: map[string][]byte{}, bindings: map[string][]byte{},
	}
}

func (k *records) group(name string) *group {
	a := k.apis[name]
	if a == nil {
		name = once(name)
		a = &group{name: name, tenants: map[string]*tenant{}, dependents: map[string]bool{}}
		k.apis[name] = a
	}
	return a
}

// tidy forgets an API that nothing is known of.
func (k *records) tidy(a *group) {
	if a.reg == nil && len(a.tenants) == 0 && len(a.dependents) == 0 {
		delete(k.apis, a.name)
	}
}

func (a *group) tenant(namespace string) *tenant {
	t := a.tenants[namespace]
	if t == nil {
		namespace = once(namespace)
		t = &tenant{group: a, namespace: namespace}
		a.tenants[namespace] = t
	}
	return t
}

// register takes over a registration, or with nil, that it is gone.
func (k *records) register(a *group, reg *catalog.Registration, home catalog.Scope) {
	if a.reg != nil {
		for _, d := range a.reg.DependsOn {
			if d.Scope() == home {
				on := k.group(d.Name)
				delete(on.dependents, a.name)
				k.tidy(on)
			}
		}
	}
	a.reg = reg
	if reg == nil {
		k.tidy(a)
		return
	}
	k.apis[a.name] = a // it may have been tidied away, if it depended on nothing but itself
	for _, d := range reg.DependsOn {
		if d.Scope() == home {
			k.group(d.Name).dependents[a.name] = true
		}
	}
}

// affected are the subscriptions whose rows may be others since a record has changed. Of a reconciler, the lengths of its
// queues do not count.
func (k *records) affected(id catalog.ID, do func(*tenant)) {
	switch id.Kind { //nolint:exhaustive // no subscription's row depends on the others
	case catalog.KindSubscriptionLock:
		k.tenant(id.API, id.Namespace, do)
	case catalog.KindSubscription:
		k.tenant(id.API, id.Namespace, do)
		for name := range k.dependents(id.API) {
			k.tenant(name, id.Namespace, do)
		}
	case catalog.KindRegistration:
		k.tenantsOf(id.API, do)
		for name := range k.dependents(id.API) {
			k.tenantsOf(name, do)
		}
	case catalog.KindHealth:
		for name := range k.dependents(id.API) {
			k.tenantsOf(name, do)
		}
	case catalog.KindReconciler:
		for name := range k.apis {
			k.tenantsOf(name, do)
		}
	}
}

func (k *records) dependents(name string) map[string]bool {
	if a := k.apis[name]; a != nil {
		return a.dependents
	}
	return nil
}

func (k *records) tenant(name, namespace string, do func(*tenant)) {
	if a := k.apis[name]; a != nil && a.tenants[namespace] != nil {
		do(a.tenants[namespace])
	}
}

func (k *records) tenantsOf(name string, do func(*tenant)) {
	if a := k.apis[name]; a != nil {
		for _, t := range a.tenants {
			do(t)
		}
	}
}

// alive are the reconcilers.
func (k *records) alive() []catalog.Reconciler {
	all := make([]catalog.Reconciler, 0, len(k.reconcilers))
	for _, r := range k.reconcilers {
		all = append(all, *r)
	}
	return all
}

// busy are the APIs whose queues in a reconciler are not as they were.
func busy(before, after *catalog.Reconciler) map[string]bool {
	names := map[string]bool{}
	differ := func(a, b *catalog.Reconciler) {
		for name, length := range a.Queues {
			if b.Queues[name] != length {
				names[name] = true
			}
		}
	}
	differ(before, after)
	differ(after, before)
	return names
}
