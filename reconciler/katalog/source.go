package katalog

import (
	"time"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// Source is a process that is asked. Its methods may be called at the same time, and read nothing from the store. What
// they return is not changed.
type Source interface {
	Process() Process
	// APIs are the registrations, and those that are not there although others depend on them, by name, without Details.
	APIs() []API
	// API is one of them, with Details if it is registered.
	API(name string) (API, bool)
	// Tenants are the subscriptions to a registration, by namespace, without what [Tenant] has of one alone.
	Tenants(api string) []Tenant
	// Tenant is one of them.
	Tenant(api, namespace string) (Tenant, bool)
}

// Process is the process as a whole.
type Process struct {
	Scope     catalog.Scope
	Version   string
	Ready     bool      // it follows the store, and holds its lease there
	Konductor bool      // it decides what must be decided once
	Gateway   string    // URL of a server that has the gateway's figures; "": not known
	Now       time.Time // of the answer
}

// API is a registration as the process sees it.
type API struct {
	Name         string
	Registration *catalog.Registration // nil: it is not registered, and others depend on it
	Settings     catalog.Settings
	Mode         string // that holds for it; "": none
	Placeholder  bool   // the mode has no steps, so that nothing is sent

	State        catalog.HealthState
	Started      bool   // its workers run
	Reason       string // of being degraded or missing: one sentence
	Dependencies []Dependency
	Tally        Tally
	Rules        int // of roles that are about it
	Hosts        int // that its steps call, as far as is known

	Vitals kordinator.Snapshot
	Scale  kordinator.ScaleReport
	Queue  kordinator.Stats
	Resync time.Duration // that holds now; 0: none

	Details *Details
}

// Tally counts a registration's subscriptions.
type Tally struct {
	Subscribed int
	Synced     int
	Failing    int // whose last attempt has failed
	InError    int // whose last trigger has ended in error at the registration's sync id
	Failures   int // failed attempts that all processes have recorded since the last success of any
}

// Dependency is what a registration depends on, as it is now.
type Dependency struct {
	catalog.Dependency

	State     string // as of [catalog.HealthState], "external" or "unknown"
	Condition string // the most that is so of it: "synced", "healthy", "started", or State where it has not started
	Satisfied bool   // nothing waits for it
}

// Details are what is told of a registration alone.
type Details struct {
	Steps  []any // of its mode, masked, as JSON
	Hosts  []Host
	Grants []Grant
}

// Host is a target of the steps.
type Host struct {
	Name          string
	Steps         []string // that call it
	Calls, Errors int64
}

// Grant is a rule of a role.
type Grant struct {
	Role string
	Rule catalog.Rule
}

// Tenant is a subscription as the process sees it.
type Tenant struct {
	Subscription *catalog.Subscription
	Registration *catalog.Registration
	Reason       catalog.Reason

	// Of one alone:

	Message string // what Reason means here, in one sentence
	Run     *Run   // the last one; nil: there was none
	Events  []CREvent
}

// Run is an execution of a mode's steps.
type Run struct {
	Name      string // its id
	Attempt   int    // which one of its trigger
	StartedAt time.Time
	Took      time.Duration
	Ready     bool // it has succeeded
	Total     int  // steps of the mode; 0: not known
	Steps     []Step
}

// Step is a step of a run.
type Step struct {
	Name      string
	Method    string
	Endpoint  string // masked
	State     string // running, pending, ok, failed or interrupted
	Calls     int
	Code      int // HTTP status of the last answer; 0: there was none
	StartedAt time.Time
	Took      time.Duration
	Reason    string // why it failed
}
