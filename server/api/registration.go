// Package api has the JSON that Kayra's REST API speaks: what it answers, and the problems it answers instead.
package api

import (
	"time"

	"kayra/store/catalog"
)

// Registration is an API that is registered. A key that is marked read-only is ignored in a request.
type Registration struct {
	Name                 string               `json:"name" doc:"Lower-case DNS name of two labels or more; its identity."`
	ShortName            string               `json:"short_name" doc:"Alias for display and templates: a DNS label, unique in the deployment, or empty."`
	Platform             string               `json:"platform" readOnly:"true" doc:"Of the deployment."`
	Region               string               `json:"region" readOnly:"true" doc:"Of the deployment."`
	Active               bool                 `json:"active" doc:"Whether the API may be used. Default true. Reconciling goes on regardless."`
	Paused               bool                 `json:"paused" doc:"Holds every new attempt to reconcile. Default false."`
	Upstream             bool                 `json:"upstream" doc:"Stored, without effect."`
	Downstream           bool                 `json:"downstream" doc:"Stored, without effect."`
	Owner                string               `json:"owner"`
	Description          string               `json:"description"`
	DependsOn            []catalog.Dependency `json:"depends_on" doc:"Registrations that this one needs. A platform or region left out is the deployment's, a condition is started."`
	AllowedNamespaces    []string             `json:"allowed_namespaces" maxItems:"1000" doc:"Namespaces that may subscribe; empty: all. Those that do already stay."`
	RestrictedNamespaces []string             `json:"restricted_namespaces" maxItems:"1000" doc:"Namespaces that may not subscribe, even if they are allowed."`
	Operator             catalog.Operator     `json:"operator" doc:"How it is operated; what it leaves out comes from reconciler.operator of the reconciler's configuration."`
	SyncID               string               `json:"sync_id" doc:"Target of the subscriptions: 1 to 128 of A-Z a-z 0-9 . _ : -, minted when a new registration names none."`
	ReleasedSyncID       string               `json:"released_sync_id" readOnly:"true" doc:"The last sync_id that was given to everyone."`
	Mode                 string               `json:"mode" doc:"Pipeline that reconciles a subscription; empty for the reconciler's default mode."`
	CanaryNamespaces     []string             `json:"canary_namespaces" readOnly:"true" doc:"While a rollout is pending: the namespaces it has reached."`
}

// NewRegistration is how a registration is answered.
func NewRegistration(r *catalog.Registration) Registration {
	var operator catalog.Operator
	if r.Operator != nil {
		operator = *r.Operator
	}
	return Registration{
		Name: r.Name, ShortName: r.ShortName, Platform: r.Platform, Region: r.Region,
		Active: r.Active, Paused: r.Paused, Upstream: r.Upstream, Downstream: r.Downstream,
		Owner: r.Owner, Description: r.Description, DependsOn: filled(r.DependsOn),
		AllowedNamespaces: filled(r.AllowedNamespaces), RestrictedNamespaces: filled(r.RestrictedNamespaces), Operator: operator,
		SyncID: r.SyncID, ReleasedSyncID: r.ReleasedSyncID, Mode: r.Mode, CanaryNamespaces: filled(r.CanaryNamespaces),
	}
}

// filled is the list, which is never null in an answer.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// Sync asks for a registration to be synced. Without a key it gives a fresh sync_id to everyone or, while a rollout is
// pending, releases it.
type Sync struct {
	CanaryNamespaces []string `json:"canary_namespaces,omitempty" minItems:"1" maxItems:"100" doc:"Give a fresh sync_id to these namespaces alone."`
	Release          bool     `json:"release,omitempty" enum:"true" doc:"Release the pending rollout to everyone; refused when there is none."`
	Abort            bool     `json:"abort,omitempty" enum:"true" doc:"Go back to released_sync_id; refused when no rollout is pending."`
	ExpectedSyncID   string   `json:"expected_sync_id,omitempty" doc:"Refuse unless this is the registration's sync_id now."`
}

// Status is a registration's target with how its subscriptions stand against it.
type Status struct {
	Name             string   `json:"name"`
	SyncID           string   `json:"sync_id"`
	ReleasedSyncID   string   `json:"released_sync_id"`
	CanaryNamespaces []string `json:"canary_namespaces"`
	Subscriptions    []Row    `json:"subscriptions"`
}

// Row is a subscription in a Status.
type Row struct {
	Namespace       string         `json:"namespace"`
	Active          *bool          `json:"active,omitempty" doc:"Only where inactive subscriptions were asked for, too."`
	State           catalog.State  `json:"state" enum:"init,success,error"`
	CurrentSyncID   string         `json:"current_sync_id"`
	Synced          bool           `json:"synced"`
	Reason          catalog.Reason `json:"reason"`
	Message         string         `json:"message"`
	AttemptedSyncID string         `json:"attempted_sync_id"`
	UpdatedAt       time.Time      `json:"updated_at"`
}

// NewStatus is how a status is answered. all tells whether it has inactive subscriptions, too.
func NewStatus(s *catalog.Status, all bool) Status {
	out := Status{
		Name: s.Registration.Name, SyncID: s.Registration.SyncID, ReleasedSyncID: s.Registration.ReleasedSyncID,
		CanaryNamespaces: filled(s.Registration.CanaryNamespaces), Subscriptions: make([]Row, len(s.Subscriptions)),
	}
	for i := range s.Subscriptions {
		out.Subscriptions[i] = NewRow(&s.Subscriptions[i], all)
	}
	return out
}

// NewRow is how a subscription is answered in a Status.
func NewRow(v *catalog.SubscriptionView, all bool) Row {
	row := Row{
		Namespace: v.Namespace, State: v.State, CurrentSyncID: v.CurrentSyncID, Synced: v.InSync,
		Reason: v.Reason, Message: v.Message, AttemptedSyncID: v.Attempt.SyncID, UpdatedAt: v.UpdatedAt,
	}
	if all {
		row.Active = &v.Active
	}
	return row
}

// StatusHead is a Status without its rows.
type StatusHead struct {
	Name             string   `json:"name"`
	SyncID           string   `json:"sync_id"`
	ReleasedSyncID   string   `json:"released_sync_id"`
	CanaryNamespaces []string `json:"canary_namespaces"`
}

// NewStatusHead is how a registration is answered beside the rows of a Status.
func NewStatusHead(r *catalog.Registration) StatusHead {
	return StatusHead{Name: r.Name, SyncID: r.SyncID, ReleasedSyncID: r.ReleasedSyncID, CanaryNamespaces: filled(r.CanaryNamespaces)}
}
