package reconciler_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"

	"kayra/store"
)

// severed is a store whose watch can be made to break, and to stay broken.
type severed struct {
	store.Store

	mu    sync.Mutex
	down  bool
	cut   context.CancelCauseFunc // ends the watch that runs
	lists int                     // how often it was listed
}

var errSevered = fmt.Errorf("the watch is severed: %w", store.ErrUnavailable)

// List counts itself.
func (s *severed) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	s.mu.Lock()
	s.lists++
	s.mu.Unlock()
	return s.Store.List(ctx, prefix, opts)
}

func (s *severed) listed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// Watch fails while the watch is to be broken.
func (s *severed) Watch(ctx context.Context, prefix string, from int64, fn func(store.Batch) error) error {
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	s.mu.Lock()
	if s.cut = cut; s.down {
		cut(errSevered)
	}
	s.mu.Unlock()
	err := s.Store.Watch(ctx, prefix, from, fn)
	if cause := context.Cause(ctx); errors.Is(cause, errSevered) {
		return cause
	}
	return err
}

// sever breaks the watch, or lets it be resumed.
func (s *severed) sever(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down = down; down {
		s.cut(errSevered)
	}
}

// unanswered is a store that keeps answers back.
type unanswered struct {
	store.Store

	mu   sync.Mutex
	lose int // how often in a row the answer to one kind of write about the same records is lost
	lost map[string]int
}

func (u *unanswered) loseMore(lose int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.lose = lose
}

// Txn may fail although it has written.
func (u *unanswered) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	res, err := u.Store.Txn(ctx, txn)
	if what := nameOf(txn); err == nil && what != "" && u.loses(what) {
		return store.Result{}, fmt.Errorf("%s: the answer is lost: %w", what, store.ErrUnavailable)
	}
	return res, err
}

func (u *unanswered) loses(what string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.lost[what] >= u.lose {
		return false
	}
	u.lost[what]++
	return true
}

// nameOf names the kind of a transaction's writes and the records.
func nameOf(txn store.Txn) string {
	what := ""
	for _, op := range txn.Then {
		switch op.Kind {
		case store.OpPut:
			what += " put " + op.Key
		case store.OpDelete:
			what += " delete " + op.Key
		case store.OpGet:
		}
	}
	return what
}

// ready asks for the reconciler's readiness.
func (p *process) ready() bool {
	rec := httptest.NewRecorder()
	p.Handler().ServeHTTP(rec, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/-/readyz"}})
	return rec.Code == http.StatusOK
}
