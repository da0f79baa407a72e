package catalog

import (
	"slices"
	"time"
)

// Ref names a registration in any scope.
type Ref struct {
	Platform string `json:"platform"`
	Region   string `json:"region"`
	Name     string `json:"name"`
}

func (r Ref) String() string { return r.Platform + "/" + r.Region + "/" + r.Name }

// Registration says that an API exists in this deployment's scope.
type Registration struct {
	Meta

	Name        string `json:"name"`       // a DNS name of two labels or more; its identity
	ShortName   string `json:"short_name"` // a DNS label, unique in the scope, or ""
	Platform    string `json:"platform"`   // of the scope
	Region      string `json:"region"`     // of the scope
	Active      bool   `json:"active"`     // whether the API may be used; reconciling goes on regardless
	Paused      bool   `json:"paused"`     // holds every new attempt, the fetch of the document too
	Upstream    bool   `json:"upstream"`   // stored only
	Downstream  bool   `json:"downstream"` // stored only
	Owner       string `json:"owner"`
	Description string `json:"description"`
	Mode        string `json:"mode"` // a key of reconciler.mode, or "" for the default mode

	DependsOn            []Dependency `json:"depends_on"`
	AllowedNamespaces    []string     `json:"allowed_namespaces,omitempty"`    // who may subscribe from now on; empty: everyone
	RestrictedNamespaces []string     `json:"restricted_namespaces,omitempty"` // who may not, even if it is allowed
	Operator             *Operator    `json:"operator,omitempty"`              // nil: all is left to kayra.yaml

	SyncID           string   `json:"sync_id"`           // the target of every subscriber that is not held
	ReleasedSyncID   string   `json:"released_sync_id"`  // the last id that was given to everyone
	CanaryNamespaces []string `json:"canary_namespaces"` // while a rollout is pending: those it has reached

	UID        string    `json:"uid"`                    // differs from that of a deleted namesake
	Generation int64     `json:"generation"`             // +1 at every client write
	GoodSyncID string    `json:"good_sync_id,omitempty"` // the last id at which every active subscription was synced
	Reverting  bool      `json:"reverting,omitempty"`    // the target came from an abort or a rollback
	CreatedAt  time.Time `json:"created_at"`
	TargetAt   time.Time `json:"target_at"` // when sync_id was last set

	RolledBack RolledBack `json:"rolled_back,omitzero"`
}

// RolledBack is what is known of a registration's rollbacks.
type RolledBack struct {
	Total  int64     `json:"total"`   // ever
	SyncID string    `json:"sync_id"` // the last id that was taken back
	At     time.Time `json:"at"`
}

// Pending tells whether a rollout has reached its canaries only and awaits its release or its abort.
func (r *Registration) Pending() bool { return len(r.CanaryNamespaces) > 0 }

// admits refuses a namespace that may not subscribe. Being restricted outweighs being allowed.
func (r *Registration) admits(namespace string) error {
	switch {
	case slices.Contains(r.RestrictedNamespaces, namespace):
		return refuse(ErrForbidden, "namespace %q may not subscribe to %q, whose restricted_namespaces has it: ask a sysadmin to take it out of there",
			namespace, r.Name)
	case len(r.AllowedNamespaces) > 0 && !slices.Contains(r.AllowedNamespaces, namespace):
		return refuse(ErrForbidden, "namespace %q may not subscribe to %q, whose allowed_namespaces does not have it: ask a sysadmin to add it there",
			namespace, r.Name)
	}
	return nil
}

// Ref is the registration's own reference.
func (r *Registration) Ref() Ref { return Ref{Platform: r.Platform, Region: r.Region, Name: r.Name} }

// Namespace is a tenant.
type Namespace struct {
	Meta

	Name      string    `json:"name"`   // a DNS label
	Active    bool      `json:"active"` // set once, by a reconciler
	UID       string    `json:"uid"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Reconciler is the presence of a reconciler process; it goes with the process's session.
type Reconciler struct {
	Meta

	ID        string    `json:"id"`
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	Endpoint  string    `json:"endpoint"` // where it serves its health and metrics
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Konductor bool      `json:"-"` // whether it decides what must be decided once

	Queues map[string]QueueLength `json:"queues,omitempty"` // by API, a moment ago, of those whose jobs have to wait
}

// QueueLength is how many jobs of an API wait in a reconciler, and run.
type QueueLength struct {
	Waiting int `json:"waiting"`
	Running int `json:"running"`
}

// Boot counts the starts of reconcilers, each of which is a trigger.
type Boot struct {
	Meta

	Count int64 `json:"count"`
}

// Lock says who runs a job. It goes with its holder's session.
type Lock struct {
	Meta

	Holder string `json:"holder"` // the holder's session
	Step   Step   `json:"step,omitzero"`
}
