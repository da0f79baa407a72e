package watch_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"kayra/server/watch"
	"kayra/store"
	"kayra/store/catalog"
)

// fed is a hub that a test feeds by hand.
type fed struct {
	*process

	revision int64
}

func newFed(t *testing.T) *fed {
	t.Helper()
	p := start(t.Context(), t, openLocal(t))
	p.hold.Lock()
	t.Cleanup(p.hold.Unlock)
	return &fed{process: p, revision: 1000}
}

func entry(key string, record any) store.Entry {
	data, _ := json.Marshal(record) // a record can always be written as JSON
	return store.Entry{Key: home().Prefix() + key, Value: data, CreateRevision: 1, ModRevision: 1}
}

func (f *fed) put(entries ...store.Entry) {
	b := store.Batch{}
	for _, e := range entries {
		b.Events = append(b.Events, store.Event{Entry: e})
	}
	f.apply(b)
}

func (f *fed) remove(key string) {
	f.apply(store.Batch{Events: []store.Event{{Entry: store.Entry{Key: home().Prefix() + key}, Deleted: true}}})
}

// apply returns when readers can read it.
func (f *fed) apply(b store.Batch) {
	f.revision++
	b.Revision = f.revision
	f.Apply(b)
}

// However much changes, a feed keeps no more than a small multiple of what there is, and a reader that falls too far behind
// is told so.
func TestAFeedIsBounded(t *testing.T) {
	t.Parallel()
	f := newFed(t)
	topic := watch.Topic{Of: watch.Namespaces}
	idle, err := f.open(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	ready, err := f.open(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20_000 {
		name := fmt.Sprintf("t%d", i)
		f.put(entry("namespaces/"+name, catalog.Namespace{Name: name}), entry("namespaces/kept", catalog.Namespace{Name: "kept", Active: i%2 == 0}))
		f.remove("namespaces/" + name)
		if i%1000 == 999 { // as often as there are rounds, if not more often
			if err := f.Wait(t.Context(), f.revision); err != nil {
				t.Fatal(err)
			}
			if rows, changes := f.Size(topic); rows > 5000 || changes > 15_000 {
				t.Fatalf("%d rows and %d changes are kept of one", rows, changes)
			}
		}
		if _, err := ready.read(); err != nil {
			t.Fatal(err)
		}
	}
	f.put(entry("namespaces/last", catalog.Namespace{Name: "last"}))
	ready.until(t, func() bool { return len(ready.rows) == 2 })
	if _, err := idle.read(); err != nil { // rows that it has never heard of are nothing to it
		t.Fatal(err)
	}
}

// A reader that has not heard of the end of rows that nobody remembers any more has to begin anew.
func TestTooFarBehind(t *testing.T) {
	t.Parallel()
	f := newFed(t)
	const many = 5000
	for i := range many {
		name := fmt.Sprintf("t%d", i)
		f.put(entry("namespaces/"+name, catalog.Namespace{Name: name}))
	}
	slow, err := f.open(t.Context(), watch.Topic{Of: watch.Namespaces})
	if err != nil {
		t.Fatal(err)
	}
	slow.until(t, func() bool { return slow.head != "" })
	for i := range many {
		f.remove(fmt.Sprintf("namespaces/t%d", i))
	}
	if err := f.Wait(t.Context(), f.revision); err != nil {
		t.Fatal(err)
	}
	if _, err := slow.read(); !errors.Is(err, watch.ErrBehind) {
		t.Fatalf("it goes on: %v, with %d rows", err, len(slow.rows))
	}
	if err := slow.move(t.Context(), f.process); err != nil {
		t.Fatal(err)
	}
	slow.until(t, func() bool { return slow.head != "" })
	if len(slow.rows) > 0 {
		t.Errorf("%d rows are left", len(slow.rows))
	}
}

// What nobody reads any more is forgotten.
func TestLinger(t *testing.T) {
	t.Parallel()
	s := openLocal(t)
	p := startWith(t.Context(), t, s, watch.Options{Pace: 5 * time.Millisecond, Linger: 50 * time.Millisecond})
	w := newWorld(t, s)
	w.subscribed("a")
	c := w.watches(p, status())
	there := func() bool { rows, _ := p.Size(status()); return rows > 0 }
	if !there() {
		t.Error("there is no feed")
	}
	c.Close()
	for end := time.Now().Add(patience); there(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatal("the feed is kept")
		}
	}
}

// What a hub keeps of a subscription is little, whether anybody watches it or not.
func TestASubscriptionCostsLittle(t *testing.T) { //nolint:paralleltest // it measures what is allocated
	const many, unwatched, watched = 5_000, 450, 900
	f := newFed(t)
	at := time.Now().UTC().Truncate(time.Millisecond)
	entries := []store.Entry{entry("registrations/"+compute, catalog.Registration{Name: compute, SyncID: "v1", UID: "u"})}
	for i := range many {
		ns := fmt.Sprintf("tenant-%d", i)
		entries = append(entries, entry("subscriptions/"+compute+"/"+ns, catalog.Subscription{
			API: compute, Namespace: ns, Active: true, State: catalog.StateSuccess, CurrentSyncID: "v1", UID: ns, UpdatedAt: at, CreatedAt: at,
			Attempt: catalog.Attempt{SyncID: "v1", Run: "run-" + ns, N: 1, Begun: 1, Phase: catalog.PhaseSuccess, StartedAt: at, EndedAt: at, Holder: ns},
		}))
	}
	before := heapInUse()
	f.put(entries...)
	alone := heapInUse() - before
	if each := alone / many; each > unwatched {
		t.Errorf("%d bytes are kept of a subscription", each)
	}
	c, err := f.open(t.Context(), status())
	if err != nil {
		t.Fatal(err)
	}
	for live := false; !live; { // and not kept, as c would
		part, more, err := c.Next()
		if err != nil {
			t.Fatal(err)
		}
		live = len(part) == 0 && more != nil
	}
	if each := (heapInUse() - before) / many; each > watched {
		t.Errorf("%d bytes are kept of a subscription that is watched", each)
	} else {
		t.Logf("%d bytes are kept of a subscription, and %d of one that is watched", alone/many, each)
	}
	runtime.KeepAlive(entries)
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
