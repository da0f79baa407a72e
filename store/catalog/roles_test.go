package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kayra/store/catalog"
)

// viewer may read all machines.
func viewer() catalog.RoleChange {
	return rules(catalog.Rule{APIs: []string{compute}, Resources: []string{"machines"}, Verbs: []string{"get", "list"}})
}

func rules(all ...catalog.Rule) catalog.RoleChange { return catalog.RoleChange{Rules: &all} }

// role creates the roles.
func (w *world) role(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.must(errOf(w.CreateRole(w.ctx(), name, viewer())))
	}
}

func TestRoles(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		made, err := w.CreateRole(w.ctx(), "viewer", viewer())
		w.must(err)
		read, err := w.Role(w.ctx(), "viewer")
		w.must(err)
		if d := cmp.Diff(made, read, cmpopts.IgnoreUnexported(catalog.Meta{})); d != "" || read.Tag() != made.Tag() {
			w.t.Error(d)
		}
		w.refuses(errOf(w.CreateRole(w.ctx(), "viewer", viewer())), catalog.ErrConflict, "viewer")
		kept, err := w.UpdateRole(w.ctx(), "viewer", catalog.RoleChange{}, func(tag string) bool { return tag == made.Tag() })
		w.must(err)
		if d := cmp.Diff(made.Rules, kept.Rules); d != "" || kept.Tag() == made.Tag() || kept.UID != made.UID {
			w.t.Errorf("no change: %+v %s", kept, d)
		}
		stale := func(tag string) bool { return tag == made.Tag() }
		w.refuses(errOf(w.UpdateRole(w.ctx(), "viewer", rules(), stale)), catalog.ErrPrecondition)
		w.refuses(w.DeleteRole(w.ctx(), "viewer", stale), catalog.ErrPrecondition)
		cleared, err := w.UpdateRole(w.ctx(), "viewer", rules(), nil)
		w.must(err)
		if cleared.Rules == nil || len(cleared.Rules) != 0 {
			w.t.Errorf("cleared: %#v", cleared.Rules)
		}
		for _, err := range []error{
			errOf(w.Role(w.ctx(), "no")), errOf(w.UpdateRole(w.ctx(), "no", viewer(), nil)), w.DeleteRole(w.ctx(), "no", nil),
			errOf(w.Role(w.ctx(), "viewer/x")), errOf(w.Role(w.ctx(), "")),
		} {
			w.refuses(err, catalog.ErrNotFound, "get authorization roles")
		}
		w.must(w.DeleteRole(w.ctx(), "viewer", func(tag string) bool { return tag == cleared.Tag() }))
		again, err := w.CreateRole(w.ctx(), "viewer", catalog.RoleChange{})
		w.must(err)
		if again.UID == made.UID || again.Rules == nil {
			w.t.Errorf("a namesake: %+v", again)
		}
		w.sound()
	})
}

func TestListsOfRolesAndBindings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("c", "a", "b")
		w.bind("y", "a", "")
		w.bind("x", "b", "sre")
		first, err := w.Roles(w.ctx(), catalog.PageRequest{Limit: 2})
		w.must(err)
		rest, err := w.Roles(w.ctx(), catalog.PageRequest{Limit: 2, After: first.Next})
		w.must(err)
		var got []string
		for _, r := range append(first.Items, rest.Items...) {
			got = append(got, r.Name)
		}
		bindings, err := w.RoleBindings(w.ctx(), catalog.PageRequest{})
		w.must(err)
		for _, b := range bindings.Items {
			got = append(got, b.Name+"="+b.Role+"@"+b.Namespace)
		}
		if d := cmp.Diff([]string{"a", "b", "c", "x=b@sre", "y=a@"}, got); d != "" || rest.Next != "" || bindings.Next != "" {
			w.t.Error(d)
		}
	})
}

// What is wrong with a rule is said of its place in the request, whether the role is made or changed.
func TestWrongRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openLocal(t))
	w.role("viewer")
	many := func(n int) []string { return strings.Split(strings.Repeat("get ", n-1)+"get", " ") }
	for pointer, rule := range map[string]catalog.Rule{
		"/rules/1/apis":        {APIs: nil, Resources: many(1), Verbs: many(1)},
		"/rules/1/apis/1":      {APIs: []string{compute, "compute"}, Resources: many(1), Verbs: many(1)},
		"/rules/1/apis/0":      {APIs: []string{"*", compute}, Resources: many(1), Verbs: many(1)},
		"/rules/1/resources":   {APIs: []string{compute}, Resources: many(101), Verbs: many(1)},
		"/rules/1/resources/0": {APIs: []string{compute}, Resources: []string{"a//b"}, Verbs: many(1)},
		"/rules/1/resources/2": {APIs: []string{compute}, Resources: []string{"a", "a/b", "/a"}, Verbs: many(1)},
		"/rules/1/resources/1": {APIs: []string{compute}, Resources: []string{"a", "a/"}, Verbs: many(1)},
		"/rules/1/verbs":       {APIs: []string{compute}, Resources: many(1), Verbs: []string{}},
		"/rules/1/verbs/0":     {APIs: []string{compute}, Resources: many(1), Verbs: []string{strings.Repeat("v", 65)}},
		"/rules/1/verbs/1":     {APIs: []string{compute}, Resources: many(1), Verbs: []string{"get", "get/x"}},
		"/rules/1/verbs/2":     {APIs: []string{compute}, Resources: many(1), Verbs: []string{"get", "list", "*"}},
	} {
		ch := rules((*viewer().Rules)[0], rule)
		w.refuses(errOf(w.CreateRole(w.ctx(), "new", ch)), catalog.ErrInvalid, pointer+": ")
		w.refuses(errOf(w.UpdateRole(w.ctx(), "viewer", ch, nil)), catalog.ErrInvalid, pointer+": ")
	}
	ok := catalog.Rule{APIs: []string{"*"}, Resources: []string{"subscriptions/sync", "A-b_c.d/e/f", strings.Repeat("r", 253)}, Verbs: many(100)}
	all := make([]catalog.Rule, catalog.MaxRules)
	for i := range all {
		all[i] = ok
	}
	w.must(errOf(w.UpdateRole(w.ctx(), "viewer", rules(all...), nil)))
	w.refuses(errOf(w.UpdateRole(w.ctx(), "viewer", rules(slices.Concat(all, []catalog.Rule{ok})...), nil)), catalog.ErrInvalid, "/rules: ")
	for i := range all {
		all[i].Resources = make([]string, catalog.MaxEntries)
		for j := range all[i].Resources {
			all[i].Resources[j] = strings.Repeat("r", 253)
		}
	}
	w.refuses(errOf(w.UpdateRole(w.ctx(), "viewer", rules(all...), nil)), catalog.ErrInvalid, "/rules: ", "1048576")
}

func TestNamesOfRoles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openLocal(t))
	w.role("viewer")
	most := strings.Repeat("x", 128)
	for name, ok := range map[string]bool{
		"a": true, "Z9": true, "a.b_c:d-e": true, "a..b": true, most: true,
		"": false, ".": false, "..": false, "a.": false, ":a": false, "-a": false, "a/b": false, "a b": false, "ä": false, "a\n": false,
		"a\x00b": false, most + "x": false, "*": false,
	} {
		if catalog.ValidRoleName(name) != ok {
			t.Errorf("%q: %t", name, !ok)
		}
		role, binding := errOf(w.CreateRole(w.ctx(), name, viewer())), errOf(w.CreateRoleBinding(w.ctx(), name, gives("viewer", "")))
		if ok {
			w.must(role)
			w.must(binding)
			continue
		}
		w.refuses(role, catalog.ErrInvalid, "/name: ")
		w.refuses(binding, catalog.ErrInvalid, "/name: ")
		w.refuses(errOf(w.CreateRoleBinding(w.ctx(), "new", gives(name, ""))), catalog.ErrInvalid, "/role: ")
		w.refuses(errOf(w.Role(w.ctx(), name)), catalog.ErrNotFound)
		w.refuses(errOf(w.RoleBinding(w.ctx(), name)), catalog.ErrNotFound)
	}
	w.sound()
}

// A record that a newer version has written keeps what this one does not know.
func TestUnknownFieldsOfRolesSurvive(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("viewer")
		w.bind("b", "viewer", "sre")
		roleKey, bindingKey := home().Prefix()+"roles/viewer", home().Prefix()+"rolebindings/b"
		w.rewrite(roleKey, func(v map[string]any) {
			v["labels"] = "x"
			v["rules"].([]any)[0].(map[string]any)["names"] = []any{"n"}
		})
		w.rewrite(bindingKey, func(v map[string]any) {
			v["until"] = "2030-01-01T00:00:00Z"
			v["subjects"].([]any)[0].(map[string]any)["issuer"] = "i"
		})
		w.must(errOf(w.UpdateRole(w.ctx(), "viewer", catalog.RoleChange{}, nil)))
		w.must(errOf(w.UpdateRoleBinding(w.ctx(), "b", gives("viewer", "dev"), nil)))
		role, binding := w.stored(roleKey), w.stored(bindingKey)
		for what, pair := range map[string][2]any{
			"labels": {"x", role["labels"]},
			"names":  {[]any{"n"}, role["rules"].([]any)[0].(map[string]any)["names"]},
			"until":  {"2030-01-01T00:00:00Z", binding["until"]},
			"issuer": {"i", binding["subjects"].([]any)[0].(map[string]any)["issuer"]},
			"moved":  {"dev", binding["namespace"]},
		} {
			if d := cmp.Diff(pair[0], pair[1]); d != "" {
				w.t.Errorf("%s: %s", what, d)
			}
		}
	})
}

// Of many writes that all say what they have read, each that is accepted was based on the one before.
func TestConditionalWritesOfRolesRace(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("viewer")
		w.bind("b", "viewer", "sre")
		for i := range rounds {
			role, err := w.Role(w.ctx(), "viewer")
			w.must(err)
			b, err := w.RoleBinding(w.ctx(), "b")
			w.must(err)
			write := func() error {
				return errOf(w.UpdateRole(w.ctx(), "viewer", viewer(), func(tag string) bool { return tag == role.Tag() }))
			}
			move := func() error {
				ch := gives("viewer", fmt.Sprintf("n%d", i))
				return errOf(w.UpdateRoleBinding(w.ctx(), "b", ch, func(tag string) bool { return tag == b.Tag() }))
			}
			errs := race(write, move, write, move, write, move)
			if won := w.kinds(errs, catalog.ErrPrecondition); won != 2 {
				w.t.Errorf("%d writes on two ETags", won)
			}
		}
		w.sound()
	})
}

// A role may not become too large to be kept by what a newer version has written into it.
func TestRoleGrowsTooLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openLocal(t))
	w.role("viewer")
	w.rewrite(home().Prefix()+"roles/viewer", func(v map[string]any) { v["labels"] = strings.Repeat("x", 1<<20-600) })
	large := (*viewer().Rules)[0]
	large.Resources = []string{strings.Repeat("r", 253), strings.Repeat("s", 253), strings.Repeat("t", 253)}
	w.refuses(errOf(w.UpdateRole(w.ctx(), "viewer", rules(large), nil)), catalog.ErrInvalid, "/rules: ")
	role, err := w.Role(w.ctx(), "viewer")
	w.must(err)
	if d := cmp.Diff(*viewer().Rules, role.Rules); d != "" {
		t.Error(d)
	}
}
