package katalog

// CREventsResponse has what has happened to a subscription since the process started.
type CREventsResponse struct {
	Name      string    `json:"name"` // of the API
	Namespace string    `json:"namespace,omitempty"`
	Total     int       `json:"total"`
	Events    []CREvent `json:"events"` // the newest first, 100 at most
}

// CREvent is something that has happened, once or again and again.
type CREvent struct {
	Type      string      `json:"type"` // Normal or Warning
	Reason    EventReason `json:"reason"`
	Message   string      `json:"message"` // one sentence
	Source    string      `json:"source"`  // id of the reconciler that did it, or has seen it
	Object    string      `json:"object"`  // subscription/NAMESPACE/API
	Count     int32       `json:"count"`
	FirstSeen string      `json:"firstSeen"` // RFC 3339
	LastSeen  string      `json:"lastSeen"`  // RFC 3339
	Age       string      `json:"age"`       // since lastSeen
}

// EventReason tells in a word what has happened.
type EventReason string

// The reasons.
const (
	EventActivated         EventReason = "Activated"         // the first sync has succeeded
	EventReconciled        EventReason = "Reconciled"        // a sync has succeeded
	EventReconcileError    EventReason = "ReconcileError"    // a sync has failed
	EventRetrying          EventReason = "Retrying"          // an attempt has failed, and is made again
	EventCanaryHold        EventReason = "CanaryHold"        // a rollout is pending that does not have it yet
	EventWaitingDependency EventReason = "WaitingDependency" // a dependency is not what it must be
	EventSpecUnavailable   EventReason = "SpecUnavailable"   // the OpenAPI document could not be fetched
	EventRolledBack        EventReason = "RolledBack"        // the sync id was taken back
	EventInterrupted       EventReason = "Interrupted"       // an attempt was cut off without an outcome
)

// Type is how bad that is.
func (r EventReason) Type() string {
	switch r {
	case EventReconcileError, EventRetrying, EventSpecUnavailable, EventRolledBack, EventInterrupted:
		return "Warning"
	case EventActivated, EventReconciled, EventCanaryHold, EventWaitingDependency:
	}
	return "Normal"
}
