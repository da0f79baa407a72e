package api

import (
	"time"

	"kayra/store/catalog"
)

// Subscription ties a namespace to a registration. All of it but the API is computed, and ignored in a request.
type Subscription struct {
	API             string         `json:"api" doc:"Name of the registration."`
	Namespace       string         `json:"namespace" readOnly:"true"`
	Active          bool           `json:"active" readOnly:"true" doc:"Whether the namespace may use the API; set once, by the first sync that succeeds."`
	State           catalog.State  `json:"state" readOnly:"true" enum:"init,success,error" doc:"Outcome of the last sync."`
	CurrentSyncID   string         `json:"current_sync_id" readOnly:"true"`
	ExpectedSyncID  string         `json:"expected_sync_id" readOnly:"true" doc:"The registration's sync_id."`
	Synced          bool           `json:"synced" readOnly:"true" doc:"Active, and at the expected sync_id."`
	Reason          catalog.Reason `json:"reason" readOnly:"true" doc:"Why it stands where it stands, in a word."`
	Message         string         `json:"message" readOnly:"true" doc:"The same in a sentence, where there is something to say."`
	AttemptedSyncID string         `json:"attempted_sync_id" readOnly:"true" doc:"The sync_id of the last attempt."`
	UpdatedAt       time.Time      `json:"updated_at" readOnly:"true"`
}

// NewSubscription is how a subscription is answered.
func NewSubscription(v *catalog.SubscriptionView) Subscription {
	return Subscription{
		API: v.API, Namespace: v.Namespace, Active: v.Active, State: v.State,
		CurrentSyncID: v.CurrentSyncID, ExpectedSyncID: v.ExpectedSyncID, Synced: v.InSync,
		Reason: v.Reason, Message: v.Message, AttemptedSyncID: v.Attempt.SyncID, UpdatedAt: v.UpdatedAt,
	}
}

// Namespace is a tenant.
type Namespace struct {
	Name   string `json:"name" doc:"A DNS label; its identity."`
	Active bool   `json:"active" readOnly:"true" doc:"Set once, by a reconciler."`
}

// NewNamespace is how a namespace is answered.
func NewNamespace(n *catalog.Namespace) Namespace {
	return Namespace{Name: n.Name, Active: n.Active}
}
