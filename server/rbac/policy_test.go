package rbac_test

import (
	"fmt"
	"maps"
	"testing"

	"kayra/server/rbac"
	"kayra/store/catalog"
)

func machines(verb, namespace string) rbac.Question {
	return rbac.Question{API: compute, Resource: "machines", Verb: verb, Namespace: namespace}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule  catalog.Rule
		gives bool
	}{
		{rule(compute, "machines", "get"), true},
		{rule("*", "*", "*"), true},
		{rule(compute, "*", "get"), true},
		{rule("other.example.com", "*", "*"), false},
		{rule(compute, "machine", "*"), false},
		{rule(compute, "machines/restart", "*"), false},
		{rule(compute, "Machines", "*"), false},
		{rule("*", "machines", "list"), false},
		{rule("compute.*", "machines", "get"), false},
		{catalog.Rule{APIs: []string{"a.b", compute}, Resources: []string{"x", "machines"}, Verbs: []string{"list", "get"}}, true},
		{catalog.Rule{APIs: []string{compute}, Resources: []string{"machines"}}, false},
		{catalog.Rule{}, false},
	} {
		l := newLab(t)
		l.put("roles/r", role(test.rule))
		l.put("rolebindings/b", bind("r", "", user("ann")))
		l.permits(test.gives, ann(), machines("get", ""))
	}
}

func TestSubresources(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put("roles/r", role(rule("catalog.example.com", "subscriptions", "*")))
	l.put("roles/s", role(rule("catalog.example.com", "subscriptions/sync", "*")))
	l.put("rolebindings/b", bind("r", "", user("ann")))
	l.put("rolebindings/c", bind("s", "", user("bob")))
	sub := rbac.Question{API: "catalog.example.com", Resource: "subscriptions", Verb: "patch"}
	sync := rbac.Question{API: "catalog.example.com", Resource: "subscriptions/sync", Verb: "patch"}
	l.permits(true, ann(), sub)
	l.permits(false, ann(), sync)
	bob := ann()
	bob.User = "bob"
	l.permits(false, bob, sub)
	l.permits(true, bob, sync)
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put("roles/r", role(rule("*", "*", "*")))
	l.put("rolebindings/b", bind("r", "", user("tenants"), group("ann"), group("Ops"), user("ann "), group("twice"), group("twice"),
		catalog.Subject{Kind: "robot", Name: "ann"}))
	l.permits(false, ann("tenants", "ops"), machines("get", ""))
	l.permits(true, ann("tenants", "Ops"), machines("get", ""))
	l.permits(true, ann("twice"), machines("get", ""))
	l.put("rolebindings/b", bind("r", ""))
	l.permits(false, ann("twice"), machines("get", ""))
	if got := l.Sizes(); got["users"] != 0 || got["groups"] != 0 {
		t.Errorf("left behind: %v", got)
	}
}

func TestNamespaces(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put("roles/r", role(rule("*", "*", "get")))
	l.put("rolebindings/b", bind("r", "sre", user("ann")))
	l.permits(true, ann(), machines("get", "sre"))
	l.permits(false, ann(), machines("get", "apps"))
	l.permits(false, ann(), machines("get", ""))
	l.put("rolebindings/b", bind("r", "apps", user("ann"))) // moved
	l.permits(false, ann(), machines("get", "sre"))
	l.permits(true, ann(), machines("get", "apps"))
	l.put("rolebindings/b", bind("r", "", user("ann")))
	l.permits(true, ann(), machines("get", "sre"))
	l.permits(true, ann(), machines("get", ""))
}

// What is seen first need not be what was written first.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	empty := l.Sizes()
	l.put("rolebindings/b", bind("r", "", user("ann")))
	l.permits(false, ann(), machines("get", ""))
	l.put("roles/r", role(rule("*", "*", "*")))
	l.permits(true, ann(), machines("get", ""))
	l.remove("roles/r")
	l.permits(false, ann(), machines("get", ""))
	l.put("roles/r", role(rule("*", "*", "list")))
	l.permits(false, ann(), machines("get", ""))
	l.permits(true, ann(), machines("list", ""))
	l.remove("rolebindings/b")
	l.remove("rolebindings/b")
	l.permits(false, ann(), machines("list", ""))
	l.remove("roles/r")
	l.remove("roles/r")
	l.put("subscriptions/"+compute+"/sre", catalog.Subscription{Active: true})
	l.remove("registrations/" + compute)
	l.remove("subscriptions/" + compute + "/sre")
	l.remove("subscriptions/" + compute + "/sre")
	l.remove("namespaces/sre")
	if got := l.Sizes(); !maps.Equal(got, empty) {
		t.Errorf("left behind: %v", got)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for key, what := range map[string]string{
		"roles/r": "null", "rolebindings/b": `{"role":"r","subjects":{}}`, "registrations/" + compute: "", "namespaces/sre": "[]",
		"subscriptions/" + compute + "/sre": `{"active":"yes"}`,
	} {
		l := newLab(t)
		l.world()
		l.put("roles/r", role(rule("*", "*", "*")))
		l.put("rolebindings/b", bind("r", "", user("ann")))
		if d, err := l.Check(ann(), machines("get", "sre")); err != nil || !d.Allowed() {
			t.Fatalf("%v, %v", d, err)
		}
		l.put(key, what)
		if d, err := l.Check(ann(), machines("get", "sre")); err != nil || d.Allowed() {
			t.Errorf("%s is %q: %v, %v", key, what, d, err)
		}
	}
}

func TestCheckOrder(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	q := machines("create", "sre")
	for _, step := range []struct {
		change func()
		cause  rbac.Cause
		reason string
	}{
		{func() {}, rbac.CauseUnregistered, `no API "compute.example.com" is registered in this deployment`},
		{func() { l.put("subscriptions/"+compute+"/x", catalog.Subscription{}) }, rbac.CauseUnregistered, ""},
		{
			func() { l.put("registrations/"+compute, catalog.Registration{}) }, rbac.CauseAPIInactive,
			`API registration "compute.example.com" is not active: its owner has switched it off`,
		},
		{
			func() { l.put("registrations/"+compute, catalog.Registration{Active: true}) }, rbac.CauseNoNamespace,
			`there is no namespace "sre"`,
		},
		{
			func() { l.put("namespaces/sre", catalog.Namespace{}) }, rbac.CauseNamespaceInactive,
			`namespace "sre" is not active yet: a reconciler activates it`,
		},
		{
			func() { l.put("namespaces/sre", catalog.Namespace{Active: true}) }, rbac.CauseNotSubscribed,
			`namespace "sre" is not subscribed to compute.example.com`,
		},
		{
			func() { l.put("subscriptions/"+compute+"/sre", catalog.Subscription{}) }, rbac.CauseSubscriptionInactive,
			`the subscription of namespace "sre" to compute.example.com is not active yet: its first sync has not succeeded`,
		},
		{
			func() { l.put("subscriptions/"+compute+"/sre", catalog.Subscription{Active: true}) }, rbac.CauseNoRole,
			`no role of user "ann" (groups tenants) gives create on machines of compute.example.com in namespace "sre"`,
		},
		{func() { l.put("rolebindings/sre-makers", bind("maker", "sre", group("tenants"))) }, rbac.CauseNoRole, ""},
		{
			func() { l.put("roles/maker", role(rule(compute, "machines", "create"))) }, rbac.CauseRole,
			`role "maker" through role binding "sre-makers" allows it`,
		},
		{func() { l.remove("registrations/" + compute) }, rbac.CauseUnregistered, ""},
	} {
		step.change()
		d, err := l.Check(ann("tenants"), q)
		if err != nil || d.Cause != step.cause {
			t.Errorf("%v, %v, want %s", d, err, step.cause)
		}
		if got := d.Explain(ann("tenants"), q); step.reason != "" && got != step.reason {
			t.Errorf("it says %s\nwant    %s", got, step.reason)
		}
	}
}

func TestCheckWithoutNamespace(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.put("registrations/"+compute, catalog.Registration{Active: true})
	l.put("roles/r", role(rule(compute, "*", "*")))
	l.put("rolebindings/in", bind("r", "sre", user("ann")))
	q := machines("get", "")
	if d, err := l.Check(ann(), q); err != nil || d.Cause != rbac.CauseNoRole {
		t.Errorf("%v, %v", d, err)
	} else if got := d.Explain(ann(), q); got != `no role of user "ann" (no groups) gives get on machines of compute.example.com cluster-wide` {
		t.Error(got)
	}
	l.put("rolebindings/all", bind("r", "", user("ann")))
	if d, err := l.Check(ann(), q); err != nil || !d.Allowed() {
		t.Errorf("%v, %v", d, err)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	id := ann()
	for i := range 7 {
		id.Groups = append(id.Groups, fmt.Sprintf("g%d", i))
	}
	if got := rbac.Describe(id); got != `user "ann" (groups g0, g1, g2, g3, g4, 2 more)` {
		t.Error(got)
	}
}
