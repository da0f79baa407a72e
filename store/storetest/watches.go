package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"kayra/store"
)

func testWatchEvents(t *testing.T, p Place) {
	t.Helper()
	s, other := p.Open(t), p.Open(t)
	start := list(t, s, "", store.ListOptions{}).Revision
	w := watch(t, s, "w/", start+1)
	if b := receive(t, "first batch", w.batches); len(b.Events) != 0 || b.Revision < start {
		t.Errorf("got %+v first, want nothing at revision %d", b, start)
	}
	revision := do(t, other, store.Put("w/a", []byte("1")), store.Put("v", nil), store.Put("w/b", nil))
	want := []store.Event{
		{Entry: store.Entry{Key: "w/a", Value: []byte("1"), CreateRevision: revision, ModRevision: revision}},
		{Entry: store.Entry{Key: "w/b", CreateRevision: revision, ModRevision: revision}},
	}
	wantEvents(t, w.events(t, 2), want)

	again := do(t, s, store.Put("w/a", []byte("2")), store.Delete("w/b"))
	changed := store.Entry{Key: "w/a", Value: []byte("2"), CreateRevision: revision, ModRevision: again}
	more := []store.Event{{Entry: changed}, {Entry: store.Entry{Key: "w/b", ModRevision: again}, Deleted: true}}
	wantEvents(t, w.events(t, 2), more)
	wantEvents(t, watch(t, other, "w/", start+1).events(t, 4), append(want, more...))
	wantEvents(t, watch(t, other, "w/", again).events(t, 2), more)
}

func wantEvents(t tb, got, want []store.Event) {
	t.Helper()
	same := func(a, b store.Event) bool {
		return string(a.Value) == string(b.Value) && a.Key == b.Key && a.Deleted == b.Deleted && a.Session == b.Session &&
			a.CreateRevision == b.CreateRevision && a.ModRevision == b.ModRevision
	}
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("got events\n%+v, want\n%+v", got, want)
	}
}

func testWatchPrefixes(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	from := list(t, s, "", store.ListOptions{}).Revision + 1
	for _, key := range edges() {
		put(t, s, key, "")
	}
	end := put(t, s, "zz", "")
	for _, prefix := range []string{"", "a", "a\x00", "a/", "a\xff", "\xff", "\xff\xff", "grün/"} {
		var got []string
		ctx, stop := context.WithCancel(t.Context())
		err := s.Watch(ctx, prefix, from, func(b store.Batch) error {
			for _, e := range b.Events {
				got = append(got, e.Key)
			}
			if b.Revision >= end {
				stop()
			}
			return nil
		})
		stop()
		wantErr(t, "watch", err, context.Canceled)
		wantKeys(t, fmt.Sprintf("watch %q", prefix), got, withPrefix(append(edges(), "zz"), prefix))
	}
}

// testWatchLife waits for signs of life on a prefix where nothing happens, while something happens elsewhere.
func testWatchLife(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	w := watch(t, s, "quiet/", put(t, s, "loud", "")+1)
	for range 2 {
		revision := put(t, s, "loud", "")
		for b := receive(t, "sign of life", w.batches); b.Revision < revision; {
			if len(b.Events) > 0 {
				t.Fatalf("got %+v", b)
			}
			b = receive(t, "sign of life", w.batches)
		}
	}
}

func testWatchEnds(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	revision := put(t, s, "key", "")
	enough := errors.New("enough")
	wantErr(t, "a function that fails", s.Watch(t.Context(), "", revision, func(store.Batch) error { return enough }), enough)

	w := watch(t, s, "", revision+1)
	receive(t, "first batch", w.batches)
	w.stop()
	wantErr(t, "cancelled watch", receive(t, "end of watch", w.ended), context.Canceled)
}

func testCompaction(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	old := put(t, s, "key", "1")
	put(t, s, "key", "2")
	p.Compact(t)
	wantErr(t, "watch what is compacted", receive(t, "end of watch", watch(t, s, "", old).ended), store.ErrCompacted)

	l := list(t, s, "key", store.ListOptions{})
	wantKeys(t, "list after compaction", keys(l.Entries), []string{"key"})
	w := watch(t, s, "key", l.Revision+1)
	revision := put(t, s, "key", "3")
	if e := w.events(t, 1)[0]; e.ModRevision != revision {
		t.Errorf("got %+v, want the write at %d", e, revision)
	}
}

// testBounds watches from the least revision there is, and from one that is to come.
func testBounds(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	revision := put(t, s, "key", "")
	for _, from := range []int64{0, 1, revision} {
		if e := watch(t, s, "key", from).events(t, 1)[0]; e.ModRevision != revision {
			t.Errorf("from %d: got %+v, want the write at %d", from, e, revision)
		}
	}
	w := watch(t, s, "", revision+2)
	wantErr(t, "watch what is to come", receive(t, "end of watch", w.ended), store.ErrFutureRevision)
}

// testWatchGap lists, watches, breaks off and resumes, while writers on two handles write: what a reader then knows is
// what is there.
func testWatchGap(t *testing.T, p Place) {
	t.Helper()
	stores := []Store{p.Open(t), p.Open(t)}
	put(t, stores[0], "gap/0", "")
	var writers sync.WaitGroup
	for i := range 6 {
		writers.Go(func() {
			for n := range 60 {
				key := fmt.Sprintf("gap/%d", rand.N(10))
				op := store.Put(key, fmt.Append(nil, i, n))
				if n%5 == 0 {
					op = store.Delete(key)
				}
				txn := store.Txn{Then: []store.Op{op, store.Put(fmt.Sprintf("gap/own/%d", i), fmt.Append(nil, n))}}
				if _, err := stores[i%2].Txn(t.Context(), txn); err != nil {
					t.Error(err)
				}
			}
		})
	}
	r := reader{t: t, store: stores[0]}
	r.list()
	for range 12 {
		r.watch(1+rand.N(40), 0)
	}
	writers.Wait()
	l := list(t, stores[1], "gap/", store.ListOptions{})
	r.watch(1<<30, l.Revision)
	want := map[string]string{}
	for _, e := range l.Entries {
		want[e.Key] = string(e.Value)
	}
	if !maps.Equal(r.known, want) {
		t.Errorf("watched %v, there is %v", r.known, want)
	}
}

// reader knows a prefix by what it is told.
type reader struct {
	t        testing.TB
	store    store.Store
	known    map[string]string
	revision int64
}

func (r *reader) list() {
	l := list(r.t, r.store, "gap/", store.ListOptions{})
	r.known, r.revision = map[string]string{}, l.Revision
	for _, e := range l.Entries {
		r.known[e.Key] = string(e.Value)
	}
}

// watch follows for as many events, or until the revision if it is not 0. Without one, it also ends when nothing comes
// three times, since the writers may have finished.
func (r *reader) watch(events int, until int64) {
	idle := 0
	err := r.store.Watch(r.t.Context(), "gap/", r.revision+1, func(b store.Batch) error {
		r.apply(b)
		if events -= len(b.Events); len(b.Events) == 0 {
			idle++
		}
		if events <= 0 || until == 0 && idle == 3 || until > 0 && b.Revision >= until {
			return errDone
		}
		return nil
	})
	wantErr(r.t, "watch", err, errDone)
}

func (r *reader) apply(b store.Batch) {
	last := r.revision
	for i, e := range b.Events {
		if e.ModRevision < last || i == 0 && e.ModRevision == last || e.ModRevision > b.Revision {
			r.t.Errorf("event at %d in a batch up to %d, after %d", e.ModRevision, b.Revision, last)
		}
		last = e.ModRevision
		if r.known[e.Key] = string(e.Value); e.Deleted {
			delete(r.known, e.Key)
		}
	}
	if b.Revision < r.revision {
		r.t.Errorf("batch up to %d after one up to %d", b.Revision, r.revision)
	}
	r.revision = b.Revision
}
