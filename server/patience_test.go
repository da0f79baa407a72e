package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kayra/store"
)

// deadlines is a store that tells by when it has to have carried out a transaction.
type deadlines struct {
	store.Store

	got chan time.Time
}

func (d *deadlines) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	at, _ := ctx.Deadline()
	select {
	case d.got <- at:
	default:
	}
	return d.Store.Txn(ctx, txn)
}

// upload is a body that knows when the last of it was read.
type upload struct {
	io.Reader

	ended time.Time
}

func (u *upload) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		u.ended = time.Now()
	}
	return n, err
}

// The time that the store is given begins when the body is there: a client on a slow line does not use it up.
func TestSlowUpload(t *testing.T) {
	t.Parallel()
	s := &deadlines{Store: openLocal(t), got: make(chan time.Time, 1)}
	l := newLab(t, s)
	body := &upload{Reader: strings.NewReader(`{"name":"sre"}`)}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, spaces, body)
	r.Header.Set("Authorization", "Bearer "+rootToken)
	w := httptest.NewRecorder()
	l.handler.ServeHTTP(w, r)
	if w.Code != http.StatusCreated {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if left := (<-s.got).Sub(body.ended); left < 15*time.Second {
		t.Errorf("the store has %s from the end of the body", left)
	}
}
