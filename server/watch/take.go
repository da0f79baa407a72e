package watch

import (
	"kayra/server/api"
	"kayra/store"
	"kayra/store/catalog"
)

// take takes over a record, and touches the rows that are made of it. What cannot be read counts as not there.
func (h *Hub) take(e store.Entry) {
	id := h.scope.ParseKey(e.Key)
	var err error
	switch id.Kind {
	case catalog.KindRegistration:
		reg := new(catalog.Registration)
		if err = catalog.Decode(e, reg); err == nil {
			h.takeRegistration(id, reg)
		}
	case catalog.KindSubscription:
		sub := new(catalog.Subscription)
		if err = catalog.Decode(e, sub); err == nil {
			h.known.group(id.API).tenant(id.Namespace).take(sub)
			h.touchOf(id)
		}
	case catalog.KindSubscriptionLock:
		lock := new(catalog.Lock)
		if err = catalog.Decode(e, lock); err == nil {
			h.known.group(id.API).tenant(id.Namespace).lock = lock
			h.touchOf(id)
		}
	case catalog.KindReconciler:
		one := new(catalog.Reconciler)
		if err = catalog.Decode(e, one); err == nil {
			h.takeReconciler(id, one)
		}
	default:
		err = h.takeOther(id, e)
	}
	if err != nil {
		h.unreadable(e.Key, err)
		h.lose(id)
	}
}

// takeOther is take for records of which one row is made at most.
func (h *Hub) takeOther(id catalog.ID, e store.Entry) error {
	switch id.Kind { //nolint:exhaustive // no row is made of the others
	case catalog.KindNamespace:
		ns := new(catalog.Namespace)
		if err := catalog.Decode(e, ns); err != nil {
			return err //nolint:wrapcheck // says it all
		}
		h.known.namespaces[once(id.Namespace)] = ns.Active
		h.touchRow(Namespaces, id.Namespace)
	case catalog.KindHealth:
		is := new(catalog.Health)
		if err := catalog.Decode(e, is); err != nil {
			return err //nolint:wrapcheck // says it all
		}
		h.known.health[id.API] = *is
		h.touchOf(id)
	case catalog.KindKonductor:
		is := new(catalog.Konductor)
		if err := catalog.Decode(e, is); err != nil {
			return err //nolint:wrapcheck // says it all
		}
		h.appoint(is.ID)
	case catalog.KindRole:
		role := new(catalog.Role)
		if err := catalog.Decode(e, role); err != nil {
			return err //nolint:wrapcheck // says it all
		}
		h.known.roles[id.Name] = encode(api.NewRole(role))
		h.touchRow(Roles, id.Name)
	case catalog.KindRoleBinding:
		binding := new(catalog.RoleBinding)
		if err := catalog.Decode(e, binding); err != nil {
			return err //nolint:wrapcheck // says it all
		}
		h.known.bindings[id.Name] = encode(api.NewRoleBinding(binding))
		h.touchRow(RoleBindings, id.Name)
	}
	return nil
}

// lose takes over that a record is gone.
func (h *Hub) lose(id catalog.ID) {
	switch id.Kind { //nolint:exhaustive // no row is made of the others
	case catalog.KindRegistration:
		h.takeRegistration(id, nil)
		h.work.ending = append(h.work.ending, Topic{Of: Status, API: id.API}, Topic{Of: Status, API: id.API, All: true})
	case catalog.KindSubscription, catalog.KindSubscriptionLock:
		h.loseTenant(id)
	case catalog.KindNamespace:
		delete(h.known.namespaces, id.Namespace)
		h.touchRow(Namespaces, id.Namespace)
		h.work.ending = append(h.work.ending, Topic{Of: NamespaceSubscriptions, Namespace: id.Namespace})
	case catalog.KindReconciler:
		h.takeReconciler(id, nil)
	case catalog.KindKonductor:
		h.appoint("")
	case catalog.KindHealth:
		delete(h.known.health, id.API)
		h.touchOf(id)
	case catalog.KindRole:
		delete(h.known.roles, id.Name)
		h.touchRow(Roles, id.Name)
	case catalog.KindRoleBinding:
		delete(h.known.bindings, id.Name)
		h.touchRow(RoleBindings, id.Name)
	}
}

func (h *Hub) loseTenant(id catalog.ID) {
	a := h.known.apis[id.API]
	if a == nil || a.tenants[id.Namespace] == nil {
		return
	}
	t := a.tenants[id.Namespace]
	if id.Kind == catalog.KindSubscriptionLock {
		t.lock = nil
	} else {
		t.there = false
	}
	h.touchOf(id)
	if !t.there && t.lock == nil {
		delete(a.tenants, id.Namespace)
		h.known.tidy(a)
	}
}

// takeRegistration takes over a registration; nil: it is gone.
func (h *Hub) takeRegistration(id catalog.ID, reg *catalog.Registration) {
	h.known.register(h.known.group(id.API), reg, h.scope)
	h.touchRow(Registrations, id.API)
	h.work.heads = append(h.work.heads, id.API)
	h.touchOf(id)
}

// takeReconciler takes over a reconciler; nil: it is gone. That it has come or gone is told at once. The lengths of its
// queues, which is all that changes otherwise, are not.
func (h *Hub) takeReconciler(id catalog.ID, now *catalog.Reconciler) {
	before := h.known.reconcilers[id.Name]
	h.touchRow(Reconcilers, id.Name)
	if now == nil {
		delete(h.known.reconcilers, id.Name)
	} else {
		h.known.reconcilers[id.Name] = now
	}
	if before != nil && now != nil {
		for name := range busy(before, now) {
			h.work.busy[name] = true
		}
		return
	}
	h.touchOf(id)
}

// appoint takes over which reconciler is the konductor.
func (h *Hub) appoint(id string) {
	h.touchRow(Reconcilers, h.known.konductor)
	h.touchRow(Reconcilers, id)
	h.known.konductor = id
}

// touch has a subscription's rows looked at, if there are any.
func (h *Hub) touch(t *tenant) {
	if !t.touched && h.cover.has(t) {
		t.touched = true
		h.work.tenants = append(h.work.tenants, t)
	}
}

// touchOf does so for all subscriptions whose rows may be others since a record has changed.
func (h *Hub) touchOf(id catalog.ID) {
	if !h.cover.empty() {
		h.known.affected(id, h.touch)
	}
}

// touchRow has a row looked at that is made of one record.
func (h *Hub) touchRow(of Resource, name string) {
	if h.feeds[Topic{Of: of}] != nil {
		h.work.plain[of] = append(h.work.plain[of], name)
	}
}
