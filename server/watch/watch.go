// Package watch feeds streams: what is on a list of the REST API or in a status, and how that changes. A [Hub] keeps the
// records that rows are made of in memory, told by the one watch that the process has anyway, and makes rows of them by the
// functions that the lists are made by.
//
// # What a stream promises
//
// A stream begins with all rows, or with those that have changed since an id. From then on it has every row that differs
// from what the stream said of it last. A row that changes again and again while a reader is not ready for it is told
// once, as it is then, so that nobody's slowness costs memory.
//
// An id is a revision of the store: whoever has read up to it knows all that the store had come to at that revision, so that
// any process may go on from there. Every event has one that may be gone on from. That is 0, from which all begins anew,
// until all rows have come; then what the client has come with, until all has come that has changed since; and then the
// revision before that of the change, but for the last event of a revision, which has the revision itself.
//
// # What rows depend on
//
// A subscription's row depends on its own record, on its registration and on its lock; while nothing of that holds it
// back, on the registrations it depends on, on their health and on the reconcilers, too; and on the time, when a retry
// becomes due. The lengths of reconcilers' queues change all the time while there is something to do: rows follow them at
// a pace. What is in another scope is looked at from time to time, as long as there are streams for which it matters.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"kayra/store"
	"kayra/store/catalog"
)

// Options are what a Hub is made of. Repository is required.
type Options struct {
	Repository *catalog.Repository
	Logger     *slog.Logger  // nil: no log
	Linger     time.Duration // how long what a stream was fed from is kept after its last reader; 0: 5 min
	Pace       time.Duration // at which rows follow the lengths of queues and other scopes; 0: 5 s
}

// Hub feeds streams from the records of one scope. It is a [store.Follower], and fed by whoever follows the store; what it
// is told it makes rows of in Run. Its methods may be called from any number of goroutines.
type Hub struct {
	repository *catalog.Repository
	scope      catalog.Scope
	log        *slog.Logger
	linger     time.Duration
	pace       time.Duration
	wake       chan struct{} // something has been touched
	asking     chan struct{} // held by those who ask the store for its history

	mu       sync.Mutex
	known    *records
	revision int64         // that known has come to
	shown    int64         // that the rows of all feeds have come to; 0: nothing is known yet
	reached  chan struct{} // closed when shown is another
	doubted  int64         // what was before this revision is not to be asked for
	feeds    map[Topic]*feed
	cover    cover
	work     work
	alarms   alarms
	abroad   map[catalog.Ref]*foreign
}

// work is what rows have to be looked at for.
type work struct {
	all     bool                  // begin anew
	tenants []*tenant             // touched ones
	plain   map[Resource][]string // names of touched rows
	heads   []string              // names of registrations whose status may have another title
	ending  []Topic               // that are no more
	busy    map[string]bool       // APIs whose queues have other lengths, for later
}

// New makes a hub that knows nothing yet.
func New(o Options) *Hub {
	const linger, pace = 5 * time.Minute, 5 * time.Second
	h := &Hub{
		repository: o.Repository, scope: o.Repository.Scope(), log: o.Logger,
		linger: cmp.Or(o.Linger, linger), pace: cmp.Or(o.Pace, pace), wake: make(chan struct{}, 1), asking: make(chan struct{}, 2),
		known: newRecords(), reached: make(chan struct{}), feeds: map[Topic]*feed{}, cover: newCover(),
		abroad: map[catalog.Ref]*foreign{},
	}
	h.work.reset()
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	return h
}

func (w *work) reset() {
	busy := w.busy
	*w = work{plain: map[Resource][]string{}, busy: busy}
	if busy == nil {
		w.busy = map[string]bool{}
	}
}

// Run makes rows of what the hub is told, until ctx ends. It returns nil when all its goroutines have ended.
func (h *Hub) Run(ctx context.Context) error {
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { return h.rounds(running) })
	group.Go(func() error { return h.lookAbroad(running) })
	if err := group.Wait(); ctx.Err() == nil {
		return fmt.Errorf("feed streams: %w", err)
	}
	return nil
}

// rounds looks at what was touched, at what time has touched, and now and then at what is not used any more.
func (h *Hub) rounds(ctx context.Context) error {
	// settle is the least time between two rounds: what changes all the time would otherwise have each reader woken each time.
	const settle = 20 * time.Millisecond
	paced := time.NewTicker(h.pace)
	defer paced.Stop()
	timer := time.NewTimer(h.pace)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // Run does
		case <-paced.C:
			h.catchUp()
		case <-timer.C:
		case <-h.wake:
		}
		next, changed := h.round(ctx)
		timer.Reset(next)
		if !changed {
			continue
		}
		select {
		case <-ctx.Done():
		case <-time.After(settle):
		}
	}
}

// catchUp touches what follows at a pace, and forgets feeds that nobody has read for a while.
func (h *Hub) catchUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name := range h.work.busy {
		h.known.tenantsOf(name, h.touch)
	}
	clear(h.work.busy)
	for t, f := range h.feeds {
		if f.readers == 0 && time.Since(f.idle) > h.linger {
			h.remove(t, f)
		}
	}
}

func (h *Hub) remove(t Topic, f *feed) {
	if h.feeds[t] == f {
		delete(h.feeds, t)
	}
	h.cover.remove(f)
}

// ErrUnknown is what is said of a hub that has not been told yet what there is.
var ErrUnknown = errors.New("it is not known yet what there is")

// Open begins a stream: with all rows, or if after is not negative, with what has changed since that id. It waits a moment
// until the hub has come to where the store is. It fails with ErrUnknown or ErrOver, or with an error of the store or ctx.
func (h *Hub) Open(ctx context.Context, t Topic, after int64) (*Reader, error) {
	is, err := h.await(ctx)
	if err != nil {
		return nil, err
	}
	if err := h.prepare(ctx, &t); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feedOf(ctx, t)
	if f == nil {
		return nil, ErrOver
	}
	f.readers++
	if after <= noID || after < h.doubted || after > max(is, h.revision) {
		return h.begin(f, after != FromStart), nil
	}
	if r := h.start(f, after); r != nil {
		return r, nil
	}
	h.mu.Unlock()
	h.recall(ctx, f, after)
	h.mu.Lock()
	if r := h.start(f, after); r != nil {
		return r, nil
	}
	return h.begin(f, true), nil
}

// feedOf is the feed of a topic, or nil if what it is about is not there.
func (h *Hub) feedOf(ctx context.Context, t Topic) *feed {
	f := h.feeds[t]
	if f == nil && h.known.has(&t) {
		f = h.build(ctx, t)
		h.feeds[t] = f
		h.cover.add(f)
	}
	return f
}

// FromStart is no id: a stream that begins after it has all rows. noID is that of an event before there is one to go on from:
// a stream that begins after it has all rows, too, and the client forgets what it had of them.
const (
	FromStart = -1
	noID      = 0
)

// start is a reader of what has changed since an id, or nil if the feed does not know that.
func (h *Hub) start(f *feed, after int64) *Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	seq, ok := f.after(after)
	if !ok {
		return nil
	}
	return &Reader{hub: h, feed: f, base: seq, at: seq, event: modified, rows: f.loose(seq), id: after}
}

// begin is a reader of all rows, to which it may be said that what it knows is to be forgotten.
func (h *Hub) begin(f *feed, anew bool) *Reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.snap()
	r := &Reader{hub: h, feed: f, base: s.seq, at: s.seq, event: added, rows: s.rows, id: noID}
	if anew {
		r.first = appendEvent(nil, reset, noID, []byte(empty))
	}
	return r
}

// loose are the rows that may have changed without a change of a revision, and are not told of by what comes after seq.
func (f *feed) loose(seq int64) []shown {
	var rows []shown
	for _, r := range f.rows {
		if r.loose && r.seq <= seq {
			rows = append(rows, shown{key: r.key, data: r.data})
		}
	}
	return rows
}

func (h *Hub) close(f *feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.readers--
	f.idle = time.Now()
}

// await waits until the hub has come to the revision that the store has now, and returns that, or 0 if the store does not
// answer. It waits for a moment only: nobody is told at once of a write in another scope, which raises the revision, too.
func (h *Hub) await(ctx context.Context) (int64, error) {
	const moment = 300 * time.Millisecond
	bound, cancel := context.WithTimeout(ctx, moment)
	defer cancel()
	h.mu.Lock()
	at := h.shown
	h.mu.Unlock()
	if at == 0 {
		return 0, ErrUnknown
	}
	is, err := h.repository.Revision(bound)
	if ctx.Err() != nil {
		return 0, fmt.Errorf("open stream: %w", ctx.Err())
	}
	if err != nil {
		h.log.LogAttrs(ctx, slog.LevelDebug, "a stream begins without a look at the store", slog.Any("error", err))
	}
	h.waitFor(bound, is)
	return is, nil
}

// Wait waits until the hub has come to a revision that the store has had.
func (h *Hub) Wait(ctx context.Context, revision int64) error {
	h.waitFor(ctx, revision)
	if ctx.Err() != nil {
		return fmt.Errorf("wait for revision %d: %w", revision, ctx.Err())
	}
	return nil
}

// waitFor waits until the hub has come to a revision, or until ctx ends.
func (h *Hub) waitFor(ctx context.Context, revision int64) {
	for {
		h.mu.Lock()
		at, reached := h.shown, h.reached
		h.mu.Unlock()
		if at >= revision {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-reached:
		}
	}
}

// Reset implements [store.Follower]. The entries stay the caller's.
func (h *Hub) Reset(entries []store.Entry, revision int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if revision < h.revision { // restored: it may come to the same revisions by other ways than before
		h.doubted = revision
		for _, f := range h.feeds {
			f.mu.Lock()
			f.rewind(revision)
			f.mu.Unlock()
		}
	}
	h.known, h.alarms = newRecords(), nil
	h.work = work{}
	h.work.reset()
	for _, e := range entries {
		h.take(e)
	}
	h.work.all = true
	h.come(revision)
}

// Apply implements [store.Follower].
func (h *Hub) Apply(batch store.Batch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range batch.Events {
		if e.Deleted {
			h.lose(h.scope.ParseKey(e.Key))
		} else {
			h.take(e.Entry)
		}
	}
	h.come(batch.Revision)
}

// Live implements [store.Follower]. A stream stays open while the watch is broken: it goes on when that does.
func (*Hub) Live(error) {}

// come notes how far the records have come.
func (h *Hub) come(revision int64) {
	if h.revision == revision && !h.work.all {
		return
	}
	h.revision = revision
	h.wakeUp()
}

// wakeUp has Run look at what was touched.
func (h *Hub) wakeUp() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *Hub) unreadable(key string, err error) {
	h.log.Error("a record cannot be read, and streams go on without it", slog.String("key", key), slog.Any("error", err))
}
