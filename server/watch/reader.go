package watch

import (
	"errors"
	"slices"
)

// maxChunk is about how many bytes are read at once.
const maxChunk = 64 << 10

// Why a stream ends.
var (
	// ErrOver: what the topic is about is no more.
	ErrOver = errors.New("what the stream is about is no more")
	// ErrBehind: the reader is so far behind that what it has missed is not known any more.
	ErrBehind = errors.New("the reader is too far behind")
)

// Reader reads a stream. It belongs to one goroutine.
type Reader struct {
	hub  *Hub
	feed *feed

	first []byte  // to be read before all else
	rows  []shown // to be read then, as event
	event string
	base  int64 // all that had changed up to here was read at one time
	at    int64 // all changes up to here have been read
	live  bool  // it has been told that it is synced
	id    int64 // of events until it is live
}

// Next is the next part of the stream, some 64 KiB of it at most, in whole events. Where there is none yet, more tells when
// to ask again. It fails with ErrOver or ErrBehind at the end. The part is to be left as it is: others may read it, too.
func (r *Reader) Next() (part []byte, more <-chan struct{}, err error) {
	if len(r.first) > 0 || len(r.rows) > 0 {
		return r.begin(), nil, nil
	}
	f := r.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.base < f.floor.seq {
		return nil, nil, ErrBehind
	}
	c := f.read(r.base, r.at, r.live, r.id)
	r.at = c.to
	if c.end {
		r.base, r.live, r.id = c.to, true, 0
	}
	if len(c.data) == 0 && f.over {
		return nil, nil, ErrOver
	}
	return c.data, f.changed, nil
}

// begin is a part of what comes before the changes.
func (r *Reader) begin() []byte {
	part := r.first
	r.first = nil
	for len(r.rows) > 0 && len(part) < maxChunk {
		part = appendEvent(part, r.event, r.id, r.rows[0].data)
		r.rows = r.rows[1:]
	}
	return part
}

// Close ends the reader.
func (r *Reader) Close() { r.hub.close(r.feed) }

// chunk is a part of a stream: what has changed between two points.
type chunk struct {
	made     bool
	base, at int64
	live     bool
	id       int64

	data []byte
	to   int64
	end  bool // nothing has changed since
}

// read is a part of what has changed since at. base is when the reader last knew all rows as they were at one time. A
// reader that is not live yet is told of rows only, all with one id, and at the end that it is.
func (f *feed) read(base, at int64, live bool, id int64) chunk {
	if c := f.chunk; c.made && c.base == base && c.at == at && c.live == live && c.id == id {
		return c
	}
	c := chunk{made: true, base: base, at: at, live: live, id: id, to: at}
	next, _ := slices.BinarySearchFunc(f.order, at+1, func(e entry, seq int64) int { return int(e.seq - seq) })
	next = f.skip(next)
	for next < len(f.order) && len(c.data) < maxChunk {
		e := f.order[next]
		next = f.skip(next + 1)
		if live {
			id = f.id(e, next)
		}
		c.data = f.tell(c.data, e, base, live, id)
		c.to = e.seq
	}
	if c.end = next == len(f.order); c.end {
		c.to = f.last
		if !live {
			c.data = appendEvent(c.data, synced, f.revision, f.head.data)
		}
	}
	f.chunk = c
	return c
}

// skip is the index of the first entry from i on that counts.
func (f *feed) skip(i int) int {
	for i < len(f.order) && f.order[i].row.seq != f.order[i].seq {
		i++
	}
	return i
}

// id is that of a change: only the last one of a revision has its revision, so that whoever goes on from there has all of it.
// next is the index of the entry that follows.
func (f *feed) id(e entry, next int) int64 {
	switch {
	case next == len(f.order):
		return f.revision
	case f.order[next].revision > e.revision:
		return e.revision
	}
	return e.revision - 1
}

// tell appends what has become of a row.
func (f *feed) tell(to []byte, e entry, base int64, live bool, id int64) []byte {
	r := e.row
	switch {
	case r == &f.head && !live:
		return to
	case r == &f.head:
		return appendEvent(to, synced, id, r.data)
	case !r.there && r.born > base: // the reader has never heard of it
		return to
	case !r.there:
		return appendEvent(to, deleted, id, r.data)
	case r.born > base || r.joined > base && r.left <= base:
		return appendEvent(to, added, id, r.data)
	}
	return appendEvent(to, modified, id, r.data)
}
