package watch

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// feed is what the streams of one topic are fed from: its rows as they are, and in which order they last changed. Whoever
// has read the order up to some point learns what has become of the rows since by reading on, however long it was away:
// nothing is kept of what a row was in between.
type feed struct {
	topic   Topic
	readers int       // guarded by the hub's lock
	idle    time.Time // since when there are none; guarded by the hub's lock

	mu       sync.Mutex
	rows     map[string]*row // those that are gone, too, as long as there is room for them
	order    []entry         // by seq and by revision; an entry counts if its row has changed last then
	first    int64           // seq of the first change that is known; 0 or less
	last     int64           // seq of the last change
	revision int64           // the rows are as they were at this revision of the store
	floor    position        // of what was before, not all is known
	gone     int             // rows
	head     row             // of a status, what the event synced says; it changes as rows do
	over     bool            // what the topic is about is no more
	changed  chan struct{}   // closed at the next change
	chunk    chunk           // that was made last: most readers want the same one
	snapshot *snapshot       // that was made last; nil: none
}

// position is a point in a feed's order.
type position struct{ seq, revision int64 }

// entry says that a row has changed.
type entry struct {
	position

	row *row
}

// row is a row of a feed. Its times are those of the feed's order.
type row struct {
	key    string
	data   []byte // JSON; of one that is gone, as it was last
	there  bool
	loose  bool  // it may change without a change of a revision
	seq    int64 // of the last change; 0: it has not changed since the feed began, nor after what is known of the time before
	born   int64 // when it was first there
	joined int64 // when it was last not there, and then was
	left   int64 // when it was last there, and then was not
}

func newFeed(t Topic) *feed {
	return &feed{
		topic: t, rows: map[string]*row{}, head: row{data: []byte(empty)}, changed: make(chan struct{}),
		floor: position{seq: math.MinInt64},
	}
}

// begin has the rows be there from the beginning.
func (f *feed) begin(rows []shown, head []byte, revision int64) {
	for _, r := range rows {
		f.rows[r.key] = &row{
			key: r.key, data: r.data, there: true, loose: r.loose, born: math.MinInt64, joined: math.MinInt64, left: math.MinInt64,
		}
	}
	f.revision, f.floor.revision = revision, revision
	f.head.data = head
}

// shown is how a row is shown.
type shown struct {
	key   string
	data  []byte
	loose bool
}

// put has a row be there, as shown. It tells whether that is a change.
func (f *feed) put(s shown, revision int64) bool {
	r := f.rows[s.key]
	if r == nil {
		r = &row{key: s.key, born: f.last + 1}
		f.rows[s.key] = r
	} else if !r.there {
		f.gone--
	}
	if r.loose = s.loose; r.there && bytes.Equal(r.data, s.data) {
		return false
	}
	f.move(r, revision)
	if !r.there {
		r.there, r.joined = true, r.seq
	}
	r.data = s.data
	return true
}

// drop has a row be gone. It tells whether that is a change.
func (f *feed) drop(key string, revision int64) bool {
	r := f.rows[key]
	if r == nil || !r.there {
		return false
	}
	f.move(r, revision)
	r.there, r.loose, r.left = false, false, r.seq
	f.gone++
	return true
}

// title has the event synced say something. It tells whether that is a change.
func (f *feed) title(data []byte, revision int64) bool {
	if bytes.Equal(f.head.data, data) {
		return false
	}
	f.move(&f.head, revision)
	f.head.data = data
	return true
}

// move puts a row to the end of the order.
func (f *feed) move(r *row, revision int64) {
	f.last++
	r.seq = f.last
	f.order = append(f.order, entry{position{f.last, revision}, r})
}

// publish has readers read on.
func (f *feed) publish() {
	const slack = 1024
	if f.gone > max(slack, len(f.rows)/2) { //nolint:mnd // as many as are there
		f.forget()
	}
	if len(f.order) > 2*len(f.rows)+slack {
		f.order = slices.Clone(slices.DeleteFunc(f.order, func(e entry) bool { return e.row.seq != e.seq }))
	}
	f.chunk = chunk{}
	close(f.changed)
	f.changed = make(chan struct{})
}

// forget drops the older half of the rows that are gone.
func (f *feed) forget() {
	most := f.gone / 2 //nolint:mnd // see above
	f.order = slices.DeleteFunc(f.order, func(e entry) bool {
		if f.gone <= most || e.row.there || e.row == &f.head || e.row.seq != e.seq {
			return false
		}
		delete(f.rows, e.row.key)
		f.gone--
		f.floor = e.position
		return true
	})
}

// rewind is told that the store has gone back to a revision: it was restored. Nothing is known of how it came to it.
func (f *feed) rewind(revision int64) {
	for i := range f.order {
		f.order[i].revision = min(f.order[i].revision, revision)
	}
	f.floor.revision = revision
}

// after is the point up to which a client knows all that has the revision of an id, if that can be told.
func (f *feed) after(id int64) (seq int64, ok bool) {
	if id < f.floor.revision {
		return 0, false
	}
	at, _ := slices.BinarySearchFunc(f.order, id, func(e entry, id int64) int {
		if e.revision <= id {
			return -1
		}
		return 1
	})
	if at == len(f.order) {
		return f.last, true
	}
	return f.order[at].seq - 1, true
}

// snapshot is the rows as they were at one point.
type snapshot struct {
	seq  int64
	rows []shown // by key
}

// snap is a snapshot that is at most a little older than now: what has come since is in the order.
func (f *feed) snap() *snapshot {
	const near = 8 // of so many rows, one may have changed since
	if s := f.snapshot; s != nil && s.seq >= f.floor.seq && f.last-s.seq <= int64(len(s.rows)/near) {
		return s
	}
	s := &snapshot{seq: f.last, rows: make([]shown, 0, len(f.rows)-f.gone)}
	for _, r := range f.rows {
		if r.there {
			s.rows = append(s.rows, shown{key: r.key, data: r.data})
		}
	}
	slices.SortFunc(s.rows, func(a, b shown) int { return strings.Compare(a.key, b.key) })
	f.snapshot = s
	return s
}
