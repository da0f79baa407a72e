package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kayra/server"
	"kayra/store"
)

// journal is where a test's audit is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// auditTo has the audit written, by a logger that takes errors alone for worth a line.
func auditTo(w io.Writer) func(*server.Options) {
	return func(o *server.Options) {
		o.Audit = slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelError}))
	}
}

// entries has the lines of the audit, once all requests have been answered.
func (l *lab) entries(j *journal) []map[string]any {
	l.t.Helper()
	l.close()
	var out []map[string]any
	for line := range strings.Lines(j.String()) {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			l.t.Fatalf("%q: %v", line, err)
		}
		out = append(out, entry)
	}
	return out
}

func TestAudit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		j := &journal{}
		l = newLab(l.t, l.store, auditTo(j))
		ids := []string{"X-Request-Id", "id-1"}
		l.want(http.StatusCreated, "POST", regs, `{"name":"compute.example.com"}`, ids...)
		l.want(http.StatusCreated, "POST", spaces, `{"name":"sre"}`)
		l.want(http.StatusCreated, "POST", spaces+"/sre/subscriptions", `{"api":"compute.example.com"}`)
		l.want(http.StatusOK, "PUT", spaces+"/sre/subscriptions/"+compute+"/sync", `{}`)
		before := l.registration()
		canary := l.want(http.StatusOK, "PUT", regs+"/"+compute+"/sync", `{"canary_namespaces":["sre"]}`)
		l.want(http.StatusNoContent, "DELETE", spaces+"/sre/subscriptions/"+compute, nil)
		entries := l.entries(j)
		if len(entries) != 6 {
			l.t.Fatalf("%d lines", len(entries))
		}
		var told []string
		for _, e := range entries {
			if e["msg"] != "write" || e["result"] != "done" || e["user"] != "root" || e["remote"] == "" || e["time"] == nil || e["detail"] != nil {
				l.t.Errorf("%v", e)
			}
			told = append(told, strings.Join([]string{text(e, "method"), text(e, "api"), text(e, "verb"), text(e, "resource"), text(e, "namespace"), text(e, "name")}, " "))
		}
		if d := cmp.Diff([]string{
			"POST catalog.example.com create apiregistrations  compute.example.com",
			"POST catalog.example.com create namespaces sre sre",
			"POST catalog.example.com create subscriptions sre compute.example.com",
			"PUT catalog.example.com patch subscriptions/sync sre compute.example.com",
			"PUT catalog.example.com patch apiregistrations/sync  compute.example.com",
			"DELETE catalog.example.com delete subscriptions sre compute.example.com",
		}, told); d != "" {
			l.t.Error(d)
		}
		first, sync, last := entries[0], entries[4], entries[5]
		if first["request_id"] != "id-1" || first["path"] != regs || first["status"] != 201.0 || first["before"] != nil || first["after"] == nil {
			l.t.Errorf("create: %v", first)
		}
		if d := cmp.Diff([]any{"sysadmin"}, first["groups"]); d != "" {
			l.t.Error(d)
		}
		was, is := sync["before"].(map[string]any), sync["after"].(map[string]any)
		if was["sync_id"] != before["sync_id"] || was["canary_namespaces"] != nil || was["uid"] != is["uid"] || was["etag"] == is["etag"] {
			l.t.Errorf("before a sync: %v", sync)
		}
		if is["sync_id"] != canary.body["sync_id"] || is["released_sync_id"] != before["sync_id"] ||
			!cmp.Equal(is["canary_namespaces"], []any{"sre"}) || `"`+text(is, "etag")+`"` != canary.header.Get("ETag") {
			l.t.Errorf("after a sync: %v", sync)
		}
		if last["after"] != nil || last["before"] == nil || last["status"] != 204.0 {
			l.t.Errorf("delete: %v", last)
		}
	})
}

func text(entry map[string]any, key string) string {
	s, _ := entry[key].(string)
	return s
}

// What is refused leaves a line, too, if it is known who was refused.
func TestAuditOfRefusals(t *testing.T) {
	t.Parallel()
	j := &journal{}
	l := newLab(t, openLocal(t), auditTo(j))
	l.world("sre")
	at := regs + "/" + compute
	ann := []string{"Authorization", "Bearer " + annToken}
	l.want(http.StatusForbidden, "PUT", at, `{}`, ann...)
	l.want(http.StatusForbidden, "DELETE", spaces+"/sre", nil, ann...)
	l.want(http.StatusNotFound, "PUT", regs+"/no.example.com", `{}`)
	l.want(http.StatusNotFound, "DELETE", regs+"/NO", nil)
	l.want(http.StatusConflict, "DELETE", at, nil)
	l.want(http.StatusPreconditionFailed, "PUT", at, `{}`, "If-Match", `"x"`)
	l.want(http.StatusBadRequest, "PUT", at, `{"owner":"planted-body","planted-key":"planted-value","sync_id":"planted value"}`)
	l.want(http.StatusBadRequest, "PUT", at+"?planted=query", `{}`)
	l.want(http.StatusUnsupportedMediaType, "PUT", at, `{}`, "Content-Type", "planted/type")
	l.want(http.StatusRequestEntityTooLarge, "PUT", at, strings.Repeat(" ", 1<<20+1))
	l.want(http.StatusUnauthorized, "PUT", at, `{}`, "Authorization", "Bearer planted-token")
	l.want(http.StatusOK, "GET", at, nil)
	l.want(http.StatusOK, "HEAD", at, nil)
	l.want(http.StatusMethodNotAllowed, "POST", at, `{}`)
	made := func(e map[string]any) bool { return e["verb"] == "create" } // what the test begins with
	entries := slices.DeleteFunc(l.entries(j), made)
	statuses := make([]any, len(entries))
	for i, e := range entries {
		statuses[i] = e["status"]
		if e["result"] != "refused" || text(e, "detail") == "" || e["before"] != nil || e["after"] != nil {
			t.Errorf("%v", e)
		}
	}
	if d := cmp.Diff([]any{403.0, 403.0, 404.0, 404.0, 409.0, 412.0, 400.0, 400.0, 415.0, 413.0}, statuses); d != "" {
		t.Error(d)
	}
	if e := entries[1]; e["user"] != "ann" || e["namespace"] != "sre" || e["name"] != "sre" || !strings.Contains(text(e, "detail"), "may not delete") {
		t.Errorf("forbidden: %v", e)
	}
	if e := entries[4]; e["name"] != compute || !strings.Contains(text(e, "detail"), "sre") {
		t.Errorf("conflict: %v", e)
	}
	for _, secret := range []string{"planted", rootToken, annToken} {
		if strings.Contains(j.String(), secret) {
			t.Errorf("the audit has %q: %s", secret, j)
		}
	}
}

// trouble is a store in which writes fail, or worse.
type trouble struct {
	store.Store

	panics bool
}

func (s trouble) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	if len(txn.If) == 0 {
		return s.Store.Txn(ctx, txn)
	}
	if s.panics {
		panic("planted panic")
	}
	return store.Result{}, store.ErrUnavailable
}

func TestAuditOfFailures(t *testing.T) {
	t.Parallel()
	for panics, status := range map[bool]int{true: http.StatusInternalServerError, false: http.StatusServiceUnavailable} {
		j := &journal{}
		l := newLab(t, trouble{openLocal(t), panics}, auditTo(j))
		l.want(status, "POST", spaces, `{"name":"sre"}`)
		entries := l.entries(j)
		if len(entries) != 1 || entries[0]["result"] != "failed" || entries[0]["status"] != float64(status) || strings.Contains(j.String(), "planted") {
			t.Errorf("%s", j)
		}
	}
}

// full is a disk that is.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestAuditThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	log := &journal{}
	l := newLab(t, openLocal(t), auditTo(full{}), func(o *server.Options) {
		o.Logger = slog.New(slog.NewTextHandler(log, nil))
	})
	l.want(http.StatusCreated, "POST", spaces, `{"name":"sre"}`, "X-Request-Id", "id-1")
	l.close()
	if text := log.String(); !strings.Contains(text, "no space left") || !strings.Contains(text, "id-1") {
		t.Errorf("log: %s", text)
	}
}
