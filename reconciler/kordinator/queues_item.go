package kordinator

import (
	"container/ring"
	"time"
)

// bulkEvery says that of so many turns one is a Bulk job's when there is one.
const bulkEvery = 4

// item is what a queue knows of one job.
type item[J comparable] struct {
	job      J
	waits    bool          // for a turn, or for the end of the one that runs
	lane     Lane          // in which it waits
	since    time.Duration // when it was added
	arrival  ring.Ring     // its place in the line of all that wait
	standing ring.Ring     // its place in its lane

	turn   uint64 // that it runs in; 0: none
	worker int

	delayAt   int           // its place among the delayed; 0: it is not delayed
	due       time.Duration // when it is added
	delayLane Lane
	order     uint64 // of those that are due at the same moment
}

func newItem[J comparable](job J) *item[J] {
	it := &item[J]{job: job}
	it.arrival.Value, it.standing.Value = it, it
	return it
}

func itemOf[J comparable](r *ring.Ring) *item[J] {
	it, _ := r.Value.(*item[J])
	return it
}

func (it *item[J]) delayPlace() *int { return &it.delayAt }

func (it *item[J]) before(other *item[J]) bool {
	if it.due != other.due {
		return it.due < other.due
	}
	return it.order < other.order
}

// next says which lane the next turn goes to, of which a job waits in at least one, and how many turns in a row Bulk has
// let Live pass after it.
func next(live, bulk, passed int) (lane Lane, nowPassed int) {
	switch {
	case live == 0:
		return Bulk, 0
	case bulk == 0:
		return Live, 0
	case passed == bulkEvery-1:
		return Bulk, 0
	default:
		return Live, passed + 1
	}
}

// line is the places of items, in their order. A place is part of its item, so that standing in line costs no memory.
type line struct {
	last *ring.Ring // nil: nobody stands in it
	n    int
}

func (l *line) push(place *ring.Ring) {
	if l.last != nil {
		l.last.Link(place)
	}
	l.last = place
	l.n++
}

func (l *line) remove(place *ring.Ring) {
	if l.n--; l.n == 0 {
		l.last = nil
		return
	}
	if l.last == place {
		l.last = place.Prev()
	}
	place.Prev().Unlink(1)
}

// front returns the place of who stands the longest. There must be one.
func (l *line) front() *ring.Ring { return l.last.Next() }
