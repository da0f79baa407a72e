package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (l *lab) groups() []any {
	l.t.Helper()
	return l.want(http.StatusOK, "GET", "/apis", nil).body["apis"].([]any)
}

func TestGroups(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world()
	resource := func(name string, namespaced bool, verbs ...any) any {
		return map[string]any{"name": name, "namespaced": namespaced, "verbs": verbs}
	}
	want := []any{
		map[string]any{"name": "catalog.example.com", "short_name": "catalog", "builtin": true, "resources": []any{
			resource("namespaces", false, "create", "delete", "get", "list", "update"),
			resource("apiregistrations", false, "create", "delete", "get", "list", "patch", "update"),
			resource("apiregistrations/sync", false, "patch"),
			resource("apiregistrations/status", false, "get"),
			resource("apiregistrations/openapi.json", false, "get"),
			resource("subscriptions", true, "create", "delete", "get", "list", "update"),
			resource("subscriptions/sync", true, "patch"),
			resource("reconcilers", false, "list"),
		}},
		map[string]any{"name": "authorization.example.com", "short_name": "authorization", "builtin": true, "resources": []any{
			resource("check", false, "create"),
			resource("whoami", false, "get"),
			resource("roles", false, "create", "delete", "get", "list", "patch", "update"),
			resource("rolebindings", false, "create", "delete", "get", "list", "patch", "update"),
		}},
		map[string]any{"name": compute, "short_name": "compute", "builtin": false, "resources": []any{}},
	}
	if d := cmp.Diff(want, l.groups()); d != "" {
		t.Error(d)
	}
}

// Every path of the document is served, and every body it describes is taken.
func TestOwnDocument(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world("sre")
	fill := filler()
	ids := map[string]bool{}
	for path, methods := range l.operations() {
		for method, op := range methods {
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s %s: operation id %q", method, path, op.OperationID)
			}
			ids[op.OperationID] = true
			method = strings.ToUpper(method)
			if method == http.MethodGet && !strings.HasSuffix(path, "/{name}/openapi.json") {
				l.want(http.StatusOK, method, fill.Replace(path), nil)
			}
			for key := range properties(op) {
				a := l.call(method, fill.Replace(path), map[string]any{key: []any{}})
				if strings.Contains(string(a.raw), "not a key") {
					t.Errorf("%s %s does not take %q, which is described", method, path, key)
				}
			}
		}
	}
	if len(ids) < 20 {
		t.Errorf("%d operations", len(ids))
	}
}

// properties are the keys that an operation's body is described to have.
func properties(op operation) map[string]any {
	data, _ := json.Marshal(op.RequestBody)
	var body struct {
		Content map[string]struct {
			Schema struct {
				Properties map[string]any
			}
		}
	}
	_ = json.Unmarshal(data, &body)
	return body.Content["application/json"].Schema.Properties
}

func TestDescribedAnswers(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world("sre")
	var doc struct {
		OpenAPI    string
		Components struct {
			Schemas map[string]struct {
				Required   []string
				Properties map[string]struct{ ReadOnly bool }
			}
		}
	}
	l.must(json.Unmarshal(l.want(http.StatusOK, "GET", "/-/openapi.json", nil).raw, &doc))
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("openapi %q", doc.OpenAPI)
	}
	for schema, answer := range map[string]map[string]any{"Registration": l.registration(), "Subscription": l.subscription("sre")} {
		for key := range answer {
			if !slices.Contains(doc.Components.Schemas[schema].Required, key) {
				t.Errorf("%s: %q is answered, but not described as required", schema, key)
			}
		}
	}
	if p := doc.Components.Schemas["Registration"].Properties; !p["platform"].ReadOnly || p["owner"].ReadOnly {
		t.Errorf("read-only: platform %t, owner %t", p["platform"].ReadOnly, p["owner"].ReadOnly)
	}
}
