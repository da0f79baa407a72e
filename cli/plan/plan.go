// Package plan tells what applying an API registration would change: its fields, the order in which it and what it needs
// are started, who would be reconciled in which order, and what would be sent. It computes from what the server has
// answered, and shows the result as text; it reads nothing and writes nothing.
package plan

import (
	"encoding/json"

	"kayra/reconciler/pipeline"
	"kayra/server/api"
)

// Minted stands for a sync id that is not known before it is made.
const Minted = "<minted when it is applied>"

// Action is what applying would do.
type Action string

// The actions.
const (
	Create Action = "create"
	Update Action = "update"
)

// Plan is what applying an API registration would change.
type Plan struct {
	Name       string    `json:"name"`
	Action     Action    `json:"action"`
	Changes    []Change  `json:"changes"`
	StartOrder []Start   `json:"start_order"` // the registration itself comes last
	Reconcile  Reconcile `json:"reconcile"`
	Requests   Requests  `json:"requests"`
}

// Change is a field that gets another value. A part of an object is named with dots.
type Change struct {
	Field string          `json:"field"`
	Old   json.RawMessage `json:"old"` // null: there was nothing
	New   json.RawMessage `json:"new"` // null: it is cleared
}

// Start is a registration in the order in which workers are started.
type Start struct {
	Name     string `json:"name"`               // PLATFORM/REGION/NAME if it is of another scope
	External bool   `json:"external,omitempty"` // of another scope: what it needs is not known here
	Needs    []Need `json:"needs"`
}

// Need is a dependency with the condition that must hold for new runs to begin.
type Need struct {
	Name      string `json:"name"`
	Condition string `json:"condition"` // started, healthy or synced
}

// Reconcile says who would be reconciled, and in which order.
type Reconcile struct {
	SyncID      string   `json:"sync_id"` // the target
	Why         string   `json:"why"`     // why those who are due are, or why nobody is
	Paused      bool     `json:"paused"`
	Subscribers int      `json:"subscribers"`
	Due         []Tenant `json:"due"`  // by wave and namespace
	Held        []Tenant `json:"held"` // who would be due if nothing held them back
	Waves       []Wave   `json:"waves"`
	Order       string   `json:"order"` // what decides within a wave
}

// Tenant is a subscriber that is behind.
type Tenant struct {
	Namespace     string `json:"namespace"`
	CurrentSyncID string `json:"current_sync_id"`
	Why           string `json:"why"`            // inactive: it has never been synced; behind; or held by canary or paused
	Wave          int    `json:"wave,omitempty"` // from 1; 0: it is held
}

// Wave is a number of tenants who wait for the same kind of thing.
type Wave struct {
	Number     int      `json:"number"` // from 1
	After      []string `json:"after"`  // what has to be so first; empty: nothing
	Namespaces []string `json:"namespaces"`
}

// Requests are what the run of the first tenant would send.
type Requests struct {
	Mode      string                 `json:"mode"`           // "": there is none
	From      string                 `json:"mode_from"`      // "registration" or "reconciler.default_mode"; ""
	Config    string                 `json:"config"`         // the file that the mode was looked for in; ""
	Namespace string                 `json:"namespace"`      // of the tenant; ""
	Steps     []pipeline.RequestView `json:"steps"`          // secrets masked
	Note      string                 `json:"note,omitempty"` // why nothing is shown
}

// Facts are what a plan rests on.
type Facts struct {
	Before json.RawMessage // as the server answers it; nil: the registration is to be created
	After  json.RawMessage // what it would be
	Minted bool            // its sync id is made when it is applied

	Registrations []api.Registration   // all of the scope
	Rows          map[string][]api.Row // of the registration itself, and of those that Gating names
}

// subject is the registration as it would be.
func (f *Facts) subject() (api.Registration, error) {
	var after api.Registration
	err := json.Unmarshal(f.After, &after)
	if f.Minted {
		after.SyncID = Minted
	}
	return after, err //nolint:wrapcheck // New says what was read
}
