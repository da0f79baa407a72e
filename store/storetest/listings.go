package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"kayra/store"
)

// edges are keys that are hard to tell apart: prefixes of others, and bytes at the ends of the range.
func edges() []string {
	edges := []string{
		"a", "a\x00", "a\x00b", "a/", "a/b", "a/b/c", "a/bc", "a0", "ab", "a\xfe", "a\xff", "a\xff\x00", "a\xff\xff", "b",
		"grün/é", "grün/日本", "\x00", "\xfe\xff", "\xff", "\xff\x01", "\xff\xff", "A", " ", "%", "_", "schema",
	}
	slices.Sort(edges)
	return edges
}

func withPrefix(keys []string, prefix string) []string {
	var with []string
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) {
			with = append(with, key)
		}
	}
	return with
}

func testPrefixes(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	for _, key := range edges() {
		put(t, s, key, key)
	}
	for _, prefix := range append(edges(), "", "a\xff\xff\xff", "z", "grü") {
		want := withPrefix(edges(), prefix)
		l := list(t, s, prefix, store.ListOptions{})
		wantKeys(t, fmt.Sprintf("list %q", prefix), keys(l.Entries), want)
		if l.More {
			t.Errorf("list %q has more", prefix)
		}
		for _, e := range l.Entries {
			if string(e.Value) != e.Key {
				t.Errorf("list %q: %q has value %q", prefix, e.Key, e.Value)
			}
		}
		res, err := s.Txn(t.Context(), store.Txn{If: []store.Cond{store.Empty(prefix)}})
		if err != nil || res.OK != (len(want) == 0) {
			t.Errorf("empty %q: got %v, %v", prefix, res.OK, err)
		}
	}
}

func testPaging(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	var all []string
	for i := range 23 {
		all = append(all, fmt.Sprintf("p/%02d", i))
		put(t, s, all[i], "")
	}
	put(t, s, "o", "")
	put(t, s, "q", "")
	for _, limit := range []int{1, 2, 22, 23, 24} {
		var got []string
		opts := store.ListOptions{Limit: limit}
		for more := true; more; {
			l := list(t, s, "p/", opts)
			got = append(got, keys(l.Entries)...)
			if more = l.More; more && len(l.Entries) != limit {
				t.Fatalf("limit %d: a page of %d has more", limit, len(l.Entries))
			}
			opts.After = got[len(got)-1]
		}
		wantKeys(t, fmt.Sprintf("pages of %d", limit), got, all)
	}
	for after, want := range map[string][]string{
		"a": all, "p/": all, "p/20": all[21:], "p/20a": all[21:], "p/19\xff": all[20:], "p/22": nil, "p0": nil, "z": nil,
	} {
		l := list(t, s, "p/", store.ListOptions{After: after})
		wantKeys(t, fmt.Sprintf("after %q", after), keys(l.Entries), want)
		if l.Revision == 0 {
			t.Errorf("after %q: no revision", after)
		}
	}
}

// testLongListing lists more than any backend reads at once.
func testLongListing(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	const pages = 60
	for page := range pages {
		var ops []store.Op
		for i := range store.MaxOps {
			ops = append(ops, store.Put(fmt.Sprintf("long/%02d%03d", page, i), make([]byte, 500)))
		}
		do(t, s, ops...)
	}
	for _, limit := range []int{0, pages*store.MaxOps - 1} {
		l := list(t, s, "long/", store.ListOptions{Limit: limit})
		if want := pages*store.MaxOps - min(limit, 1); len(l.Entries) != want || l.More != (limit > 0) {
			t.Fatalf("limit %d: got %d entries, more %v", limit, len(l.Entries), l.More)
		}
		if !slices.IsSortedFunc(l.Entries, func(a, b store.Entry) int { return strings.Compare(a.Key, b.Key) }) {
			t.Errorf("limit %d: not sorted", limit)
		}
	}
}

// testSnapshot has a writer keep the first and the last of many entries equal, and never sees them differ.
func testSnapshot(t *testing.T, p Place) {
	t.Helper()
	s, other := p.Open(t), p.Open(t)
	for i := range 30 {
		var ops []store.Op
		for j := range 100 {
			ops = append(ops, store.Put(fmt.Sprintf("s/%02d/%02d", i, j), nil))
		}
		do(t, s, ops...)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	wrote := make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			value := fmt.Append(nil, i)
			_, err = other.Txn(ctx, store.Txn{Then: []store.Op{store.Put("s/00/00", value), store.Put("s/29/99", value)}})
		}
		wrote <- err
	}()
	seen := map[int64]bool{}
	for range 15 {
		l := list(t, s, "s/", store.ListOptions{})
		if first, last := l.Entries[0], l.Entries[len(l.Entries)-1]; string(first.Value) != string(last.Value) || last.ModRevision > l.Revision {
			t.Errorf("at revision %d: %+v beside %+v", l.Revision, first, last)
		}
		seen[l.Revision] = true
	}
	stop()
	wantErr(t, "writer", receive(t, "writer", wrote), context.Canceled)
	if len(seen) < 2 {
		t.Error("the writer did not write")
	}
}
