package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
)

// FuzzBody sends any body to every route that takes one. A refusal is a problem, and never the server's fault.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `[]`, `null`, `{"name":"a.example.com"}`, `{"name":"ns"}`, `{"api":"compute.example.com"}`, `{"canary_namespaces":["sre"]}`,
		`{"release":true}`, `{"abort":true,"expected_sync_id":"x"}`, `{"name":"b.c","depends_on":[{"name":"compute.example.com"}],"active":null}`,
		`{"depends_on":[{"name":"compute.example.com","region":null}]}`, `{"a":1,"a":2}`, `{"a":1}{"b":2}`, `{"owner":"\ud800"}`, `{"":1e999}`,
		`{"sync_id":"\u0000"}`, "\xff", `{"/~":[[[[]]]]}`, "\ufeff{}",
	} {
		f.Add([]byte(body))
	}
	l := newLab(f, openLocal(f))
	l.world("sre")
	targets := []struct{ method, path string }{
		{"POST", regs},
		{"PUT", regs + "/" + compute},
		{"PATCH", regs + "/" + compute},
		{"PUT", regs + "/" + compute + "/sync"},
		{"POST", spaces},
		{"PUT", spaces + "/sre"},
		{"POST", spaces + "/sre/subscriptions"},
		{"PUT", spaces + "/sre/subscriptions/" + compute},
		{"PUT", spaces + "/sre/subscriptions/" + compute + "/sync"},
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, at := range targets {
			a, err := l.try(t.Context(), at.method, at.path, string(body))
			if err != nil {
				t.Fatalf("%s %s: %v", at.method, at.path, err)
			}
			if !slices.Contains([]int{200, 201, 400, 404, 409, 413}, a.status) {
				t.Fatalf("%s %s: status %d: %s", at.method, at.path, a.status, a.raw)
			}
			if a.status < http.StatusBadRequest && !json.Valid(body) {
				t.Fatalf("%s %s took what is not JSON", at.method, at.path)
			}
			if detail, _ := a.body["detail"].(string); a.status >= http.StatusBadRequest && detail == "" {
				t.Fatalf("%s %s: status %d without a detail: %s", at.method, at.path, a.status, a.raw)
			}
		}
	})
}
