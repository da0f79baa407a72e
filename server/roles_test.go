package server_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	roles    = access + "/roles"
	bindings = access + "/rolebindings"
)

func names(a answer) []string {
	var out []string
	items, _ := a.body["items"].([]any)
	for _, item := range items {
		name, _ := item.(map[string]any)["name"].(string)
		out = append(out, name)
	}
	return out
}

func TestRoles(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		rule := map[string]any{"apis": []any{compute}, "resources": []any{"machines", "subscriptions/sync"}, "verbs": []any{"*"}}
		want := map[string]any{"name": "viewer", "rules": []any{rule}}
		a := l.want(http.StatusCreated, "POST", roles, want)
		if d := cmp.Diff(want, a.body); d != "" {
			l.t.Error(d)
		}
		if got := a.header.Get("Location"); got != roles+"/viewer" {
			l.t.Errorf("Location %q", got)
		}
		l.want(http.StatusConflict, "POST", roles, want)
		tag := a.header.Get("ETag")
		for _, method := range []string{"PUT", "PATCH"} { // what is left out stays
			a = l.want(http.StatusOK, method, roles+"/viewer", `{"name":"viewer"}`, "If-Match", tag)
			if d := cmp.Diff(want, a.body); d != "" || a.header.Get("ETag") == tag {
				l.t.Errorf("%s: ETag %s: %s", method, a.header.Get("ETag"), d)
			}
			l.want(http.StatusPreconditionFailed, method, roles+"/viewer", `{}`, "If-Match", tag)
			tag = a.header.Get("ETag")
		}
		for _, empty := range []string{`{"rules":null}`, `{"rules":[]}`} {
			a = l.want(http.StatusOK, "PUT", roles+"/viewer", empty)
			if d := cmp.Diff([]any{}, a.body["rules"]); d != "" {
				l.t.Error(d)
			}
		}
		l.want(http.StatusCreated, "POST", roles, `{"name":"a:b.C_d-1"}`)
		if d := cmp.Diff([]string{"a:b.C_d-1", "viewer"}, names(l.want(http.StatusOK, "GET", roles, nil))); d != "" {
			l.t.Error(d)
		}
		first := l.want(http.StatusOK, "GET", roles+"?limit=1", nil)
		next, _ := first.body["continue"].(string)
		if d := cmp.Diff([]string{"viewer"}, names(l.want(http.StatusOK, "GET", roles+"?continue="+next, nil))); d != "" {
			l.t.Error(d)
		}
		l.want(http.StatusPreconditionFailed, "DELETE", roles+"/viewer", nil, "If-Match", tag)
		l.want(http.StatusNoContent, "DELETE", roles+"/viewer", nil)
		l.want(http.StatusNotFound, "GET", roles+"/viewer", nil)
	})
}

func TestRoleBindings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(l *lab) {
		ann, ops := map[string]any{"kind": "user", "name": "ann"}, map[string]any{"kind": "group", "name": "Ops & Co"}
		want := map[string]any{"name": "b", "role": "viewer", "namespace": "sre", "subjects": []any{ann, ops}}
		l.want(http.StatusNotFound, "POST", bindings, want)
		for _, role := range []string{"viewer", "maker"} {
			l.want(http.StatusCreated, "POST", roles, map[string]any{"name": role})
		}
		a := l.want(http.StatusCreated, "POST", bindings, want)
		if d := cmp.Diff(want, a.body); d != "" {
			l.t.Error(d)
		}
		l.want(http.StatusConflict, "DELETE", roles+"/viewer", nil)
		at := a.header.Get("Location")
		for _, step := range []struct {
			body string
			key  string
			want any
		}{
			{`{}`, "role", "viewer"},
			{`{"role":"maker"}`, "role", "maker"},
			{`{"namespace":"apps"}`, "namespace", "apps"},
			{`{"namespace":null}`, "namespace", ""},
			{`{"subjects":[{"kind":"user","name":"ann"}]}`, "subjects", []any{ann}},
			{`{"subjects":null}`, "subjects", []any{}},
		} {
			want[step.key] = step.want
			for _, method := range []string{"PUT", "PATCH"} {
				a = l.want(http.StatusOK, method, at, step.body)
				if d := cmp.Diff(want, a.body); d != "" {
					l.t.Errorf("%s %s: %s", method, step.body, d)
				}
			}
		}
		read := l.want(http.StatusOK, "GET", at, nil)
		if d := cmp.Diff(want, read.body); d != "" || read.header.Get("ETag") != a.header.Get("ETag") {
			l.t.Error(d)
		}
		l.want(http.StatusOK, "PUT", at, read.body) // as it was read
		l.want(http.StatusNotFound, "PUT", at, `{"role":"nosuch"}`)
		l.want(http.StatusPreconditionFailed, "PUT", at, `{}`, "If-Match", a.header.Get("ETag"))
		l.want(http.StatusNoContent, "DELETE", roles+"/viewer", nil)
		if d := cmp.Diff([]string{"b"}, names(l.want(http.StatusOK, "GET", bindings, nil))); d != "" {
			l.t.Error(d)
		}
		l.want(http.StatusNoContent, "DELETE", at, nil)
		l.want(http.StatusNotFound, "DELETE", at, nil)
	})
}

func TestRoleRefusals(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t))
	l.world()
	for _, bad := range []badRequest{
		{"no name", "POST", roles, `{}`, 400, "missing", "/name"},
		{"name", "POST", roles, `{"name":"a/b"}`, 400, "a/b", "/name"},
		{"unknown key", "POST", roles, `{"name":"x","rule":[]}`, 400, "rule", "/rule"},
		{"another name", "PUT", roles + "/viewer", `{"name":"x"}`, 400, "path", "/name"},
		{"rules", "PUT", roles + "/viewer", `{"rules":{}}`, 400, "an object", "/rules"},
		{"rule", "PUT", roles + "/viewer", `{"rules":["*"]}`, 400, "a string", "/rules/0"},
		{"rule without apis", "PUT", roles + "/viewer", `{"rules":[{"resources":["*"],"verbs":["*"]}]}`, 400, "missing", "/rules/0/apis"},
		{"no verbs", "PUT", roles + "/viewer", `{"rules":[{"apis":["*"],"resources":["*"],"verbs":[]}]}`, 400, "empty", "/rules/0/verbs"},
		{"null", "PUT", roles + "/viewer", `{"rules":[{"apis":["*"],"resources":null,"verbs":["*"]}]}`, 400, "", "/rules/0/resources"},
		{"a verb", "PUT", roles + "/viewer", `{"rules":[{"apis":["*"],"resources":["*"],"verbs":["get",7]}]}`, 400, "a number", "/rules/0/verbs/1"},
		{"short name", "PUT", roles + "/viewer", `{"rules":[{"apis":["compute"],"resources":["*"],"verbs":["*"]}]}`, 400, "compute", "/rules/0/apis/0"},
		{"rule key", "PUT", roles + "/viewer", `{"rules":[{"api":"*"}]}`, 400, "", "/rules/0/api"},
		{"no such role", "PUT", roles + "/nosuch", `{}`, 404, "nosuch", ""},
		{"bad path", "GET", roles + "/-", nil, 404, "a role", ""},
		{"bad path", "GET", bindings + "/a%2Fb", nil, 404, "a role binding", ""},
		{"no role", "POST", bindings, `{"name":"x"}`, 400, "missing", "/role"},
		{"clear the role", "PUT", bindings + "/viewers", `{"role":null}`, 400, "null", "/role"},
		{"empty the role", "PUT", bindings + "/viewers", `{"role":""}`, 400, "", "/role"},
		{"namespace", "PUT", bindings + "/viewers", `{"namespace":"A"}`, 400, "A", "/namespace"},
		{"subject", "PUT", bindings + "/viewers", `{"subjects":[{"kind":"robot","name":"x"}]}`, 400, "robot", "/subjects/0/kind"},
		{"subject without name", "PUT", bindings + "/viewers", `{"subjects":[{"kind":"user"}]}`, 400, "missing", "/subjects/0/name"},
		{"check: nothing", "POST", access + "/check", `{}`, 400, "missing", "/verb"},
		{"check: empty", "POST", access + "/check", `{"api":"","resource":"x","verb":"y"}`, 400, "empty", "/api"},
		{"check: number", "POST", access + "/check", `{"api":"x","resource":7,"verb":"y"}`, 400, "a number", "/resource"},
		{"check: unknown key", "POST", access + "/check", `{"api":"x","resource":"x","verb":"y","as":"z"}`, 400, "as", "/as"},
		{"check: groups alone", "POST", access + "/check", `{"api":"x","resource":"x","verb":"y","groups":["z"]}`, 400, "missing", "/user"},
		{"check: groups", "POST", access + "/check", `{"api":"x","resource":"x","verb":"y","user":"u","groups":"z"}`, 400, "a string", "/groups"},
	} {
		l.refuses(bad)
	}
	before := l.want(http.StatusOK, "GET", bindings+"/viewers", nil).body
	if !maps.Equal(map[string]any{"name": before["name"], "role": before["role"]}, map[string]any{"name": "viewers", "role": "viewer"}) {
		t.Errorf("a refusal has changed something: %v", before)
	}
}
