// Package why tells why a namespace is not synced to an API: the first of the gates on the way that is shut, what shows
// that it is, and what would open it. It is made of what the server answers, and writes and asks nothing itself.
package why

import (
	"strings"
	"time"

	"kayra/server/api"
	"kayra/store/catalog"
)

// Missing is what is not there that a sync takes.
type Missing string

// What may be missing.
const (
	Nothing      Missing = ""
	Registration Missing = "registration"
	Namespace    Missing = "namespace"
	Subscription Missing = "subscription"
)

// Facts are what is known. What the caller may not see is nil.
type Facts struct {
	API, Namespace string

	Missing      Missing
	Meant        string // the API that was probably meant instead of one that is not registered, or ""
	Registration *api.Registration
	Subscription *api.Subscription // nil exactly if something is missing
	Reconcilers  []api.Reconciler  // that are alive; not nil, but empty: none is
	Detail       *Detail           // of a reconciler; nil: none was asked, or none has answered
}

// Detail is what a reconciler knows beyond the records.
type Detail struct {
	Reconciler string // its id
	Reason     catalog.Reason
	Message    string
	SyncID     string // the subscription's target, as the reconciler sees it
	Events     []Event
}

// Event is something that has happened to the subscription.
type Event struct {
	At      time.Time `json:"at"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Count   int       `json:"count"`
}

// Status is how a gate stands.
type Status string

// The ways in which one may stand.
const (
	OK     Status = "ok"
	Blocks Status = "blocks"
	Beyond Status = "-" // the sync has not come to it yet
)

// Gate is one of those on the way, in the order of the decision.
type Gate struct {
	Name     string `json:"gate"`
	Status   Status `json:"status"`
	Evidence string `json:"evidence"`
}

// Step is something to do about it.
type Step struct {
	Say string `json:"say"`
	Run string `json:"run,omitempty"` // a command
}

// Answer is why.
type Answer struct {
	API        string         `json:"api"`
	Namespace  string         `json:"namespace"`
	Synced     bool           `json:"synced"`
	Failed     bool           `json:"failed"` // the last sync ended in error, and no other has begun since
	Missing    Missing        `json:"missing,omitempty"`
	Because    string         `json:"because"` // a part of a sentence
	Reason     catalog.Reason `json:"reason,omitempty"`
	Message    string         `json:"message,omitempty"`
	At         string         `json:"current_sync_id"`
	Target     string         `json:"expected_sync_id"`
	Gates      []Gate         `json:"gates"`
	Open       []Step         `json:"open"`
	Events     []Event        `json:"events"`               // the newest first
	Reconciler string         `json:"reconciler,omitempty"` // id of the one that was asked for more than the server knows
}

// New makes the answer.
func New(f Facts) *Answer {
	a := &Answer{API: f.API, Namespace: f.Namespace, Missing: f.Missing, Open: []Step{}, Events: []Event{}}
	if s := f.Subscription; s != nil {
		a.Synced = s.Synced && s.Reason == catalog.ReasonSynced // one that was tried at another id since has to be taken back
		a.Reason, a.Message, a.At, a.Target = s.Reason, s.Message, s.CurrentSyncID, s.ExpectedSyncID
		a.detail(f.Detail)
	}
	a.Failed = !a.Synced && failed(a.Reason)
	a.Because = because(&f, a)
	a.Gates = gates(&f, a)
	a.Open = append(a.Open, open(&f, a)...)
	return a
}

// detail takes over what a reconciler knows, where it is about the same thing: the two were not asked at the same moment.
func (a *Answer) detail(d *Detail) {
	if d == nil || d.SyncID != a.Target {
		return
	}
	a.Reconciler = d.Reconciler
	if d.Events != nil {
		a.Events = d.Events
	}
	if d.Message != "" && atWork(a.Reason) && atWork(d.Reason) {
		a.Reason, a.Message = d.Reason, d.Message
	}
}

// atWork tells reasons that a reconciler knows more of than the records.
func atWork(r catalog.Reason) bool {
	return r == catalog.ReasonInit || r == catalog.ReasonQueued || r == catalog.ReasonRunning
}

// failed tells the reasons of those that are not tried any more, or not yet.
func failed(r catalog.Reason) bool {
	switch r {
	case catalog.ReasonSpecUnavailable, catalog.ReasonNoMode, catalog.ReasonStepFailed, catalog.ReasonTimeout, catalog.ReasonInterrupted,
		catalog.ReasonBackoff:
		return true
	case catalog.ReasonSynced, catalog.ReasonInit, catalog.ReasonPaused, catalog.ReasonCanaryHold, catalog.ReasonWaitingDependency,
		catalog.ReasonQueued, catalog.ReasonRunning:
	}
	return false
}

// idle tells that no reconciler is alive.
func (f *Facts) idle(a *Answer) bool {
	if f.Reconcilers != nil {
		return len(f.Reconcilers) == 0
	}
	return strings.Contains(a.Message, "no reconciler is running")
}

// unread tells what only a reconciler says: that nothing begins before the document is there.
func unread(a *Answer) bool { return strings.Contains(a.Message, "the OpenAPI document for sync_id ") }

// dependency is what a message says is waited for. The text is that of [catalog.ReasonWaitingDependency].
func dependency(message string) (name, condition, is string, ok bool) {
	rest, ok := strings.CutPrefix(message, "waits for ")
	if !ok {
		return "", "", "", false
	}
	what, is, _ := strings.Cut(rest, ": ")
	name, condition, ok = strings.Cut(what, " to be ")
	return name, condition, is, ok
}

func because(f *Facts, a *Answer) string {
	switch a.Missing {
	case Registration:
		return "there is no such API registration"
	case Namespace:
		return "there is no such namespace"
	case Subscription:
		return "it does not subscribe to it"
	case Nothing:
	}
	switch a.Reason {
	case catalog.ReasonCanaryHold:
		return "a rollout is pending, and has not reached it"
	case catalog.ReasonPaused:
		return "the API registration is paused"
	case catalog.ReasonWaitingDependency:
		if name, condition, _, ok := dependency(a.Message); ok {
			return "waiting for " + name + " to be " + condition
		}
		return "waiting for a dependency"
	case catalog.ReasonInit, catalog.ReasonQueued:
		if unread(a) {
			return "waiting for the app's OpenAPI document"
		}
		if f.idle(a) {
			return "no reconciler is running"
		}
		return "waiting for its turn"
	case catalog.ReasonRunning:
		return "an attempt is running"
	case catalog.ReasonBackoff:
		return "its last sync failed, and is tried again later"
	case catalog.ReasonSpecUnavailable:
		return "the app's OpenAPI document cannot be had"
	case catalog.ReasonNoMode:
		return "no mode says how to sync it"
	case catalog.ReasonStepFailed:
		return "its last sync failed"
	case catalog.ReasonTimeout:
		return "its last sync took too long"
	case catalog.ReasonInterrupted:
		return "its last sync was cut off three times"
	case catalog.ReasonSynced:
	}
	return ""
}

// Knows is how much a reconciler knows, to be compared with what others know: that which runs the attempt knows its step,
// and one in whose queue the subscription is knows its place.
func (d *Detail) Knows() int {
	switch {
	case d.Reason == catalog.ReasonRunning && strings.Contains(d.Message, "step "):
		return 3 //nolint:mnd // an order
	case strings.Contains(d.Message, "it is number "):
		return 2 //nolint:mnd // as above
	case d.Message != "":
		return 1
	}
	return 0
}
