package storetest

import (
	"context"
	"testing"

	"kayra/store"
)

// calls are all methods, each with the context given.
func calls(ctx context.Context, s Store) map[string]func() error {
	second := func(_ any, err error) error { return err }
	return map[string]func() error{
		"get":     func() error { return second(s.Get(ctx, "key")) },
		"list":    func() error { return second(s.List(ctx, "", store.ListOptions{})) },
		"txn":     func() error { return second(s.Txn(ctx, store.Txn{Then: []store.Op{store.Put("other", nil)}})) },
		"watch":   func() error { return second(nil, s.Watch(ctx, "", 1, func(store.Batch) error { return nil })) },
		"session": func() error { return second(s.NewSession(ctx)) },
	}
}

func testCancellation(t *testing.T, p Place) {
	t.Helper()
	s := p.Open(t)
	put(t, s, "key", "value")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range calls(ctx, s) {
		wantErr(t, name, call(), context.Canceled)
	}
	late, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	for name, call := range calls(late, s) {
		wantErr(t, name, call(), context.DeadlineExceeded)
	}
}

func testClose(t *testing.T, p Place) {
	t.Helper()
	s, other := p.Open(t), p.Open(t)
	revision := put(t, s, "key", "value")
	session, err := s.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	do(t, s, store.PutSession("lock", nil, session.ID()))
	w := watch(t, s, "", revision)
	w.events(t, 2)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantErr(t, "watch", receive(t, "end of watch", w.ended), store.ErrUnavailable)
	receive(t, "end of session", session.Done())
	for name, call := range calls(t.Context(), s) {
		wantErr(t, name, call(), store.ErrUnavailable)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close again: %v", err)
	}
	wantKeys(t, "after close", keys(list(t, other, "", store.ListOptions{}).Entries), []string{"key"})
}
