package telling

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"kayra/notice"
	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// Delivery is one try to have an event delivered.
type Delivery struct {
	Owed catalog.Owed

	Ended     bool     // what follows is known
	Delivered []string // the channels by which it was
	Failed    []string // those that are worth another try
	Err       error    // there is no answer
}

// Deliveries are those that a process makes: at most one at a time for a registration, and the next only when the last
// is on the record. All methods may be called from any number of goroutines.
type Deliveries struct {
	self         string
	pause, limit time.Duration

	mu    sync.Mutex
	apis  map[string]*line
	idle  chan struct{} // closed when none is left that runs or is not on the record; nil: nobody waits for that
	ended bool          // none begins any more
}

// line is what is known of a registration's deliveries.
type line struct {
	last  *Delivery             // runs, or is not on the record yet; nil: there is none
	seen  int64                 // the revision of the record that has the one before; 0: it was seen
	tries map[string]*repeating // by event
}

// repeating is an event that was tried.
type repeating struct {
	owed   catalog.Owed
	n      int       // tries that have failed
	due    time.Time // of the next
	unsure bool      // it may have been delivered all the same
}

// NewDeliveries repeats what has failed after a pause, which doubles with each time and is at most the limit, and a random
// part of it more.
func NewDeliveries(self string, pause, limit time.Duration) *Deliveries {
	return &Deliveries{self: self, pause: pause, limit: limit, apis: map[string]*line{}}
}

func (d *Deliveries) line(api string) *line {
	l := d.apis[api]
	if l == nil {
		l = &line{tries: map[string]*repeating{}}
		d.apis[api] = l
	}
	return l
}

// Begin begins the next delivery of a registration. If none is due, ok is false, and wait is when to ask again; 0: when the
// record has changed, or the delivery that runs has ended.
func (d *Deliveries) Begin(h *catalog.Health, now time.Time) (owed catalog.Owed, wait time.Duration, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.line(h.API)
	if d.ended || l.last != nil || h.Revision < l.seen {
		return owed, 0, false
	}
	l.seen = 0
	for _, o := range h.Told.Owed {
		if again := l.tries[o.Event]; again != nil && again.owed.Is(o) && now.Before(again.due) {
			if left := again.due.Sub(now); wait == 0 || left < wait {
				wait = left
			}
			continue
		}
		l.last = &Delivery{Owed: o}
		return o, 0, true
	}
	return owed, wait, false
}

// End tells how a registration's delivery has ended, and gives when the next try of it is due; 0: none is.
func (d *Deliveries) End(api string, answer notice.Answer, err error, now time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.line(api)
	l.last.Ended, l.last.Err = true, err
	for _, c := range answer.Delivered {
		l.last.Delivered = append(l.last.Delivered, string(c))
	}
	for _, f := range answer.Failed {
		l.last.Failed = append(l.last.Failed, string(f.Channel))
	}
	if err == nil && len(answer.Failed) == 0 {
		delete(l.tries, l.last.Owed.Event)
		return 0
	}
	return l.repeat(d, now)
}

func (l *line) repeat(d *Deliveries, now time.Time) time.Duration {
	o := l.last.Owed
	again := l.tries[o.Event]
	if again == nil || !again.owed.Is(o) {
		again = &repeating{owed: o}
		l.tries[o.Event] = again
	}
	again.n++
	again.unsure = again.unsure || l.last.Err != nil && !errors.Is(l.last.Err, notice.ErrUndelivered)
	wait := kordinator.Backoff(d.pause, d.limit, again.n, d.pause, rand.Int64N)
	again.due = now.Add(wait)
	return wait
}

// Last is the delivery that runs, or that is not on the record yet; nil: there is none.
func (d *Deliveries) Last(api string) *Delivery {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.apis[api]; l != nil && l.last != nil {
		last := *l.last
		return &last
	}
	return nil
}

// Recorded tells that a registration's last delivery, if it had ended, is on the record, which was written at the revision
// for that; 0: there was nothing to write.
func (d *Deliveries) Recorded(api string, last *Delivery, revision int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.apis[api]
	if l == nil && revision == 0 {
		return
	}
	l = d.line(api)
	if revision > 0 {
		l.seen = revision
	}
	if last != nil && last.Ended {
		l.last = nil
	}
	d.tellIdle()
}

// Forget tells that a registration is no more.
func (d *Deliveries) Forget(api string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.apis[api]; l != nil && (l.last == nil || l.last.Ended) {
		delete(d.apis, api)
	}
	d.tellIdle()
}

// Sure tells whether it is certain that nobody was told of an event by any channel. That of another process, which may have
// ended in the middle of it, is not.
func (d *Deliveries) Sure(api string, o catalog.Owed) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if o.Reconciler != d.self {
		return false
	}
	l := d.apis[api]
	if l == nil {
		return true
	}
	again := l.tries[o.Event]
	return again == nil || !again.owed.Is(o) || !again.unsure
}

// Stop has none begin any more. The channel is closed when all that has begun is on the record.
func (d *Deliveries) Stop() (idle <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended, d.idle = true, make(chan struct{})
	idle = d.idle
	d.tellIdle()
	return idle
}

func (d *Deliveries) tellIdle() {
	if d.idle == nil {
		return
	}
	for _, l := range d.apis {
		if l.last != nil {
			return
		}
	}
	close(d.idle)
	d.idle = nil
}

// channels are the names in the words of the request.
func channels(names []string) []notice.Channel {
	out := make([]notice.Channel, len(names))
	for i, name := range names {
		out[i] = notice.Channel(name)
	}
	return slices.Clip(out)
}

// Request is how an event of a registration is handed over.
func Request(api string, o catalog.Owed) notice.Request {
	return notice.Request{
		Event: notice.Event{
			Team: o.Team, Kind: notice.Kind(o.Event), API: api, Message: o.Message, SyncID: o.SyncID, State: o.State, At: o.At,
			Reconciler: o.Reconciler,
		},
		Channels: channels(o.Channels),
	}
}
