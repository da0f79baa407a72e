package reconciler

import (
	"fmt"
	"time"

	"kayra/store/catalog"
)

// maxBegun is how often an attempt is begun before it is given up as interrupted.
const maxBegun = 3

// action is what a decision asks for.
type action int

const (
	actNothing action = iota
	actFetch          // the document must be fetched first
	actSettle         // record an outcome; there is nothing to send
	actRun            // take the lock, and make the attempt
)

// decision is what to do about a subscription, or about a registration's document.
type decision struct {
	action  action
	attempt catalog.Attempt // to begin or to settle
	outcome catalog.Outcome // of actSettle
	mode    string          // of actRun
	onSpec  bool            // the outcome of actSettle rests on the spec
	at      time.Time       // of actNothing: when there will be something, if nothing happens until then; zero: there won't
	waits   int             // of actNothing: 1 more than the index of the dependency that is waited for; 0: there is none
}

// tenant is all that the decision about a subscription rests on.
type tenant struct {
	reg    *catalog.Registration
	sub    *catalog.Subscription
	spec   *catalog.Spec
	boot   int64
	locked bool
	waits  int   // 1 more than the index of the first dependency that is not what it must be; 0: there is none
	now    int64 // the store's revision
	again  again
}

// modes tells what a mode's name stands for.
type modes struct {
	fallback string // the mode of a registration that names none; "": it has none
	has      func(mode string) bool
}

// of is the mode of the registration, or "" if it has none.
func (m modes) of(reg *catalog.Registration) string {
	if reg.Mode != "" {
		return reg.Mode
	}
	return m.fallback
}

// trigger is what the subscription is entitled to be tried for, by all that has happened.
func (t tenant) trigger() catalog.Trigger {
	return catalog.Trigger{RegGen: t.reg.Generation, SubGen: t.sub.Generation, Boot: t.boot, Spec: t.spec.Count}
}

// entitled is the attempt that the subscription is entitled to, if nothing holds it back.
func (t tenant) entitled() entitled {
	if t.sub.Settled(t.reg) || t.sub.Held(t.reg) {
		return entitled{}
	}
	return next(t.sub.Attempt, t.trigger(), t.reg.SyncID, false, t.again)
}

// ensureReconciled decides what to do about a subscription. Every trigger goes through it.
func ensureReconciled(t tenant, m modes) decision {
	to := t.entitled()
	switch {
	case t.reg.Paused || t.locked:
		return decision{}
	case to.right == usedUp:
		return decision{at: to.at}
	case t.waits > 0:
		return decision{waits: t.waits}
	}
	settle := func(phase catalog.Phase, reason catalog.Reason, message string) decision {
		return decision{
			action: actSettle, attempt: to.attempt,
			outcome: catalog.Outcome{Phase: phase, Reason: reason, Message: message},
		}
	}
	if !t.spec.Has(t.reg.SyncID) {
		if !t.fetchFailed() {
			return decision{action: actFetch}
		}
		d := settle(catalog.PhaseError, catalog.ReasonSpecUnavailable, t.spec.Attempt.Message)
		d.onSpec = true
		return d
	}
	if to.right == cutOff {
		return settle(catalog.PhaseError, catalog.ReasonInterrupted, interruptedMessage("the attempt"))
	}
	mode := m.of(t.reg)
	switch {
	case mode == "":
		return settle(catalog.PhaseError, catalog.ReasonNoMode, noModeMessage(t.reg.Name))
	case !m.has(mode):
		d := settle(catalog.PhaseSuccess, "", fmt.Sprintf("mode %q has no steps configured: nothing was sent", mode))
		d.mode = mode
		return d
	}
	return decision{action: actRun, attempt: to.attempt, mode: mode}
}

// fetchFailed tells whether the fetch of the document has failed for good, with this subscription waiting for it.
func (t tenant) fetchFailed() bool {
	now := catalog.Trigger{RegGen: t.reg.Generation, Boot: t.boot}
	to := next(t.spec.Attempt, now, t.reg.SyncID, t.asksAgain(), t.again)
	return t.spec.Attempt.Phase == catalog.PhaseError && to.right == usedUp
}

// asksAgain tells whether a client has written to the subscription since the last fetch began that failed, which is a
// trigger for another one. What reconcilers have written to it is none. A failure from the future of a store that was
// restored from a backup covers nobody's wish.
func (t tenant) asksAgain() bool {
	covered := t.sub.Revision <= t.spec.Covered && t.spec.Covered <= t.now
	return t.sub.Generation > t.sub.Attempt.SubGen && !covered
}

// ensureFetched decides what to do about a registration's document. wanted tells that a subscription waits for it that
// the last failure does not cover.
func ensureFetched(reg *catalog.Registration, spec *catalog.Spec, boot int64, locked, wanted bool, g again) decision {
	if spec.Has(reg.SyncID) || reg.Paused || locked {
		return decision{}
	}
	now := catalog.Trigger{RegGen: reg.Generation, Boot: boot}
	to := next(spec.Attempt, now, reg.SyncID, wanted, g)
	switch to.right {
	case usedUp:
		return decision{at: to.at}
	case cutOff:
		return decision{action: actSettle, attempt: to.attempt, outcome: catalog.Outcome{
			Phase: catalog.PhaseError, Reason: catalog.ReasonInterrupted, Message: interruptedMessage("the fetch of the OpenAPI document"),
		}}
	case due:
	}
	return decision{action: actRun, attempt: to.attempt}
}

func interruptedMessage(what string) string {
	return fmt.Sprintf("%s was begun %d times and cut off each time, since its reconciler died or was stopped; write to the subscription or its API registration to try again",
		what, maxBegun)
}

func noModeMessage(api string) string {
	return fmt.Sprintf("API registration %q has no mode, and reconciler.default_mode is not set: set one of the two", api)
}
