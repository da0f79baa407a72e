package rollout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kayra/server/api"
	"kayra/store/catalog"
)

// State is an API registration and who subscribes to it, as they were read at one moment.
type State struct {
	Registration api.Registration
	Tenants      []api.Row // all subscriptions, by namespace; Active is set
}

// Load reads the state of a registration.
func (e *Engine) Load(ctx context.Context, name string) (*State, error) {
	const tries = 3
	var s State
	for range tries {
		var status api.Status
		if err := e.read(ctx, e.path(name), &s.Registration); err != nil {
			return nil, err
		}
		if err := e.read(ctx, e.path(name)+"/status?all=true", &status); err != nil {
			return nil, err
		}
		s.Tenants = status.Subscriptions
		slices.SortFunc(s.Tenants, func(a, b api.Row) int { return strings.Compare(a.Namespace, b.Namespace) })
		if status.SyncID == s.Registration.SyncID && slices.Equal(status.CanaryNamespaces, s.Registration.CanaryNamespaces) {
			return &s, nil
		}
	}
	return nil, fmt.Errorf("read %s: it is being changed all the time: %w", name, catalog.ErrConflict)
}

// Pending tells whether a rollout has reached its canaries only, and awaits its release or its abort.
func (s *State) Pending() bool { return len(s.Registration.CanaryNamespaces) > 0 }

// Tenant finds the subscription of a namespace; nil: there is none.
func (s *State) Tenant(namespace string) *api.Row {
	i, found := slices.BinarySearchFunc(s.Tenants, namespace, func(r api.Row, ns string) int { return strings.Compare(r.Namespace, ns) })
	if !found {
		return nil
	}
	return &s.Tenants[i]
}

// names are the namespaces of those tenants that are meant.
func (s *State) names(meant func(*api.Row) bool) []string {
	var names []string
	for i := range s.Tenants {
		if meant(&s.Tenants[i]) {
			names = append(names, s.Tenants[i].Namespace)
		}
	}
	return names
}

// Active tells whether a row is that of a subscription whose first sync has succeeded.
func Active(r *api.Row) bool { return r.Active == nil || *r.Active }

func (s *State) canary(namespace string) bool {
	return slices.Contains(s.Registration.CanaryNamespaces, namespace)
}

// Census is who of a registration's subscribers stands how.
type Census struct {
	Active, Idle, Synced int
	Failed               []string // namespaces that have ended in error at the registration's sync id
	Held                 []string // namespaces that the pending rollout holds back
}

// Census counts the subscribers.
func (s *State) Census() Census {
	var c Census
	for i := range s.Tenants {
		r := &s.Tenants[i]
		if Active(r) {
			c.Active++
		} else {
			c.Idle++
		}
		if r.Synced {
			c.Synced++
		}
		if failedAt(r, s.Registration.SyncID) {
			c.Failed = append(c.Failed, r.Namespace)
		}
		if s.Pending() && Active(r) && !s.canary(r.Namespace) {
			c.Held = append(c.Held, r.Namespace)
		}
	}
	return c
}

// Canaries are those of the pending rollout that still subscribe.
func (s *State) Canaries() []Tenant {
	goal := s.Canary()
	var all []Tenant
	for _, ns := range s.Registration.CanaryNamespaces {
		if r := s.Tenant(ns); r != nil {
			all = append(all, Tenant{*r, goal.standing(r, goal.SyncID)})
		}
	}
	return all
}
