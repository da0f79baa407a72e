package transfer_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"kayra/store"
	"kayra/store/local"
	"kayra/store/transfer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T) *local.Store {
	t.Helper()
	s, err := local.Open(t.Context(), local.Options{Path: filepath.Join(t.TempDir(), "kayra.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func do(t *testing.T, s store.Store, ops ...store.Op) {
	t.Helper()
	for part := range slices.Chunk(ops, store.MaxOps) {
		if _, err := s.Txn(t.Context(), store.Txn{Then: part}); err != nil {
			t.Fatal(err)
		}
	}
}

func read(t *testing.T, s store.Store) *transfer.Contents {
	t.Helper()
	c, err := transfer.Read(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// filled has more keys than go into a transaction or a page, larger ones than go together, and one of a session.
func filled(t *testing.T) *local.Store {
	t.Helper()
	s := open(t)
	var ops []store.Op
	for i := range 2100 {
		ops = append(ops, store.Put(fmt.Sprintf("key-%d", i), []byte{byte(i)}))
	}
	do(t, s, ops...)
	for i := range 3 {
		do(t, s, store.Put(fmt.Sprintf("large-%d", i), bytes.Repeat([]byte{'x'}, store.MaxValue)))
	}
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	do(t, s, store.PutSession("locks/a", []byte("mine"), session.ID()), store.Put("empty", nil))
	return s
}

func TestCopy(t *testing.T) {
	t.Parallel()
	from, to := filled(t), open(t)
	c := read(t, from)
	if len(c.Records) != 2104 || len(c.Bound) != 1 || c.Bound[0].Key != "locks/a" || c.Bytes() < 3*store.MaxValue {
		t.Errorf("%d records, bound: %v, %d bytes", len(c.Records), c.Bound, c.Bytes())
	}
	var told []int
	if err := c.Write(t.Context(), to, func(done int) { told = append(told, done) }); err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(told) || told[len(told)-1] != 2104 {
		t.Errorf("told: %v", told)
	}
	if err := c.Verify(t.Context(), to); err != nil {
		t.Error(err)
	}
	if changed, err := c.Since(t.Context(), from); err != nil || len(changed) > 0 {
		t.Errorf("%q, %v", changed, err)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	for says, spoil := range map[string]store.Op{
		`lacks "b"`:                       store.Delete("b"),
		`lacks "c"`:                       store.Delete("c"),
		`has "aa", which was not copied`:  store.Put("aa", nil),
		`has "d", which was not copied`:   store.Put("d", nil),
		`has another value of "b"`:        store.Put("b", []byte("2")),
		`has "locks/a", which a process `: {Kind: store.OpPut, Key: "locks/a", Session: "own"},
	} {
		from, to := open(t), open(t)
		do(t, from, store.Put("a", []byte("1")), store.Put("b", []byte("1")), store.Put("c", []byte("1")))
		c := read(t, from)
		if err := c.Write(t.Context(), to, func(int) {}); err != nil {
			t.Fatal(err)
		}
		if spoil.Session != "" {
			session, err := to.NewSession(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			spoil.Session = session.ID()
		}
		do(t, to, spoil)
		if err := c.Verify(t.Context(), to); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	s := open(t)
	do(t, s, store.Put("a", nil), store.Put("b", nil), store.Put("c", nil))
	c := read(t, s)
	do(t, s, store.Put("a", nil), store.Delete("b"), store.Put("d", nil))
	changed, err := c.Since(t.Context(), s)
	slices.Sort(changed)
	if err != nil || !slices.Equal(changed, []string{"a", "b", "d"}) {
		t.Errorf("%q, %v", changed, err)
	}
}

// A store that does not answer for a while is tried again, and one that refuses is not.
func TestPatience(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fails int
		with  error
		tries int
		ok    bool
	}{
		"for a while": {3, store.ErrUnavailable, 4, true},
		"for ever":    {1 << 30, store.ErrUnavailable, 62, false},
		"too large":   {1 << 30, store.ErrTooLarge, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &failing{left: c.fails, with: c.with}
				contents := &transfer.Contents{Records: []store.Entry{{Key: "a"}}}
				err := contents.Write(t.Context(), s, func(int) {})
				if s.tries != c.tries || c.ok != (err == nil) || !c.ok && !errors.Is(err, c.with) {
					t.Errorf("%v, after %d tries", err, s.tries)
				}
			})
		})
	}
}

// failing fails so many times.
type failing struct {
	store.Store

	left, tries int
	with        error
}

func (f *failing) Txn(context.Context, store.Txn) (store.Result, error) {
	if f.tries++; f.tries > f.left {
		return store.Result{}, nil
	}
	return store.Result{}, f.with
}
