package reconciler

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"kayra/reconciler/katalog"
)

// Bounds of what is remembered of what has happened.
const (
	maxEvents = 100_000 // of each type, for all subscriptions together
	maxOfOne  = 100     // for one subscription
)

// happening is something that has happened to a subscription.
type happening struct {
	reason  katalog.EventReason
	message string
	source  string // id of the reconciler that did it, or has seen it
	at      time.Time
}

// events is what has happened to the subscriptions, in bounded memory: where there are too many of a type, those go whose
// last time was the longest ago. So the successes of many do not make one forget the failures of a few.
type events struct {
	self   string // id of this process
	most   int
	byType map[string]*recency
}

// event is a happening, with all others that differ in their time only.
type event struct {
	happening

	last  time.Time
	count int32

	of           *history
	older, newer *event // of its type
}

// history is what has happened to one subscription, what was last at its end.
type history struct{ list []*event }

// recency is the events of a type in the order of their last times.
type recency struct {
	oldest, newest *event
	n              int
}

func newEvents(self string, most int) *events {
	return &events{self: self, most: most, byType: map[string]*recency{}}
}

// note notes something that has happened.
func (e *events) note(s *subscriber, h happening) {
	if s.history == nil {
		s.history = &history{}
	}
	h.message, h.source = shared(h.message), shared(h.source)
	ev := s.history.take(h)
	if ev == nil {
		ev = &event{happening: h, of: s.history}
	} else {
		e.of(ev).unlink(ev)
	}
	ev.count++
	ev.last = h.at
	s.history.list = append(s.history.list, ev)
	e.of(ev).push(ev)
	if len(s.history.list) > maxOfOne {
		e.drop(s.history.list[0])
	}
	if all := e.of(ev); all.n > e.most {
		e.drop(all.oldest)
	}
}

func (e *events) of(ev *event) *recency {
	t := ev.reason.Type()
	if e.byType[t] == nil {
		e.byType[t] = &recency{}
	}
	return e.byType[t]
}

func (e *events) drop(ev *event) {
	e.of(ev).unlink(ev)
	ev.of.list = slices.DeleteFunc(ev.of.list, func(other *event) bool { return other == ev })
}

// forget drops all that has happened to a subscription.
func (e *events) forget(s *subscriber) {
	if s.history == nil {
		return
	}
	for _, ev := range s.history.list {
		e.of(ev).unlink(ev)
	}
	s.history = nil
}

// take takes the event out that a happening is a repetition of, or is nil.
func (h *history) take(again happening) *event {
	for i, ev := range h.list {
		if ev.reason == again.reason && ev.message == again.message && ev.source == again.source {
			h.list = slices.Delete(h.list, i, i+1)
			return ev
		}
	}
	return nil
}

func (r *recency) push(ev *event) {
	ev.older, ev.newer = r.newest, nil
	if r.newest == nil {
		r.oldest = ev
	} else {
		r.newest.newer = ev
	}
	r.newest = ev
	r.n++
}

func (r *recency) unlink(ev *event) {
	if ev.older == nil {
		r.oldest = ev.newer
	} else {
		ev.older.newer = ev.newer
	}
	if ev.newer == nil {
		r.newest = ev.older
	} else {
		ev.newer.older = ev.older
	}
	r.n--
}

// answered is what has happened to a subscription, the newest first.
func (h *history) answered(object string, now time.Time) []katalog.CREvent {
	if h == nil {
		return []katalog.CREvent{}
	}
	all := make([]katalog.CREvent, 0, len(h.list))
	for _, ev := range slices.Backward(h.list) {
		all = append(all, katalog.CREvent{
			Type: ev.reason.Type(), Reason: ev.reason, Message: ev.message, Source: ev.source, Object: object, Count: ev.count,
			FirstSeen: ev.at.UTC().Format(time.RFC3339), LastSeen: ev.last.UTC().Format(time.RFC3339),
			Age: duration.HumanDuration(max(0, now.Sub(ev.last))),
		})
	}
	return all
}
