package catalog

import (
	"slices"
	"time"
)

// State is the outcome of a subscription's last sync.
type State string

// The states.
const (
	StateInit    State = "init"    // no sync has ended yet
	StateSuccess State = "success" // the last sync succeeded
	StateError   State = "error"   // the last sync failed
)

// Subscription ties a namespace to a registration.
type Subscription struct {
	Meta

	API           string `json:"api"` // the registration's name
	Namespace     string `json:"namespace"`
	Active        bool   `json:"active"` // set once, by the first sync that succeeds
	State         State  `json:"state"`
	CurrentSyncID string `json:"current_sync_id"` // the id it was last brought to, or "" when it must be brought there again

	UID         string    `json:"uid"`
	Generation  int64     `json:"generation"`      // +1 at every client write
	Force       int64     `json:"force,omitempty"` // +1 at every forced re-sync
	Attempt     Attempt   `json:"attempt"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`            // of the last write by a client and the last outcome
	RequestedAt time.Time `json:"requested_at,omitzero"` // of the creation or the last forced re-sync

	Succeeded int64   `json:"succeeded,omitempty"` // the store's revision at which its last success was recorded
	Failures  []int64 `json:"failures,omitempty"`  // those of the failed attempts since then, MaxFailureThreshold at most
}

// Trigger is what entitles a subscription (or the fetch of a document) to be tried: the counters that its causes raise.
type Trigger struct {
	RegGen int64 `json:"reg_gen"` // the registration's generation
	SubGen int64 `json:"sub_gen"` // the subscription's generation
	Boot   int64 `json:"boot"`    // starts of reconcilers
	Spec   int64 `json:"spec"`    // documents fetched for the registration
}

// NewerThan tells whether any of the counters has risen since the other trigger.
func (t Trigger) NewerThan(o Trigger) bool {
	return t.ByClient(o) || t.Boot > o.Boot || t.Spec > o.Spec
}

// ByClient tells whether a client has written since the other trigger.
func (t Trigger) ByClient(o Trigger) bool { return t.RegGen > o.RegGen || t.SubGen > o.SubGen }

// Max has the higher of each counter, so that a process that lags behind never takes a trigger back.
func (t Trigger) Max(o Trigger) Trigger {
	return Trigger{
		RegGen: max(t.RegGen, o.RegGen), SubGen: max(t.SubGen, o.SubGen),
		Boot: max(t.Boot, o.Boot), Spec: max(t.Spec, o.Spec),
	}
}

// Phase is how far an attempt has come.
type Phase string

// The phases. An attempt that says running while nobody holds its lock has no outcome: its process died or was cut off.
const (
	PhaseNone    Phase = ""
	PhaseRunning Phase = "running"
	PhaseFailed  Phase = "failed" // the trigger's first attempt failed, and its immediate retry is still owed
	PhaseSuccess Phase = "success"
	PhaseError   Phase = "error" // the trigger is used up without success
)

// Attempt is the last attempt, and the trigger that it belongs to.
type Attempt struct {
	Trigger

	SyncID    string    `json:"sync_id"` // the target it carried
	Run       string    `json:"run"`     // names the trigger's attempts to the outside, for idempotency
	N         int       `json:"n"`       // which attempt of its trigger: 1 or 2
	Begun     int       `json:"begun"`   // how many times it was begun without an outcome
	Phase     Phase     `json:"phase"`
	Reason    Reason    `json:"reason,omitempty"`  // of a failure
	Message   string    `json:"message,omitempty"` // of a failure: one redacted sentence
	StartedAt time.Time `json:"started_at,omitzero"`
	EndedAt   time.Time `json:"ended_at,omitzero"` // of a trigger that is used up
	Holder    string    `json:"holder,omitempty"`  // id of the reconciler that made it

	Retries int       `json:"retries,omitempty"` // further attempts that operator.retry has made for the trigger
	RetryAt time.Time `json:"retry_at,omitzero"` // when it makes the next one; zero: it makes none
}

// Reason tells in a word why a subscription is where it is.
type Reason string

// The reasons.
const (
	ReasonSynced            Reason = "synced"
	ReasonInit              Reason = "init"
	ReasonPaused            Reason = "paused"
	ReasonCanaryHold        Reason = "canary_hold"
	ReasonWaitingDependency Reason = "waiting_dependency"
	ReasonQueued            Reason = "queued"
	ReasonRunning           Reason = "running"
	ReasonBackoff           Reason = "backoff"
	ReasonSpecUnavailable   Reason = "spec_unavailable"
	ReasonNoMode            Reason = "no_mode"
	ReasonStepFailed        Reason = "step_failed"
	ReasonTimeout           Reason = "timeout"
	ReasonInterrupted       Reason = "interrupted"
)

// Synced tells whether the subscription is where its registration wants it.
func (s *Subscription) Synced(r *Registration) bool {
	return s.Active && s.CurrentSyncID == r.SyncID
}

// Settled tells whether there is nothing left to bring to the registration's target: it is synced, and the last thing
// that was sent was not meant for another id.
func (s *Subscription) Settled(r *Registration) bool {
	if !s.Synced(r) {
		return false
	}
	return s.Attempt.Phase == PhaseNone || s.Attempt.Phase == PhaseSuccess && s.Attempt.SyncID == r.SyncID
}

// Held tells whether a pending rollout keeps the subscription where it is. One that is not active yet is not held: it
// is brought to the current target.
func (s *Subscription) Held(r *Registration) bool {
	return r.Pending() && s.Active && !slices.Contains(r.CanaryNamespaces, s.Namespace)
}

// PassesDependencies tells whether the subscription is not held back by what its registration depends on: an abort or a
// rollback takes it back from another id, until it has succeeded.
func (s *Subscription) PassesDependencies(r *Registration) bool {
	back := s.Attempt.Phase == PhaseSuccess && s.Attempt.SyncID == r.SyncID
	return r.Reverting && s.Attempt.Phase != PhaseNone && !back
}

// UpToDate tells whether the subscription is where its registration wants it for now: synced, or held by a rollout at the
// id that was released.
func (s *Subscription) UpToDate(r *Registration) bool {
	return s.Synced(r) || s.Held(r) && s.CurrentSyncID == r.ReleasedSyncID
}
