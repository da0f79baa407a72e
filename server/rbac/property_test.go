package rbac_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store"
	"kayra/store/catalog"
)

// model has the records as they stand in the store, and answers by looking at all of them.
type model struct {
	apis, spaces map[string]bool
	subs         map[[2]string]bool
	roles        map[string]catalog.Role
	bindings     map[string]catalog.RoleBinding
}

func newModel() *model {
	return &model{
		apis: map[string]bool{}, spaces: map[string]bool{}, subs: map[[2]string]bool{},
		roles: map[string]catalog.Role{}, bindings: map[string]catalog.RoleBinding{},
	}
}

func has(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, "*")
}

// permit gives the binding that gives it, the one that the policy should name.
func (m *model) permit(id auth.Identity, q rbac.Question) string {
	subjects := []catalog.Subject{user(id.User)}
	for _, g := range id.Groups {
		subjects = append(subjects, group(g))
	}
	for _, s := range subjects {
		for _, everywhere := range []bool{true, false} {
			for _, name := range slices.Sorted(maps.Keys(m.bindings)) {
				b := m.bindings[name]
				if !slices.Contains(b.Subjects, s) || (b.Namespace == "") != everywhere || !everywhere && b.Namespace != q.Namespace {
					continue
				}
				for _, r := range m.roles[b.Role].Rules {
					if has(r.APIs, q.API) && has(r.Resources, q.Resource) && has(r.Verbs, q.Verb) {
						return name
					}
				}
			}
		}
	}
	return ""
}

func (m *model) check(id auth.Identity, q rbac.Question) rbac.Cause {
	if active, there := m.apis[q.API]; !there {
		return rbac.CauseUnregistered
	} else if !active {
		return rbac.CauseAPIInactive
	}
	if q.Namespace != "" {
		space, there := m.spaces[q.Namespace]
		sub, subscribed := m.subs[[2]string{q.API, q.Namespace}]
		switch {
		case !there:
			return rbac.CauseNoNamespace
		case !space:
			return rbac.CauseNamespaceInactive
		case !subscribed:
			return rbac.CauseNotSubscribed
		case !sub:
			return rbac.CauseSubscriptionInactive
		}
	}
	if m.permit(id, q) == "" {
		return rbac.CauseNoRole
	}
	return rbac.CauseRole
}

// some draws from a handful of names, so that they meet.
func some(t *rapid.T, what string, n int) string {
	return fmt.Sprintf("%s%d", what, rapid.IntRange(0, n-1).Draw(t, what))
}

func list(t *rapid.T, what string) []string {
	if rapid.IntRange(0, 3).Draw(t, "all "+what) == 0 {
		return []string{"*"}
	}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string { return some(t, what, 3) }), 1, 2).Draw(t, what)
}

func drawRole(t *rapid.T) catalog.Role {
	var r catalog.Role
	for range rapid.IntRange(0, 2).Draw(t, "rules") {
		r.Rules = append(r.Rules, catalog.Rule{APIs: list(t, "api"), Resources: list(t, "res"), Verbs: list(t, "verb")})
	}
	return r
}

func drawBinding(t *rapid.T) catalog.RoleBinding {
	b := catalog.RoleBinding{Role: some(t, "role", 4)}
	if rapid.Bool().Draw(t, "in a namespace") {
		b.Namespace = some(t, "ns", 3)
	}
	for range rapid.IntRange(0, 3).Draw(t, "subjects") {
		kind := rapid.SampledFrom([]catalog.SubjectKind{catalog.SubjectUser, catalog.SubjectGroup}).Draw(t, "kind")
		b.Subjects = append(b.Subjects, catalog.Subject{Kind: kind, Name: some(t, "who", 3)})
	}
	return b
}

// change draws an event, and tells the model of it.
func (m *model) change(t *rapid.T) store.Event {
	gone := rapid.IntRange(0, 3).Draw(t, "deleted") == 0
	active := rapid.Bool().Draw(t, "active")
	var key string
	var record any
	switch rapid.IntRange(0, 4).Draw(t, "kind of record") {
	case 0:
		name := some(t, "api", 3)
		key, record = "registrations/"+name, catalog.Registration{Active: active}
		replace(m.apis, name, active, gone)
	case 1:
		name := some(t, "ns", 3)
		key, record = "namespaces/"+name, catalog.Namespace{Active: active}
		replace(m.spaces, name, active, gone)
	case 2:
		api, ns := some(t, "api", 3), some(t, "ns", 3)
		key, record = "subscriptions/"+api+"/"+ns, catalog.Subscription{Active: active}
		replace(m.subs, [2]string{api, ns}, active, gone)
	case 3:
		name, r := some(t, "role", 4), drawRole(t)
		key, record = "roles/"+name, r
		replace(m.roles, name, r, gone)
	default:
		name, b := some(t, "binding", 6), drawBinding(t)
		key, record = "rolebindings/"+name, b
		replace(m.bindings, name, b, gone)
	}
	e := event(key, record)
	if e.Deleted = gone; gone {
		e.Value = nil
	}
	return e
}

func replace[K comparable, V any](in map[K]V, key K, value V, gone bool) {
	if in[key] = value; gone {
		delete(in, key)
	}
}

// entries is a list of all that the model has.
func (m *model) entries() []store.Entry {
	var out []store.Entry
	add := func(key string, record any) { out = append(out, event(key, record).Entry) }
	for name, active := range m.apis {
		add("registrations/"+name, catalog.Registration{Active: active})
	}
	for name, active := range m.spaces {
		add("namespaces/"+name, catalog.Namespace{Active: active})
	}
	for key, active := range m.subs {
		add("subscriptions/"+key[0]+"/"+key[1], catalog.Subscription{Active: active})
	}
	for name, r := range m.roles {
		add("roles/"+name, r)
	}
	for name, b := range m.bindings {
		add("rolebindings/"+name, b)
	}
	slices.SortFunc(out, func(a, b store.Entry) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

// TestModel compares the policy with the model after every few changes, some of which come as a new list.
func TestModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		l, m := newLab(t), newModel()
		for range rapid.IntRange(1, 15).Draw(rt, "rounds") {
			var events []store.Event
			for range rapid.IntRange(0, 6).Draw(rt, "changes") {
				events = append(events, m.change(rt))
			}
			if rapid.IntRange(0, 4).Draw(rt, "list") == 0 {
				l.revision++
				l.Reset(m.entries(), l.revision)
				l.Prove()
			} else {
				l.Apply(l.batch(events...))
			}
			compare(rt, l, m)
		}
	})
}

func compare(t *rapid.T, l *lab, m *model) {
	for range 20 {
		id := auth.Identity{User: some(t, "who", 3)}
		for range rapid.IntRange(0, 2).Draw(t, "groups") {
			id.Groups = append(id.Groups, some(t, "who", 3))
		}
		q := rbac.Question{API: some(t, "api", 3), Resource: some(t, "res", 3), Verb: some(t, "verb", 3)}
		if rapid.Bool().Draw(t, "in a namespace") {
			q.Namespace = some(t, "ns", 3)
		}
		d, err := l.Permit(id, q)
		if err != nil || d.Binding != m.permit(id, q) {
			t.Fatalf("permit %v %v: %v, %v, want binding %q", id, q, d, err, m.permit(id, q))
		}
		d, err = l.Check(id, q)
		if err != nil || d.Cause != m.check(id, q) {
			t.Fatalf("check %v %v: %v, %v, want %s", id, q, d, err, m.check(id, q))
		}
	}
}

// TestReaders has decisions made while everything changes.
func TestReaders(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.world()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				d, err := l.Check(ann("tenants"), machines("get", "sre"))
				if err != nil || !d.Allowed() && d.Cause != rbac.CauseNoRole {
					t.Errorf("%v, %v", d, err)
					return
				}
				_ = l.Age()
			}
		})
	}
	for i := range 300 {
		l.put("roles/r", role(rule("*", "*", "get")))
		l.put("rolebindings/b", bind("r", "sre", user("ann"), group("tenants")))
		l.remove([]string{"roles/r", "rolebindings/b"}[i%2])
		if i%50 == 0 {
			m := newModel()
			m.apis[compute], m.spaces["sre"], m.subs[[2]string{compute, "sre"}] = true, true, true
			l.Reset(m.entries(), l.revision)
		}
	}
	close(stop)
	readers.Wait()
}
