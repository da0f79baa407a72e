package reconciler_test

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

func isKind(err, kind error) bool { return errors.Is(err, kind) }

// document is what the stub app serves of itself.
const document = `{"openapi": "3.1.0", "info": {"title": "compute", "version": "1"}, "paths": {
	"/apis/compute.example.com/v1/namespaces/{namespace}/machines": {"get": {}, "post": {}},
	"/apis/compute.example.com/v1/namespaces/{namespace}/machines/{name}": {"get": {}, "delete": {}}}}`

// call is a request that the stub app has had.
type call struct {
	namespace, syncID, key string

	gone <-chan struct{} // closed when the caller waits no longer
}

// app is a stub of a registered app and of the gateway before it.
type app struct {
	url string

	mu      sync.Mutex
	calls   []call
	fetches int
	answer  func(c call) int // the status of a sync call
	header  http.Header      // of its answer
	serve   http.HandlerFunc // the OpenAPI document
}

func newApp(t *testing.T) *app {
	t.Helper()
	a := &app{
		answer: func(call) int { return http.StatusOK },
		serve:  serveText(document),
	}
	ended := make(chan struct{})
	srv := httptest.NewServer(a.until(ended))
	t.Cleanup(func() { close(ended); srv.Close() })
	a.url = srv.URL
	return a
}

// until handles requests, and leaves them unanswered once the test has ended: one that failed may hold them for ever.
func (a *app) until(ended <-chan struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answered := httptest.NewRecorder()
		done := make(chan struct{})
		go func() {
			defer close(done)
			a.handle(answered, r)
		}()
		select {
		case <-done:
			maps.Copy(w.Header(), answered.Header())
			w.WriteHeader(answered.Code)
			_, _ = w.Write(answered.Body.Bytes())
		case <-ended:
		}
	}
}

func (a *app) handle(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/-/openapi.json") {
		a.mu.Lock()
		a.fetches++
		serve := a.serve
		a.mu.Unlock()
		serve(w, r)
		return
	}
	var body struct {
		SyncID string `json:"sync_id"`
	}
	sent, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(sent, &body)
	c := call{
		namespace: strings.TrimPrefix(r.URL.Path, "/sync/"), syncID: body.SyncID,
		key: r.Header.Get("Idempotency-Key"), gone: r.Context().Done(),
	}
	a.mu.Lock()
	a.calls = append(a.calls, c)
	answer := a.answer
	maps.Copy(w.Header(), a.header)
	a.mu.Unlock()
	w.WriteHeader(answer(c))
}

func serveText(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// behave sets how sync calls are answered from now on.
func (a *app) behave(answer func(c call) int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer = answer
}

// refuse has all sync calls answered with a status and a header.
func (a *app) refuse(status int, header http.Header) {
	a.behave(func(call) int { return status })
	a.mu.Lock()
	defer a.mu.Unlock()
	a.header = header
}

// document sets how the OpenAPI document is served from now on.
func (a *app) document(serve http.HandlerFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.serve = serve
}

// of lists the calls for a namespace, and forgets none.
func (a *app) of(namespace string) []call {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []call
	for _, c := range a.calls {
		if c.namespace == namespace {
			out = append(out, c)
		}
	}
	return out
}

func (a *app) fetched() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.fetches
}

// forget forgets all calls and fetches.
func (a *app) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls, a.fetches = nil, 0
}
