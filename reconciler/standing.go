package reconciler

import (
	"fmt"

	"kayra/store/catalog"
)

// fact is what a registration is to those that depend on it.
type fact struct {
	present  bool
	started  bool // its workers run; for one of another scope, a reconciler of that scope is alive
	state    catalog.HealthState
	external bool // of another scope, of which the store does not tell
}

// meets tells whether new runs may begin that need the condition. A subscription's own part is judged by awaits.
func (f fact) meets(needs catalog.Condition) bool {
	switch {
	case f.external:
		return true // nothing here can judge it
	case needs == catalog.ConditionHealthy:
		return f.present && f.started && f.state == catalog.HealthHealthy
	case needs == catalog.ConditionStarted:
		return f.present && f.started
	}
	return f.present
}

// factOf is what is so of a registration now.
func (c *cache) factOf(ref catalog.Ref) fact {
	if ref.Platform != c.scope.Platform || ref.Region != c.scope.Region {
		return c.foreignFact(ref)
	}
	a := c.apis[ref.Name]
	if a == nil || a.reg == nil {
		return fact{state: catalog.HealthMissing}
	}
	return fact{present: true, started: a.started, state: c.healthOf(a)}
}

// healthOf is the state of a registration that is there, as its records have it. That it has not started is not on them.
func (c *cache) healthOf(a *api) catalog.HealthState {
	t := &a.tally
	switch {
	case t.failures >= a.settings.FailureThreshold.Value || c.missesDependency(a) != "":
		return catalog.HealthDegraded
	case t.succeeded > 0 || t.subscribed == 0 && a.spec.Has(a.reg.SyncID):
		return catalog.HealthHealthy
	case t.tried > 0 || t.subscribed == 0 && a.spec.Attempt.Phase == catalog.PhaseError:
		return catalog.HealthStarted
	}
	return catalog.HealthPending
}

// missesDependency names a dependency that is not registered, or is "".
func (c *cache) missesDependency(a *api) string {
	for _, d := range a.reg.DependsOn {
		if c.inScope(d.Ref) && !c.registered(d.Name) {
			return d.Name
		}
	}
	return ""
}

func (c *cache) inScope(ref catalog.Ref) bool {
	return ref.Platform == c.scope.Platform && ref.Region == c.scope.Region
}

func (c *cache) registered(name string) bool {
	a := c.apis[name]
	return a != nil && a.reg != nil
}

// degradedReason says why the registration is degraded, or is "".
func (c *cache) degradedReason(a *api) string {
	if dep := c.missesDependency(a); dep != "" {
		return fmt.Sprintf("its dependency %s is not registered", dep)
	}
	if limit := a.settings.FailureThreshold.Value; a.tally.failures >= limit {
		return fmt.Sprintf("%d attempts or more have failed since the last success (failure_threshold)", limit)
	}
	return ""
}

// healthReason says why the registration is degraded, or what keeps it from being healthy where that is on no
// subscription's record, or is "".
func (c *cache) healthReason(a *api) string {
	reason := c.degradedReason(a)
	if reason == "" && a.spec.Attempt.Phase == catalog.PhaseError && !a.spec.Has(a.reg.SyncID) {
		return a.spec.Attempt.Message
	}
	return reason
}

// blockedBy is the index of the first dependency that keeps new runs of the subscription from beginning, or -1.
func (c *cache) blockedBy(a *api, sub *catalog.Subscription) int {
	if sub.PassesDependencies(a.reg) {
		return -1
	}
	for i, d := range a.reg.DependsOn {
		if !c.factOf(d.Ref).meets(d.Needs()) || d.Needs() == catalog.ConditionSynced && c.awaits(d.Ref, sub.Namespace) {
			return i
		}
	}
	return -1
}

// awaits tells whether the namespace subscribes to a dependency and is not synced there. One that a rollout holds at the
// id that was released counts as synced.
func (c *cache) awaits(ref catalog.Ref, namespace string) bool {
	if !c.inScope(ref) {
		return c.awaitsAbroad(ref, namespace)
	}
	a := c.apis[ref.Name]
	if a == nil || a.reg == nil {
		return false
	}
	s := a.subscribers[namespace]
	return s != nil && s.sub != nil && !s.sub.UpToDate(a.reg)
}

// mayStart tells whether the conditions for a registration's workers to start are met. That a namespace is synced is a
// condition of its own subscription alone.
func (c *cache) mayStart(a *api) bool {
	if a.reg.Reverting {
		return true
	}
	for _, d := range a.reg.DependsOn {
		if needs := d.Needs(); needs != catalog.ConditionSynced && !c.factOf(d.Ref).meets(needs) {
			return false
		}
	}
	return true
}
