package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"kayra/server"
	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store/catalog"
)

// anybody takes a token for the name of its user, who is in no group; root is a sysadmin.
func anybody(o *server.Options) {
	o.Authenticator = authenticator(func(_ context.Context, token string) (auth.Identity, error) {
		if token == rootToken {
			return auth.Identity{User: "root", Groups: []string{"sysadmin"}}, nil
		}
		return auth.Identity{User: token}, nil
	})
}

// grant has the role, made of the rules, bound to the user, who is called like the role.
func (l *lab) grant(name, namespace string, rules ...catalog.Rule) {
	l.t.Helper()
	_, err := l.repository.CreateRole(l.t.Context(), name, catalog.RoleChange{Rules: &rules})
	l.must(err)
	_, err = l.repository.CreateRoleBinding(l.t.Context(), name, catalog.RoleBindingChange{
		Role: &name, Namespace: &namespace, Subjects: &[]catalog.Subject{{Kind: catalog.SubjectUser, Name: name}},
	})
	l.must(err)
}

// settled waits until the policy has all that was written before.
func (l *lab) settled() {
	l.t.Helper()
	const name = "last"
	l.grant(name, "", catalog.Rule{APIs: []string{"*"}, Resources: []string{name}, Verbs: []string{"*"}})
	l.eventually(func() bool {
		d, err := l.policy.Permit(auth.Identity{User: name}, rbac.Question{Resource: name})
		return err == nil && d.Allowed()
	})
}

// permission is what a rule of a role can give of a route.
type permission struct{ api, resource, verb string }

// of has any API for a route that is part of none.
func of(rt server.Route) permission {
	group := "*"
	if rest, ok := strings.CutPrefix(rt.Path, "/apis/"); ok {
		group, _, _ = strings.Cut(rest, "/")
	}
	return permission{group, rt.Resource, rt.Verb}
}

func (p permission) rule() catalog.Rule {
	return catalog.Rule{APIs: []string{p.api}, Resources: []string{p.resource}, Verbs: []string{p.verb}}
}

// everythingBut gives all that any route asks for, but one.
func everythingBut(table []server.Route, p permission) []catalog.Rule {
	var rules []catalog.Rule
	seen := map[permission]bool{p: true}
	for _, rt := range table {
		if rt.Resource != "" && !seen[of(rt)] {
			seen[of(rt)] = true
			rules = append(rules, of(rt).rule())
		}
	}
	return rules
}

// TestGateOfEveryRoute asks each route as nobody, as somebody without roles, as somebody with just what it takes, with all
// but that, with it in one namespace alone, and as a sysadmin.
func TestGateOfEveryRoute(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), anybody)
	l.world("sre", "apps")
	table := l.server.Table()
	for i, rt := range table {
		if rt.Gate != "rbac" && rt.Gate != "sysadmin" {
			continue
		}
		l.grant(fmt.Sprintf("exact-%d", i), "", of(rt).rule())
		l.grant(fmt.Sprintf("others-%d", i), "", everythingBut(table, of(rt))...)
		l.grant(fmt.Sprintf("here-%d", i), "sre", of(rt).rule())
		l.grant(fmt.Sprintf("there-%d", i), "apps", of(rt).rule())
	}
	l.settled()
	gates := map[string]int{}
	for i, rt := range table {
		gates[rt.Gate]++
		inside := strings.Contains(rt.Path, "{ns}")
		as := func(want int, user string) {
			t.Helper()
			path := filler().Replace(rt.Path)
			a := l.call(rt.Method, path, `{}`, "Authorization", user)
			switch {
			case want == http.StatusOK && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden || a.status >= 500):
				t.Errorf("%s %s as %q: %d, which is a refusal: %s", rt.Method, rt.Path, user, a.status, a.raw)
			case want != http.StatusOK && a.status != want:
				t.Errorf("%s %s as %q: %d, want %d: %s", rt.Method, rt.Path, user, a.status, want, a.raw)
			}
		}
		allowed := func(is bool) int {
			if is {
				return http.StatusOK
			}
			return http.StatusForbidden
		}
		anyone, known, roles := rt.Gate == "open", rt.Gate == "open" || rt.Gate == "authenticated", rt.Gate == "rbac"
		if anyone {
			as(http.StatusOK, "")
		} else {
			as(http.StatusUnauthorized, "")
		}
		as(allowed(known), "Bearer nobody")
		as(allowed(known || roles), fmt.Sprintf("Bearer exact-%d", i))
		as(allowed(known), fmt.Sprintf("Bearer others-%d", i))
		as(allowed(known || roles && inside), fmt.Sprintf("Bearer here-%d", i))
		as(allowed(known), fmt.Sprintf("Bearer there-%d", i))
		as(http.StatusOK, "Bearer "+rootToken)
	}
	for _, gate := range []string{"open", "authenticated", "rbac", "sysadmin"} {
		if gates[gate] == 0 {
			t.Errorf("no route has the gate %s", gate)
		}
	}
}

func TestRefusalOfTheGate(t *testing.T) {
	t.Parallel()
	l := newLab(t, openLocal(t), anybody)
	for _, test := range []struct{ method, path, want string }{
		{"POST", spaces + "/sre/subscriptions", `user "ann" may not create subscriptions in namespace "sre": ask a sysadmin for a role that gives it`},
		{"PUT", spaces + "/sre/subscriptions/" + compute + "/sync", `user "ann" may not patch subscriptions/sync in namespace "sre": ask a sysadmin for a role that gives it`},
		{"GET", base + "/subscriptions", `user "ann" may not list subscriptions in all namespaces: ask a sysadmin for a role that gives it`},
		{"GET", spaces, `user "ann" may not list namespaces: ask a sysadmin for a role that gives it`},
		{"GET", spaces + "/no%2Fnamespace", `user "ann" may not get namespaces in namespace "no/namespace": ask a sysadmin for a role that gives it`},
		{"POST", regs, `user "ann" may not create apiregistrations: that is for sysadmins alone, ask one`},
	} {
		a := l.want(http.StatusForbidden, test.method, test.path, `{}`, "Authorization", "Bearer ann")
		if a.body["detail"] != test.want {
			t.Errorf("it says %s\nwant    %s", a.body["detail"], test.want)
		}
	}
}

func TestRoutesWithoutGate(t *testing.T) {
	t.Parallel()
	for _, bad := range []struct {
		path, resource, verb string
		gate                 int
	}{
		{"/x", "r", "get", 0},
		{"/x", "r", "get", 5},
		{"/x", "", "get", 3},
		{"/x", "r", "", 3},
		{"/x", "", "get", 4},
		{"/x", "r", "", 4},
		{"/x/{thing}", "r", "get", 4},
	} {
		if server.CheckRoute(bad.path, bad.resource, bad.verb, bad.gate) == nil {
			t.Errorf("taken: %v", bad)
		}
	}
	for gate := 1; gate <= 4; gate++ {
		if err := server.CheckRoute("/x/{ns}", "r", "get", gate); err != nil {
			t.Error(err)
		}
	}
}
