package reconciler

import (
	"kayra/reconciler/katalog"
	"kayra/store/catalog"
)

// What is told of a dependency beside its health.
const (
	isExternal = "external" // the store does not tell of it, so that nothing here waits for it
	isUnknown  = "unknown"  // what the store tells of it has not been read yet
)

// dependency tells how a dependency of a registration is doing.
func (c *cache) dependency(a *api, index int) katalog.Dependency {
	d := a.reg.DependsOn[index]
	f := c.factOf(d.Ref)
	waiting := d.Needs() == catalog.ConditionSynced && a.waiting[index] > 0
	out := katalog.Dependency{Dependency: d, State: f.name(), Satisfied: f.meets(d.Needs()) && !waiting}
	out.Condition = out.State
	switch {
	case f.external || !f.present || !f.started:
	case d.Needs() == catalog.ConditionSynced && !waiting:
		out.Condition = string(catalog.ConditionSynced)
	case f.state == catalog.HealthHealthy:
		out.Condition = string(catalog.ConditionHealthy)
	default:
		out.Condition = string(catalog.ConditionStarted)
	}
	return out
}

// name is the state of a registration to those that depend on it.
func (f fact) name() string {
	switch {
	case f.external:
		return isExternal
	case f.present && !f.started:
		return string(catalog.HealthNotStarted)
	case f.state == "":
		return isUnknown
	}
	return string(f.state)
}

// unmet tells what a dependency is that keeps the namespace's subscription from being tried.
func (c *cache) unmet(a *api, index int, namespace string) string {
	d := a.reg.DependsOn[index]
	f := c.factOf(d.Ref)
	if f.name() == isUnknown {
		return "what the store has of it has not been read yet"
	}
	is := catalog.Health{State: catalog.HealthState(f.name())}
	reg, sub := c.there(d.Ref, namespace, &is)
	if unmet := d.Unmet(f.present, is); unmet != "" || reg == nil {
		return unmet
	}
	if sub == nil { // which is no reason to wait, unless it has not been read
		return "this namespace's subscription to it has not been read yet"
	}
	return sub.Behind(reg)
}

// there is a registration of any scope with the namespace's subscription to it, each nil where it is not known. Why the
// registration is not healthy is added to what it is.
func (c *cache) there(ref catalog.Ref, namespace string, is *catalog.Health) (*catalog.Registration, *catalog.Subscription) {
	if !c.inScope(ref) {
		at := c.abroad[ref.Scope()]
		if at == nil {
			return nil, nil
		}
		if h := at.health[ref.Name]; h != nil {
			is.Reason = h.Reason
		}
		return at.registrations[ref.Name], at.subscriptions[ref.Name][namespace]
	}
	a := c.apis[ref.Name]
	if a == nil || a.reg == nil {
		return nil, nil
	}
	is.Reason = c.healthReason(a)
	if s := a.subscribers[namespace]; s != nil {
		return a.reg, s.sub
	}
	return a.reg, nil
}
