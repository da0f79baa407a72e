package api

import (
	"time"

	"kayra/store/catalog"
)

// Groups is every API group that can be reached: Kayra's own first, then those of the registrations.
type Groups struct {
	APIs []Group `json:"apis"`
}

// Group is one API group.
type Group struct {
	Name      string             `json:"name"`
	ShortName string             `json:"short_name"`
	Builtin   bool               `json:"builtin" doc:"Whether Kayra itself serves it."`
	Resources []catalog.Resource `json:"resources" doc:"Empty until the app's OpenAPI document was fetched."`
}

// NewGroup is how the group of a registration is answered.
func NewGroup(a *catalog.API) Group {
	return Group{Name: a.Registration.Name, ShortName: a.Registration.ShortName, Resources: filled(a.Resources)}
}

// Reconciler is a reconciler process that is alive.
type Reconciler struct {
	ID        string    `json:"id"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Endpoint  string    `json:"endpoint" doc:"Where it serves its health and its metrics."`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Konductor bool      `json:"konductor" doc:"Whether it decides what must be decided once."`

	Queues map[string]catalog.QueueLength `json:"queues" doc:"By API, a moment ago: the jobs that wait and those that run, of the queues in which one waits; of 100 of them at most."`
}

// NewReconciler is how a reconciler is answered.
func NewReconciler(r *catalog.Reconciler) Reconciler {
	out := Reconciler{
		ID: r.ID, Host: r.Host, PID: r.PID, Endpoint: r.Endpoint,
		Version: r.Version, StartedAt: r.StartedAt, Konductor: r.Konductor, Queues: r.Queues,
	}
	if out.Queues == nil {
		out.Queues = map[string]catalog.QueueLength{}
	}
	return out
}

// Metadata says what answers here.
type Metadata struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Domain   string `json:"domain"`
	Platform string `json:"platform"`
	Region   string `json:"region"`
}

// Health says that the process is well.
type Health struct {
	Status string `json:"status" enum:"ok"`
}
