// Package telling decides what a registration's team is to be told of, and keeps account of that.
//
// The account, a [catalog.Told], is on the registration's health record, and only the konductor writes it. [Teller.Look]
// compares it with what the registration is now. Each difference that is worth an event makes one that is owed, and the
// account moves on in the same write: so none is lost with a process, and none is made twice. One that is owed leaves the
// account when it was delivered by all of its team's channels.
//
// Nothing is told of a registration that is seen for the first time, nor of one without an owner. An event that was
// delivered less than the interval ago is not told again: it is not owed, and the account moves on all the same. One that
// is still owed when its like happens again makes room for it. That a registration is degraded is not told any more
// once it is healthy, nor the other way round; if nobody was told of the first, nobody is told of the second.
package telling

import (
	"maps"
	"slices"
	"time"

	"kayra/notice"
	"kayra/store/catalog"
)

// giveUp is how long ago an event may have been for its team to be told of it.
const giveUp = 24 * time.Hour

// Standing is what a registration is now.
type Standing struct {
	Registration *catalog.Registration // nil: it is not registered
	State        catalog.HealthState
	Reason       string // of being degraded: one redacted sentence
	Subscribed   int    // subscriptions that there are
	Failed       int    // those of them whose last sync failed at the registration's sync id
	Rollback     int    // so many failures have it rolled back
}

// Teller is who looks.
type Teller struct {
	Self     string                  // id of the process
	Interval time.Duration           // within which an event is told once
	Now      time.Time               // of the look
	Sure     func(catalog.Owed) bool // whether it is certain that nobody was told of it by any channel
}

// Look is what comes of one.
type Look struct {
	Told  catalog.Told  // the account from now on
	Quiet []notice.Kind // events that nobody is told of, since they were a short while ago
	Late  []notice.Kind // events that could not be told of for so long that it is given up
}

// Look compares an account with what there is now. last is the delivery that runs, or that has ended since the account was
// written; nil: there is none.
func (t Teller) Look(told catalog.Told, now Standing, last *Delivery) Look {
	switch reg := now.Registration; {
	case reg == nil:
		return Look{}
	case told.UID != reg.UID:
		return Look{Told: first(now)}
	}
	l := &looking{Teller: t, Standing: now, last: last, Look: Look{Told: told}}
	l.Told.Sent, l.Told.Owed = maps.Clone(told.Sent), slices.Clone(told.Owed)
	l.settle()
	l.expire()
	l.health()
	l.rollout()
	return l.Look
}

// first is the account of a registration that is seen for the first time: all that it is counts as told.
func first(now Standing) catalog.Told {
	told := catalog.Told{UID: now.Registration.UID}
	moveOn(&told, now.Registration)
	if now.State == catalog.HealthDegraded || now.State == catalog.HealthHealthy {
		told.State = now.State
	}
	return told
}

// moveOn notes which ids there are.
func moveOn(told *catalog.Told, reg *catalog.Registration) {
	told.SyncID, told.ReleasedSyncID, told.Rollbacks = reg.SyncID, reg.ReleasedSyncID, reg.RolledBack.Total
	if !slices.Equal(told.CanaryNamespaces, reg.CanaryNamespaces) {
		told.CanaryNamespaces = slices.Clone(reg.CanaryNamespaces)
	}
}

// looking is a look that is being made.
type looking struct {
	Teller
	Standing
	Look

	last *Delivery
}

// settle takes over how a delivery has ended.
func (l *looking) settle() {
	d := l.last
	if d == nil || !d.Ended {
		return
	}
	if len(d.Delivered) > 0 {
		if l.Told.Sent == nil {
			l.Told.Sent = map[string]time.Time{}
		}
		l.Told.Sent[d.Owed.Event] = l.Now.UTC()
	}
	i := slices.IndexFunc(l.Told.Owed, d.Owed.Is)
	switch {
	case i < 0 || d.Err != nil:
	case len(d.Failed) == 0:
		l.Told.Owed = slices.Delete(l.Told.Owed, i, i+1)
	case len(d.Delivered) > 0:
		l.Told.Owed[i].Channels = d.Failed
	}
}

// expire gives up what could not be delivered for too long.
func (l *looking) expire() {
	l.Told.Owed = slices.DeleteFunc(l.Told.Owed, func(o catalog.Owed) bool {
		late := l.Now.Sub(o.At) > giveUp && !l.busy(notice.Kind(o.Event))
		if late {
			l.Late = append(l.Late, notice.Kind(o.Event))
		}
		return late
	})
}

// busy tells whether an event of the kind is being delivered. Nothing is decided about its like before that has ended.
func (l *looking) busy(kind notice.Kind) bool {
	return l.last != nil && !l.last.Ended && l.last.Owed.Event == string(kind)
}

// health looks for a change of the state.
func (l *looking) health() {
	if l.busy(notice.Degraded) || l.busy(notice.Recovered) {
		return
	}
	was := l.Told.State
	switch {
	case l.State == catalog.HealthDegraded && was != catalog.HealthDegraded:
		l.Told.State = catalog.HealthDegraded
		l.Told.Untold = !l.owe(notice.Degraded)
	case l.State == catalog.HealthHealthy && was == catalog.HealthDegraded:
		l.Told.State = catalog.HealthHealthy
		if !l.Told.Untold {
			l.owe(notice.Recovered)
		}
		l.Told.Untold = false
	case l.State == catalog.HealthHealthy:
		l.Told.State = catalog.HealthHealthy
	}
}

// rollout looks for what has become of a rollout.
func (l *looking) rollout() {
	kinds := rollouts(&l.Told, l.Registration)
	if slices.ContainsFunc(kinds, l.busy) {
		return
	}
	for _, kind := range kinds {
		l.owe(kind)
	}
	moveOn(&l.Told, l.Registration)
}

// rollouts are the events that lead from what was told to what there is. Of changes between which nobody has looked there
// are those that the last of them make.
func rollouts(told *catalog.Told, reg *catalog.Registration) []notice.Kind {
	var kinds []notice.Kind
	was, is := len(told.CanaryNamespaces) > 0, reg.Pending()
	switch {
	case reg.RolledBack.Total > told.Rollbacks:
		kinds = append(kinds, notice.RolledBack)
	case !was || is:
	case reg.Reverting:
		kinds = append(kinds, notice.RolloutAborted)
	default:
		kinds = append(kinds, notice.RolloutReleased)
	}
	if is && (told.SyncID != reg.SyncID || !slices.Equal(told.CanaryNamespaces, reg.CanaryNamespaces)) {
		kinds = append(kinds, notice.RolloutStarted)
	}
	return kinds
}

// owe has the team told of an event, and tells whether it is, or knows already.
func (l *looking) owe(kind notice.Kind) bool {
	if l.Registration.Owner == "" {
		return false
	}
	by, unheard := l.overtake(opposite(kind))
	if unheard {
		return true
	}
	if sent, ok := l.Told.Sent[string(kind)]; ok && l.Now.Sub(sent) < l.Interval {
		l.Quiet = append(l.Quiet, kind)
		return false
	}
	l.Told.Owed = slices.DeleteFunc(l.Told.Owed, func(o catalog.Owed) bool { return o.Event == string(kind) })
	l.Told.Owed = append(l.Told.Owed, catalog.Owed{
		Event: string(kind), Team: l.Registration.Owner, Message: l.sentence(kind), SyncID: l.about(kind), State: string(l.State),
		At: l.Now.UTC().Truncate(time.Millisecond), Reconciler: l.Self, Channels: by,
	})
	return true
}

// overtake takes an event back that is not so any more, if it is still owed: by are the channels by which its team has
// heard of it, of some if not of all, and unheard is that nobody has.
func (l *looking) overtake(kind notice.Kind) (by []string, unheard bool) {
	i := slices.IndexFunc(l.Told.Owed, func(o catalog.Owed) bool { return o.Event == string(kind) })
	if i < 0 {
		return nil, false
	}
	o := l.Told.Owed[i]
	l.Told.Owed = slices.Delete(l.Told.Owed, i, i+1)
	if len(o.Channels) == 0 {
		return nil, l.Sure(o)
	}
	for _, c := range notice.Channels() {
		if !slices.Contains(o.Channels, string(c)) {
			by = append(by, string(c))
		}
	}
	return by, false
}

// opposite is the event that is no more so once another one is, or "".
func opposite(kind notice.Kind) notice.Kind {
	switch kind {
	case notice.Degraded:
		return notice.Recovered
	case notice.Recovered:
		return notice.Degraded
	case notice.RolloutStarted, notice.RolloutReleased, notice.RolloutAborted, notice.RolledBack:
	}
	return ""
}
