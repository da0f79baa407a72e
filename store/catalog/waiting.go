package catalog

import (
	"context"
	"fmt"
	"strings"
)

// Surroundings are the records that a subscription waits for when nothing on its own keeps it from being tried.
type Surroundings struct {
	Home        Scope
	Reconcilers []Reconciler // of the scope, that are alive
	Needs       []Needed     // what the registration depends on
	Tenants     Tenants
}

// Needed is a registration that another one depends on, and what is known of it.
type Needed struct {
	Dependency

	Registration *Registration // nil: it is not registered
	Health       Health
	Alone        bool // it is in another scope, in which no reconciler is alive
}

// Tenants have the subscriptions to registrations that others depend on.
type Tenants interface {
	// Tenant is the namespace's subscription to the registration, or nil where there is none.
	Tenant(ctx context.Context, to Ref, namespace string) (*Subscription, error)
}

// Explain has a view that may be tried say what it waits for: a dependency, a slot, or a reconciler. It leaves any other
// view as it is. It fails only if Tenants does.
func (s *Surroundings) Explain(ctx context.Context, v *SubscriptionView, reg *Registration) error {
	if !v.may() {
		return nil
	}
	if !v.PassesDependencies(reg) {
		unmet, err := s.unmet(ctx, v.Namespace)
		if err != nil {
			return err
		}
		if unmet != "" {
			v.Reason, v.Message = ReasonWaitingDependency, unmet
			return nil
		}
	}
	v.Reason, v.Message = s.slot(v)
	return nil
}

// slot tells what one waits for that waits for no dependency.
func (s *Surroundings) slot(v *SubscriptionView) (Reason, string) {
	if len(s.Reconcilers) == 0 {
		return v.Reason, v.Message + "; no reconciler is running: start one"
	}
	var sum QueueLength
	for i := range s.Reconcilers {
		length := s.Reconcilers[i].Queues[v.API]
		sum.Waiting += length.Waiting
		sum.Running += length.Running
	}
	if sum.Waiting == 0 {
		return v.Reason, v.Message
	}
	return ReasonQueued, fmt.Sprintf("waiting for a slot: %d jobs of this API wait for one, and %d run, in all reconcilers (%d)",
		sum.Waiting, sum.Running, len(s.Reconcilers))
}

// unmet says which dependency keeps the namespace's subscription from being tried, and why, or is "".
func (s *Surroundings) unmet(ctx context.Context, namespace string) (string, error) {
	for i := range s.Needs {
		n := &s.Needs[i]
		is := n.is(s.Home)
		if is == "" && n.Registration != nil && n.Needs() == ConditionSynced {
			sub, err := s.Tenants.Tenant(ctx, n.Ref, namespace)
			if err != nil {
				return "", err //nolint:wrapcheck // says it all
			}
			is = sub.Behind(n.Registration)
		}
		if is != "" {
			return n.Waits(s.Home, is), nil
		}
	}
	return "", nil
}

// is tells what a dependency is that it must not be, or is "". One in another scope that the store does not tell of is not
// judged.
func (n *Needed) is(home Scope) string {
	foreign := n.Scope() != home
	switch {
	case foreign && n.Registration == nil:
		return ""
	case n.Alone && n.Needs() != ConditionSynced:
		return "no reconciler of its platform and region is running"
	case foreign && n.Health.State == "":
		return ""
	}
	return n.Unmet(n.Registration != nil, n.Health)
}

// Unmet tells what a dependency is that it must not be, or is "". Of one that must be synced, that is told by
// [Subscription.Behind].
func (d Dependency) Unmet(registered bool, is Health) string {
	switch {
	case !registered:
		return "it is not registered"
	case d.Needs() == ConditionSynced:
		return ""
	case is.State == "" || is.State == HealthNotStarted || is.State == HealthMissing:
		return "its workers have not been started"
	case d.Needs() == ConditionHealthy && is.State != HealthHealthy:
		return strings.TrimSuffix(fmt.Sprintf("it is %s, since %s", is.State, is.Reason), ", since ")
	}
	return ""
}

// Waits says, within a scope, that a dependency is waited for, and why.
func (d Dependency) Waits(s Scope, why string) string {
	return fmt.Sprintf("waits for %s to be %s: %s", d.NameIn(s), d.Needs(), why)
}

// Behind tells how a subscription to a dependency, or nil where there is none, stands, or is "" when it is where it should
// be.
func (s *Subscription) Behind(reg *Registration) string {
	if s == nil || s.UpToDate(reg) {
		return ""
	}
	return fmt.Sprintf("this namespace's subscription to it is at sync_id %q, not at %q (its state is %s)",
		s.CurrentSyncID, reg.SyncID, s.State)
}
