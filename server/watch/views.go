package watch

import (
	"context"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// views makes rows of subscriptions, out of the records as they are during one hold of the hub's lock.
type views struct {
	hub   *Hub
	alive []catalog.Reconciler
	of    map[string]*catalog.Surroundings // by API
}

func (h *Hub) views() *views { return &views{hub: h, of: map[string]*catalog.Surroundings{}} }

// sight is how a subscription is seen: the same for all feeds, and encoded once for all that show it alike.
type sight struct {
	view   catalog.SubscriptionView
	orphan bool // its registration is not there
	loose  bool

	whole, row, rowOfAll []byte // nil: not needed yet
}

// see looks at a subscription.
func (v *views) see(ctx context.Context, t *tenant) *sight {
	reg := t.group.reg
	if reg == nil {
		reg = &catalog.Registration{Name: t.group.name}
	}
	is := &sight{view: catalog.NewView(t.subscription(), reg, t.lock), orphan: t.group.reg == nil}
	if is.orphan {
		return is
	}
	around := v.around(t.group)
	_ = around.Explain(ctx, &is.view, reg) // fails only if tenants does, and they do not
	is.loose = v.loose(is, t, around)
	if is.view.Reason == catalog.ReasonBackoff && !t.alarm.Equal(t.retryAt) {
		v.hub.alarms.set(t)
	}
	return is
}

// around are what the API's subscriptions may wait for.
func (v *views) around(a *group) *catalog.Surroundings {
	s := v.of[a.name]
	if s != nil {
		return s
	}
	h := v.hub
	if v.alive == nil {
		v.alive = h.known.alive()
	}
	s = &catalog.Surroundings{Home: h.scope, Reconcilers: v.alive, Tenants: (*tenants)(h)}
	for _, d := range a.reg.DependsOn {
		s.Needs = append(s.Needs, h.needed(d))
	}
	v.of[a.name] = s
	return s
}

// needed is what is known of a dependency.
func (h *Hub) needed(d catalog.Dependency) catalog.Needed {
	n := catalog.Needed{Dependency: d}
	switch there := h.abroad[d.Ref]; {
	case d.Scope() == h.scope:
		if a := h.known.apis[d.Name]; a != nil {
			n.Registration = a.reg
		}
		n.Health = h.known.health[d.Name]
	case there != nil:
		n.Registration, n.Health, n.Alone = there.needed.Registration, there.needed.Health, there.needed.Alone
	}
	return n
}

// loose tells whether a subscription may be seen otherwise before any record of the scope changes.
func (v *views) loose(is *sight, t *tenant, around *catalog.Surroundings) bool {
	switch is.view.Reason {
	case catalog.ReasonQueued, catalog.ReasonInit:
		if len(around.Reconcilers) > 0 { // and queues, that rows follow later
			return true
		}
		if !t.retryAt.IsZero() && !t.retryAt.After(time.Now()) {
			return true
		}
	case catalog.ReasonWaitingDependency:
	default:
		return false
	}
	for i := range around.Needs {
		if around.Needs[i].Scope() != v.hub.scope {
			return true
		}
	}
	return false
}

// in tells whether the topic has the subscription among its rows.
func (s *sight) in(t *Topic) bool {
	return t.takes(&s.view) && (!s.orphan || t.Of != NamespaceSubscriptions)
}

// shown is the row that the topic has of the subscription.
func (s *sight) shown(t *Topic) shown {
	data := &s.whole
	switch {
	case t.Of == Status && t.All:
		data = &s.rowOfAll
	case t.Of == Status:
		data = &s.row
	}
	if *data == nil {
		if t.Of == Status {
			*data = encode(api.NewRow(&s.view, t.All))
		} else {
			*data = encode(api.NewSubscription(&s.view))
		}
	}
	return shown{key: t.key(s.view.API, s.view.Namespace), data: *data, loose: s.loose}
}

// tenants are the subscriptions that a hub knows.
type tenants Hub

// Tenant implements [catalog.Tenants].
func (n *tenants) Tenant(_ context.Context, to catalog.Ref, namespace string) (*catalog.Subscription, error) {
	if to.Scope() != n.scope {
		if there := n.abroad[to]; there != nil {
			return there.tenants[namespace], nil
		}
		return nil, nil //nolint:nilnil // there is none
	}
	if a := n.known.apis[to.Name]; a != nil {
		if t := a.tenants[namespace]; t != nil && t.there {
			sub := t.subscription()
			return &sub, nil
		}
	}
	return nil, nil //nolint:nilnil // there is none
}
