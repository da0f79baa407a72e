package storetest

import (
	"testing"

	"kayra/store"
)

func newSession(tb testing.TB, s store.JobLocker) store.Session {
	tb.Helper()
	session, err := s.NewSession(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return session
}

func testSessions(t *testing.T, p Place) {
	t.Helper()
	s, other := p.Open(t), p.Open(t)
	session := newSession(t, s)
	claim := store.Txn{
		If:   []store.Cond{store.Absent("lock")},
		Then: []store.Op{store.PutSession("lock", []byte("mine"), session.ID()), store.Put("job", nil)},
	}
	for step, want := range []bool{true, false} {
		if res, err := other.Txn(t.Context(), claim); err != nil || res.OK != want {
			t.Errorf("step %d: got %+v, %v; want OK %v", step, res, err, want)
		}
	}
	e := get(t, other, "lock")
	if e.Session != session.ID() || session.ID() == "" {
		t.Errorf("got %+v, want session %q", e, session.ID())
	}
	if w := watch(t, s, "lock", e.ModRevision); w.events(t, 1)[0].Session != session.ID() {
		t.Error("the watch does not tell the session")
	}
	release := store.Txn{If: []store.Cond{store.CreatedAt("lock", e.CreateRevision)}, Then: []store.Op{store.Delete("lock")}}
	if res, err := s.Txn(t.Context(), release); err != nil || !res.OK {
		t.Errorf("release: got %+v, %v", res, err)
	}
	for _, id := range []string{"1234567890abcdef", "none"} {
		_, err := s.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("lock", nil, id)}})
		wantErr(t, "session "+id, err, store.ErrSessionLost)
	}
	select {
	case <-session.Done():
		t.Error("the session has ended")
	default:
	}
}

func testSessionEnd(t *testing.T, p Place) {
	t.Helper()
	s, other := p.Open(t), p.Open(t)
	session := newSession(t, s)
	do(t, s, store.PutSession("bound/a", nil, session.ID()), store.PutSession("bound/b", nil, session.ID()))
	do(t, s, store.PutSession("freed", nil, session.ID()))
	revision := put(t, s, "freed", "")
	w := watch(t, other, "", revision+1)
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	receive(t, "end of session", session.Done())
	events := w.events(t, 2)
	for i, key := range []string{"bound/a", "bound/b"} {
		if e := events[i]; e.Key != key || !e.Deleted || e.ModRevision != events[0].ModRevision {
			t.Errorf("got %+v, want the deletion of %q", e, key)
		}
	}
	wantKeys(t, "after the end", keys(list(t, other, "", store.ListOptions{}).Entries), []string{"freed"})
	_, err := other.Txn(t.Context(), store.Txn{Then: []store.Op{store.PutSession("bound/c", nil, session.ID())}})
	wantErr(t, "put after the end", err, store.ErrSessionLost)
	if err := session.Close(t.Context()); err != nil {
		t.Errorf("close again: %v", err)
	}
	if next := newSession(t, other); next.ID() == session.ID() {
		t.Errorf("two sessions have the id %q", next.ID())
	}
}
