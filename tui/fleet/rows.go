package fleet

import (
	"slices"
	"strings"
)

// Rows are the subscriptions to one API in an order and through a filter. Asking for them costs what has changed since the
// last time, and a pass over those that have not.
type Rows struct {
	compare func(a, b *Subscription) int
	match   func(*Subscription) bool

	of    *API
	seen  int // of its changes
	rows  []*Subscription
	spare []*Subscription
}

// NewRows gives rows in the order of compare, and by namespace where that finds none. A filter that is nil takes all. Both
// look at nothing but the subscription.
func NewRows(compare func(a, b *Subscription) int, match func(*Subscription) bool) *Rows {
	return &Rows{compare: compare, match: match}
}

// Of is the rows of an API as they are now. The list is not to be changed, and holds until the next call.
func (r *Rows) Of(f *Fleet, name string) []*Subscription {
	a := f.apis[name]
	switch {
	case a == nil:
		r.of, r.rows = nil, nil
	case r.of != a || r.seen < a.changes.dropped:
		r.of, r.seen, r.rows = a, a.changes.next(), r.rows[:0]
		for _, s := range a.subscriptions {
			r.take(s)
		}
		slices.SortFunc(r.rows, r.order)
	case r.seen < a.changes.next():
		r.update(f, a.changes.since(r.seen))
		r.seen = a.changes.next()
	}
	return r.rows
}

func (r *Rows) take(s *Subscription) {
	if r.match == nil || r.match(s) {
		r.rows = append(r.rows, s)
	}
}

func (r *Rows) order(a, b *Subscription) int {
	if r.compare != nil {
		if c := r.compare(a, b); c != 0 {
			return c
		}
	}
	return strings.Compare(a.Namespace, b.Namespace)
}

// update takes out those that have changed, and puts them back where they belong now.
func (r *Rows) update(f *Fleet, changed []*Subscription) {
	f.stamp++
	old := r.rows
	r.rows = r.spare[:0]
	for _, s := range changed {
		if s.stamp == f.stamp {
			continue
		}
		s.stamp = f.stamp
		if !s.gone {
			r.take(s)
		}
	}
	fresh := slices.Clone(r.rows)
	slices.SortFunc(fresh, r.order)
	r.rows, r.spare = r.rows[:0], old
	for _, s := range old {
		if s.stamp == f.stamp {
			continue
		}
		for len(fresh) > 0 && r.order(fresh[0], s) < 0 {
			r.rows, fresh = append(r.rows, fresh[0]), fresh[1:]
		}
		r.rows = append(r.rows, s)
	}
	r.rows = append(r.rows, fresh...)
}

// changes are the subscriptions that have changed, in order, as far as it is worth to know them one by one.
type changes struct {
	dropped int // that are known no more
	last    []*Subscription
}

func (c *changes) next() int { return c.dropped + len(c.last) }

func (c *changes) since(n int) []*Subscription { return c.last[n-c.dropped:] }

// add notes a change in one of as many.
func (c *changes) add(s *Subscription, of int) {
	const few = 256
	if len(c.last) > of+few {
		c.dropped += len(c.last)
		clear(c.last)
		c.last = c.last[:0]
	}
	c.last = append(c.last, s)
}
