package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"kayra/store"
)

func testRevisions(t *testing.T, p Place) {
	t.Helper()
	s, other := p.Open(t), p.Open(t)
	_, err := s.Get(t.Context(), "key")
	wantErr(t, "get a missing key", err, store.ErrNotFound)

	created := put(t, s, "key", "one")
	modified := put(t, other, "key", "two")
	if modified <= created {
		t.Errorf("second write at revision %d, the first one at %d", modified, created)
	}
	for _, s := range []Store{s, other} {
		e := get(t, s, "key")
		if e.CreateRevision != created || e.ModRevision != modified || string(e.Value) != "two" || e.Key != "key" || e.Session != "" {
			t.Errorf("got %+v, want created at %d, modified at %d", e, created, modified)
		}
	}
	deleted := do(t, s, store.Delete("key"))
	_, err = other.Get(t.Context(), "key")
	wantErr(t, "get a deleted key", err, store.ErrNotFound)
	again := put(t, other, "key", "three")
	if e := get(t, s, "key"); e.CreateRevision != again || e.ModRevision != again || again <= deleted || deleted <= modified {
		t.Errorf("got %+v after recreation at %d, deletion at %d", e, again, deleted)
	}
	if l := list(t, s, "", store.ListOptions{}); l.Revision < again {
		t.Errorf("list at revision %d does not see the write at %d", l.Revision, again)
	}
}

func testConditions(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	created := put(t, s, "here", "1")
	modified := put(t, s, "here", "2")
	for name, c := range map[string]struct {
		cond store.Cond
		want bool
	}{
		"absent, is":              {store.Absent("gone"), true},
		"absent, is not":          {store.Absent("here"), false},
		"present, is":             {store.Present("here"), true},
		"present, is not":         {store.Present("her"), false},
		"unchanged, is":           {store.Unchanged(get(t, s, "here")), true},
		"unchanged, is not":       {store.Unchanged(store.Entry{Key: "here", ModRevision: created}), false},
		"unchanged, is gone":      {store.Unchanged(store.Entry{Key: "gone", ModRevision: created}), false},
		"unchanged, never was":    {store.Unchanged(store.Entry{Key: "gone"}), true},
		"created, is":             {store.CreatedAt("here", created), true},
		"created, is not":         {store.CreatedAt("here", modified), false},
		"created, longer key":     {store.CreatedAt("her", created), false},
		"empty, is":               {store.Empty("hero"), true},
		"empty, is not":           {store.Empty("he"), false},
		"empty, is the key alone": {store.Empty("here"), false},
	} {
		res, err := s.Txn(t.Context(), store.Txn{
			If:   []store.Cond{store.Present("here"), c.cond},
			Then: []store.Op{store.Get("here")},
			Else: []store.Op{store.Get("here"), store.Get("gone")},
		})
		if err != nil || res.OK != c.want || len(res.Got) != 1 || string(res.Got["here"].Value) != "2" {
			t.Errorf("%s: got %+v, %v; want OK %v and the entry", name, res, err, c.want)
		}
	}
}

func testEmpty(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	claim := store.Txn{If: []store.Cond{store.Empty("dir/")}, Then: []store.Op{store.Put("dir/a", nil)}}
	for step, want := range []bool{true, false} {
		if res, err := s.Txn(t.Context(), claim); err != nil || res.OK != want {
			t.Errorf("step %d: got %+v, %v; want OK %v", step, res, err, want)
		}
	}
	do(t, s, store.Delete("dir/a"), store.Put("dir", nil), store.Put("dir0", nil))
	if res, err := s.Txn(t.Context(), claim); err != nil || !res.OK {
		t.Errorf("with neighbours only: got %+v, %v", res, err)
	}
}

func testOperations(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	put(t, s, "old", "1")
	res, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{
		store.Put("new", []byte("2")), store.Get("new"), store.Get("old"), store.Delete("old"), store.Delete("never"), store.Put("empty", nil),
	}})
	if err != nil || !res.OK {
		t.Fatalf("got %+v, %v", res, err)
	}
	if e := res.Got["new"]; string(e.Value) != "2" || e.ModRevision != res.Revision || e.CreateRevision != res.Revision {
		t.Errorf("a transaction does not see its own write: %+v", res)
	}
	if e := res.Got["old"]; string(e.Value) != "1" {
		t.Errorf("got %+v, want the entry before its deletion", e)
	}
	l := list(t, s, "", store.ListOptions{})
	wantKeys(t, "after the transaction", keys(l.Entries), []string{"empty", "new"})
	for _, e := range l.Entries {
		if e.ModRevision != res.Revision {
			t.Errorf("%q has revision %d, the transaction %d", e.Key, e.ModRevision, res.Revision)
		}
	}
}

func testRefused(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	var most []store.Op
	var conds []store.Cond
	for i := range store.MaxOps {
		most = append(most, store.Put(fmt.Sprintf("many/%d", i), []byte("x")))
		conds = append(conds, store.Absent(fmt.Sprintf("many/%d", i)))
	}
	more := append(slices.Clip(most), store.Get("another"))
	moreConds := append(slices.Clip(conds), store.Absent("another"))
	for name, txn := range map[string]store.Txn{
		"operations": {Then: more}, "else": {Else: more}, "conditions": {If: moreConds},
	} {
		_, err := s.Txn(t.Context(), txn)
		wantErr(t, "too many: "+name, err, store.ErrTooLarge)
	}
	if _, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put("a", nil), store.Delete("a")}}); err == nil {
		t.Error("a key was written twice")
	}
	if res, err := s.Txn(t.Context(), store.Txn{If: conds, Then: most, Else: most}); err != nil || !res.OK {
		t.Errorf("the largest transaction: got %+v, %v", res, err)
	}
}

// testContention has many goroutines on two handles count up one key.
func testContention(t *testing.T, p Place) {
	t.Helper()
	const goroutines, rounds = 30, 10
	stores := []Store{p.Open(t), p.Open(t)}
	var revisions sync.Map
	var done sync.WaitGroup
	for i := range goroutines {
		done.Go(func() {
			for range rounds {
				revision, err := increment(t, stores[i%2], "counter")
				if err != nil {
					t.Error(err)
					return
				}
				if _, twice := revisions.LoadOrStore(revision, true); twice {
					t.Errorf("two writes at revision %d", revision)
				}
			}
		})
	}
	done.Wait()
	if got := string(get(t, stores[0], "counter").Value); got != strconv.Itoa(goroutines*rounds) {
		t.Errorf("counted to %s, want %d", got, goroutines*rounds)
	}
}

// increment adds one to a number, however often it takes, and returns the revision it did it at.
func increment(tb testing.TB, s store.Store, key string) (int64, error) {
	tb.Helper()
	e := store.Entry{Key: key}
	for {
		n, _ := strconv.Atoi(string(e.Value))
		res, err := s.Txn(tb.Context(), store.Txn{
			If:   []store.Cond{store.Unchanged(e)},
			Then: []store.Op{store.Put(key, []byte(strconv.Itoa(n+1)))},
			Else: []store.Op{store.Get(key)},
		})
		if err != nil {
			return 0, fmt.Errorf("increment: %w", err)
		}
		if res.OK {
			return res.Revision, nil
		}
		e = res.Got[key]
	}
}

func testValues(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	large := bytes.Repeat([]byte("\x00\xff kayra"), store.MaxValue/8)
	for name, value := range map[string][]byte{"large": large, "bytes": {0, 0xff, 0xfe, '\n'}, "empty": {}} {
		revision := do(t, s, store.Put(name, value))
		if e := get(t, s, name); !bytes.Equal(e.Value, value) {
			t.Errorf("%s: got %d bytes, want %d", name, len(e.Value), len(value))
		}
		w := watch(t, s, name, revision)
		if e := w.events(t, 1)[0]; !bytes.Equal(e.Value, value) || e.Deleted {
			t.Errorf("%s: watched %d bytes, want %d", name, len(e.Value), len(value))
		}
	}
	_, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put("huge", make([]byte, 3*store.MaxValue))}})
	wantErr(t, "a value of 3 MiB", err, store.ErrTooLarge)
	_, err = s.Txn(t.Context(), store.Txn{Then: []store.Op{store.Put("a", large), store.Put("b", large)}})
	wantErr(t, "two values of 1 MiB", err, store.ErrTooLarge)
	wantKeys(t, "after refusals", keys(list(t, s, "", store.ListOptions{}).Entries), []string{"bytes", "empty", "large"})
}
