package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kayra/store"
)

// model is what a store has to be like: a map with revisions, and a log of its changes.
type model struct {
	entries  map[string]store.Entry
	log      []store.Event
	revision int64
}

// testModel carries out random transactions and lists on a store and on the model, and compares what they say.
func testModel(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	runs := 0
	rapid.Check(t, func(rt *rapid.T) {
		runs++
		prefix := fmt.Sprintf("run/%d/", runs)
		start := list(t, s, "none", store.ListOptions{}).Revision
		m := &model{entries: map[string]store.Entry{}, revision: start}
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			if rapid.IntRange(0, 3).Draw(rt, "step") == 0 {
				m.compareList(rt, s, prefix)
			} else {
				m.compareTxn(rt, s, prefix)
			}
		}
		if runs%4 == 0 { // a watch takes etcd a while to begin
			m.compareLog(rt, s, prefix, start)
		}
	})
}

func (m *model) compareTxn(rt *rapid.T, s store.Store, prefix string) {
	txn := store.Txn{Then: drawOps(rt, "then", prefix), Else: drawOps(rt, "else", prefix)}
	for range rapid.IntRange(0, 2).Draw(rt, "conditions") {
		txn.If = append(txn.If, m.drawCond(rt, prefix))
	}
	want := m.txn(txn)
	got, err := s.Txn(context.Background(), txn)
	if err != nil {
		rt.Fatal(err)
	}
	if got.OK != want.OK || got.Revision != want.Revision || len(got.Got) != len(want.Got) {
		rt.Fatalf("%+v: got %+v, want %+v", txn, got, want)
	}
	for key, e := range want.Got {
		if !same(got.Got[key], e) {
			rt.Fatalf("%+v: got %+v, want %+v", txn, got, want)
		}
	}
}

func same(a, b store.Entry) bool {
	return a.Key == b.Key && string(a.Value) == string(b.Value) && a.CreateRevision == b.CreateRevision &&
		a.ModRevision == b.ModRevision && a.Session == b.Session
}

// drawKey draws one of few keys, so that they meet.
func drawKey(rt *rapid.T, prefix string) string {
	return prefix + rapid.SampledFrom([]string{"", "a", "a/", "a/b", "a\x00", "ab", "b", "\xff"}).Draw(rt, "key")
}

func (m *model) drawCond(rt *rapid.T, prefix string) store.Cond {
	c := store.Cond{Kind: rapid.SampledFrom([]store.CondKind{
		store.CondAbsent, store.CondPresent, store.CondModRev, store.CondCreated, store.CondEmpty,
	}).Draw(rt, "kind"), Key: drawKey(rt, prefix)}
	e := m.entries[c.Key]
	if c.Kind == store.CondModRev || c.Kind == store.CondCreated {
		c.Revision = rapid.SampledFrom([]int64{0, e.ModRevision, e.CreateRevision, m.revision}).Draw(rt, "revision")
	}
	return c
}

func drawOps(rt *rapid.T, label, prefix string) []store.Op {
	var ops []store.Op
	written := map[string]bool{}
	for range rapid.IntRange(0, 4).Draw(rt, label) {
		op := store.Op{Key: drawKey(rt, prefix), Kind: rapid.SampledFrom([]store.OpKind{
			store.OpGet, store.OpPut, store.OpPut, store.OpDelete,
		}).Draw(rt, "op")}
		if op.Kind != store.OpGet && written[op.Key] {
			continue
		}
		if op.Kind == store.OpPut {
			op.Value = rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(rt, "value")
		}
		written[op.Key] = written[op.Key] || op.Kind != store.OpGet
		ops = append(ops, op)
	}
	return ops
}

func (m *model) txn(txn store.Txn) store.Result {
	res := store.Result{OK: !slices.ContainsFunc(txn.If, m.fails), Got: map[string]store.Entry{}}
	ops := txn.Then
	if !res.OK {
		ops = txn.Else
	}
	revision, changes := m.revision+1, len(m.log)
	for _, op := range ops {
		e, ok := m.entries[op.Key]
		switch {
		case op.Kind == store.OpGet && ok:
			res.Got[op.Key] = e
		case op.Kind == store.OpPut:
			if !ok {
				e = store.Entry{Key: op.Key, CreateRevision: revision}
			}
			e.Value, e.ModRevision = op.Value, revision
			m.entries[op.Key] = e
			m.log = append(m.log, store.Event{Entry: e})
		case op.Kind == store.OpDelete && ok:
			delete(m.entries, op.Key)
			m.log = append(m.log, store.Event{Entry: store.Entry{Key: op.Key, ModRevision: revision}, Deleted: true})
		}
	}
	if len(m.log) > changes {
		m.revision = revision
	}
	res.Revision = m.revision
	return res
}

func (m *model) fails(c store.Cond) bool {
	e, ok := m.entries[c.Key]
	switch c.Kind {
	case store.CondAbsent:
		return ok
	case store.CondPresent:
		return !ok
	case store.CondModRev:
		return e.ModRevision != c.Revision
	case store.CondCreated:
		return e.CreateRevision != c.Revision
	case store.CondEmpty:
		return len(m.list(c.Key)) > 0
	default:
		return true
	}
}

func (m *model) list(prefix string) []store.Entry {
	var entries []store.Entry
	for key, e := range m.entries {
		if strings.HasPrefix(key, prefix) {
			entries = append(entries, e)
		}
	}
	slices.SortFunc(entries, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) })
	return entries
}

func (m *model) compareList(rt *rapid.T, s store.Store, prefix string) {
	under := drawKey(rt, prefix)
	opts := store.ListOptions{Limit: rapid.IntRange(0, 4).Draw(rt, "limit")}
	want := m.list(under)
	if rapid.Bool().Draw(rt, "paged") {
		opts.After = drawKey(rt, prefix)
		want = slices.DeleteFunc(want, func(e store.Entry) bool { return e.Key <= opts.After })
	}
	more := opts.Limit > 0 && len(want) > opts.Limit
	if more {
		want = want[:opts.Limit]
	}
	got, err := s.List(context.Background(), under, opts)
	if err != nil {
		rt.Fatal(err)
	}
	if got.Revision != m.revision || got.More != more || !slices.EqualFunc(got.Entries, want, same) {
		rt.Fatalf("list %q %+v at %d: got %+v, want %+v, more %v", under, opts, m.revision, got, want, more)
	}
}

// compareLog watches what has happened since the start.
func (m *model) compareLog(rt *rapid.T, s store.Store, prefix string, start int64) {
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	var got []store.Event
	err := s.Watch(ctx, prefix, start+1, func(b store.Batch) error {
		got = append(got, b.Events...)
		if b.Revision >= m.revision {
			return errDone
		}
		return nil
	})
	wantErr(rt, "watch", err, errDone)
	wantEvents(rt, got, m.log)
}
