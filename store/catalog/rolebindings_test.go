package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kayra/store/catalog"
)

// gives has the role given to ada, in a namespace or everywhere.
func gives(role, namespace string) catalog.RoleBindingChange {
	return catalog.RoleBindingChange{
		Role: &role, Namespace: &namespace, Subjects: &[]catalog.Subject{{Kind: catalog.SubjectUser, Name: "ada"}},
	}
}

func (w *world) bind(name, role, namespace string) {
	w.t.Helper()
	w.must(errOf(w.CreateRoleBinding(w.ctx(), name, gives(role, namespace))))
}

func TestRoleBindings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("viewer", "editor")
		made, err := w.CreateRoleBinding(w.ctx(), "b", gives("viewer", "sre"))
		w.must(err)
		read, err := w.RoleBinding(w.ctx(), "b")
		w.must(err)
		if d := cmp.Diff(made, read, cmpopts.IgnoreUnexported(catalog.Meta{})); d != "" || read.Tag() != made.Tag() || read.Namespace != "sre" {
			w.t.Error(d)
		}
		w.refuses(errOf(w.CreateRoleBinding(w.ctx(), "b", gives("viewer", ""))), catalog.ErrConflict, `"b"`)
		stale := func(tag string) bool { return tag == made.Tag() }
		kept, err := w.UpdateRoleBinding(w.ctx(), "b", catalog.RoleBindingChange{}, stale)
		w.must(err)
		if kept.Role != "viewer" || kept.Namespace != "sre" || len(kept.Subjects) != 1 || kept.Tag() == made.Tag() || kept.UID != made.UID {
			w.t.Errorf("no change: %+v", kept)
		}
		w.refuses(errOf(w.UpdateRoleBinding(w.ctx(), "b", gives("editor", ""), stale)), catalog.ErrPrecondition)
		w.refuses(w.DeleteRoleBinding(w.ctx(), "b", stale), catalog.ErrPrecondition)
		w.sound()
		role, none := "editor", ""
		moved, err := w.UpdateRoleBinding(w.ctx(), "b", catalog.RoleBindingChange{Role: &role, Namespace: &none, Subjects: &[]catalog.Subject{}}, nil)
		w.must(err)
		if moved.Role != role || moved.Namespace != "" || moved.Subjects == nil || len(moved.Subjects) != 0 {
			w.t.Errorf("changed: %+v", moved)
		}
		w.sound()
		for _, err := range []error{
			errOf(w.RoleBinding(w.ctx(), "no")), errOf(w.UpdateRoleBinding(w.ctx(), "no", gives("viewer", ""), nil)),
			w.DeleteRoleBinding(w.ctx(), "no", nil),
		} {
			w.refuses(err, catalog.ErrNotFound, "get authorization rolebindings")
		}
		w.must(w.DeleteRoleBinding(w.ctx(), "b", func(tag string) bool { return tag == moved.Tag() }))
		w.must(w.DeleteRole(w.ctx(), "viewer", nil))
		w.must(w.DeleteRole(w.ctx(), "editor", nil))
		w.sound()
	})
}

func TestWrongBindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, openLocal(t))
	w.role("viewer")
	w.bind("b", "viewer", "sre")
	user := func(name string) catalog.RoleBindingChange {
		return catalog.RoleBindingChange{Role: new("viewer"), Subjects: &[]catalog.Subject{{Kind: "group", Name: "g"}, {Kind: "user", Name: name}}}
	}
	for pointer, ch := range map[string]catalog.RoleBindingChange{
		"/role":            gives("", ""),
		"/namespace":       gives("viewer", "SRE"),
		"/subjects/0/kind": {Role: new("viewer"), Subjects: &[]catalog.Subject{{Kind: "serviceaccount", Name: "x"}}},
		"/subjects":        {Role: new("viewer"), Subjects: new(make([]catalog.Subject, catalog.MaxSubjects+1))},
	} {
		w.refuses(errOf(w.CreateRoleBinding(w.ctx(), "new", ch)), catalog.ErrInvalid, pointer+": ")
		w.refuses(errOf(w.UpdateRoleBinding(w.ctx(), "b", ch, nil)), catalog.ErrInvalid, pointer+": ")
	}
	for _, name := range []string{"", " x", "x ", "a\nb", "a\x00b", "a\u0085b", "\xff", strings.Repeat("x", 513)} {
		w.refuses(errOf(w.UpdateRoleBinding(w.ctx(), "b", user(name), nil)), catalog.ErrInvalid, "/subjects/1/name: ")
	}
	for _, name := range []string{"x", "a b", "*", "äöü", "ada@example.com", "CN=ada,O=x", strings.Repeat("x", 512)} {
		w.must(errOf(w.UpdateRoleBinding(w.ctx(), "b", user(name), nil)))
	}
	w.refuses(errOf(w.CreateRoleBinding(w.ctx(), "new", catalog.RoleBindingChange{})), catalog.ErrInvalid, "/role: ")
	all := make([]catalog.Subject, catalog.MaxSubjects)
	for i := range all {
		all[i] = catalog.Subject{Kind: "user", Name: strings.Repeat("<", 512)} // each of them is six bytes in JSON
	}
	w.refuses(errOf(w.UpdateRoleBinding(w.ctx(), "b", catalog.RoleBindingChange{Subjects: &all}, nil)), catalog.ErrInvalid, "/subjects: ")
	w.sound()
}

func TestRolesAndTheirBindings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.refuses(errOf(w.CreateRoleBinding(w.ctx(), "b", gives("viewer", ""))), catalog.ErrNotFound, "viewer", "get authorization roles")
		w.role("viewer", "editor")
		for i := range 7 {
			w.bind(fmt.Sprintf("b%d", i), "viewer", "")
		}
		w.refuses(errOf(w.UpdateRoleBinding(w.ctx(), "b0", gives("no", ""), nil)), catalog.ErrNotFound, `"no"`)
		w.refuses(w.DeleteRole(w.ctx(), "viewer", nil), catalog.ErrConflict, "b0, b1, b2, b3, b4, …")
		w.bind("e", "editor", "")
		for i := range 7 {
			w.must(errOf(w.UpdateRoleBinding(w.ctx(), fmt.Sprintf("b%d", i), gives("editor", ""), nil)))
		}
		w.must(w.DeleteRole(w.ctx(), "viewer", nil))
		w.sound()
	})
}

// A namespace takes the bindings that hold in it alone with it, and no others: who comes to have the name next inherits
// no access.
func TestNamespaceTakesItsBindings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("viewer", "editor")
		w.bind("everywhere", "viewer", "")
		w.bind("other", "viewer", "sre-2")
		w.tenant("sre-2")
		keep := w.keys()
		w.bind("early", "viewer", "sre") // before there is such a namespace
		w.tenant("sre")
		w.bind("one", "editor", "sre")
		w.bind("two", "viewer", "sre-2")
		w.must(errOf(w.UpdateRoleBinding(w.ctx(), "two", gives("editor", "sre"), nil)))
		w.bind("gone", "viewer", "sre")
		w.must(w.DeleteRoleBinding(w.ctx(), "gone", nil))
		w.must(w.DeleteNamespace(w.ctx(), "sre", nil))
		for _, name := range []string{"early", "one", "two"} {
			w.refuses(errOf(w.RoleBinding(w.ctx(), name)), catalog.ErrNotFound)
		}
		if d := cmp.Diff(keep, w.keys()); d != "" {
			w.t.Error(d)
		}
		w.sound()
	})
}

// As many bindings as fit into one transaction go with their namespace.
func TestNamespaceWithTooManyBindings(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("viewer")
		w.tenant("sre")
		for i := range 43 {
			w.bind(fmt.Sprintf("b%02d", i), "viewer", "sre")
		}
		w.refuses(w.DeleteNamespace(w.ctx(), "sre", nil), catalog.ErrConflict, "42", "b00", "b04", "delete some")
		w.must(w.DeleteRoleBinding(w.ctx(), "b20", nil))
		w.must(w.DeleteNamespace(w.ctx(), "sre", nil))
		left, err := w.RoleBindings(w.ctx(), catalog.PageRequest{})
		w.must(err)
		if len(left.Items) != 0 {
			w.t.Errorf("%d bindings are left", len(left.Items))
		}
		w.sound()
	})
}

// What is done to the bindings of a namespace between the reading of them and the deletion is not lost.
func TestBindingsChangeWhileTheNamespaceGoes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("viewer", "editor")
		between := &meddler{Store: w.store}
		slow := catalog.NewRepository(between, home())
		for what, meddle := range map[string]func(){
			"create": func() { w.bind("new", "viewer", "sre") },
			"update": func() { w.must(errOf(w.UpdateRoleBinding(w.ctx(), "old", gives("editor", "sre"), nil))) },
			"enter":  func() { w.must(errOf(w.UpdateRoleBinding(w.ctx(), "far", gives("viewer", "sre"), nil))) },
			"delete": func() { w.must(w.DeleteRoleBinding(w.ctx(), "old", nil)) },
			"refill": func() {
				w.must(w.DeleteNamespace(w.ctx(), "sre", nil))
				w.tenant("sre")
				w.bind("new", "viewer", "sre")
			},
		} {
			w.tenant("sre")
			w.bind("old", "viewer", "sre")
			w.bind("far", "viewer", "dev")
			between.meddle = meddle
			w.must(slow.DeleteNamespace(w.ctx(), "sre", nil))
			left, err := w.RoleBindings(w.ctx(), catalog.PageRequest{})
			w.must(err)
			for _, b := range left.Items {
				if b.Namespace == "sre" {
					w.t.Errorf("%s: binding %s is left", what, b.Name)
				}
			}
			err = w.DeleteRoleBinding(w.ctx(), "far", nil)
			if err != nil && !errors.Is(err, catalog.ErrNotFound) {
				w.t.Fatal(err)
			}
			w.sound()
		}
	})
}

// A binding that leaves the namespace before it goes is not taken with it.
func TestBindingLeavesWhileTheNamespaceGoes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		w.role("viewer")
		for _, leave := range []func(){
			func() { w.must(errOf(w.UpdateRoleBinding(w.ctx(), "b", gives("viewer", ""), nil))) },
			func() {
				w.must(w.DeleteRoleBinding(w.ctx(), "b", nil))
				w.bind("b", "viewer", "dev")
			},
		} {
			w.tenant("sre")
			w.bind("b", "viewer", "sre")
			slow := catalog.NewRepository(&meddler{Store: w.store, meddle: leave}, home())
			w.must(slow.DeleteNamespace(w.ctx(), "sre", nil))
			w.must(errOf(w.RoleBinding(w.ctx(), "b")))
			w.sound()
			w.must(w.DeleteRoleBinding(w.ctx(), "b", nil))
		}
	})
}

// A role does not go while a binding comes to give it, and no binding comes to give one that has gone.
func TestRoleGoesWhileABindingComes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		between := &meddler{Store: w.store}
		slow := catalog.NewRepository(between, home())
		w.role("viewer", "other")
		w.bind("b", "other", "")
		between.meddle = func() { w.must(w.DeleteRole(w.ctx(), "viewer", nil)) }
		w.refuses(errOf(slow.CreateRoleBinding(w.ctx(), "new", gives("viewer", ""))), catalog.ErrNotFound, "viewer")
		w.role("viewer")
		between.meddle = func() { w.must(w.DeleteRole(w.ctx(), "viewer", nil)) }
		w.refuses(errOf(slow.UpdateRoleBinding(w.ctx(), "b", gives("viewer", ""), nil)), catalog.ErrNotFound, "viewer")
		w.role("viewer")
		between.meddle = func() { w.bind("new", "viewer", "sre") }
		w.refuses(slow.DeleteRole(w.ctx(), "viewer", nil), catalog.ErrConflict, "new")
		w.sound()
	})
}

func TestRolesStorm(t *testing.T) {
	t.Parallel()
	onBoth(t, func(w *world) {
		for i := range rounds {
			role, other, ns := fmt.Sprintf("r%d", i), fmt.Sprintf("o%d", i), fmt.Sprintf("n%d", i)
			b := func(n int) string { return fmt.Sprintf("b%d-%d", i, n) }
			w.role(role, other)
			w.tenant(ns)
			w.bind(b(0), role, ns)
			w.bind(b(1), role, "")
			errs := race(
				func() error { return w.DeleteRole(w.ctx(), role, nil) },
				func() error { return errOf(w.CreateRoleBinding(w.ctx(), b(2), gives(role, ns))) },
				func() error { return w.DeleteNamespace(w.ctx(), ns, nil) },
				func() error { return errOf(w.UpdateRoleBinding(w.ctx(), b(0), gives(other, ns), nil)) },
				func() error { return errOf(w.UpdateRoleBinding(w.ctx(), b(1), gives(other, ns), nil)) },
				func() error { return w.DeleteRoleBinding(w.ctx(), b(1), nil) },
				func() error { return errOf(w.CreateRoleBinding(w.ctx(), b(1), gives(role, ns))) },
				func() error { return w.DeleteRole(w.ctx(), other, nil) },
			)
			w.kinds(errs, catalog.ErrNotFound, catalog.ErrConflict)
			if errs[2] != nil {
				w.t.Errorf("the namespace did not go: %v", errs[2])
			}
		}
		w.sound()
	})
}
