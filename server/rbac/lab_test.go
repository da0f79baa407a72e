package rbac_test

import (
	"encoding/json"
	"testing"

	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store"
	"kayra/store/catalog"
)

const compute = "compute.example.com"

// lab is a policy that is fed by hand.
type lab struct {
	*rbac.Policy

	t        testing.TB
	revision int64
}

func scope() catalog.Scope { return catalog.Scope{Platform: "sandbox", Region: "eu-west-1"} }

// newLab has a policy that knows nothing, and is up to date.
func newLab(tb testing.TB) *lab {
	tb.Helper()
	l := &lab{Policy: rbac.New(rbac.Options{Scope: scope()}), t: tb}
	l.Reset(nil, 1)
	l.Prove()
	return l
}

// put applies a record. A value that is text stands for itself.
func (l *lab) put(key string, record any) { l.Apply(l.batch(event(key, record))) }

func (l *lab) remove(key string) {
	l.Apply(l.batch(store.Event{Entry: store.Entry{Key: scope().Prefix() + key}, Deleted: true}))
}

func (l *lab) batch(events ...store.Event) store.Batch {
	l.revision++
	return store.Batch{Events: events, Revision: l.revision}
}

func event(key string, record any) store.Event {
	text, ok := record.(string)
	if !ok {
		data, _ := json.Marshal(record) // a record can always be written as JSON
		text = string(data)
	}
	return store.Event{Entry: store.Entry{Key: scope().Prefix() + key, Value: []byte(text)}}
}

func role(rules ...catalog.Rule) catalog.Role { return catalog.Role{Rules: rules} }

func rule(api, resource, verb string) catalog.Rule {
	return catalog.Rule{APIs: []string{api}, Resources: []string{resource}, Verbs: []string{verb}}
}

func bind(role, namespace string, subjects ...catalog.Subject) catalog.RoleBinding {
	return catalog.RoleBinding{Role: role, Namespace: namespace, Subjects: subjects}
}

func user(name string) catalog.Subject { return catalog.Subject{Kind: catalog.SubjectUser, Name: name} }

func group(name string) catalog.Subject {
	return catalog.Subject{Kind: catalog.SubjectGroup, Name: name}
}

func ann(groups ...string) auth.Identity { return auth.Identity{User: "ann", Groups: groups} }

func (l *lab) permits(want bool, id auth.Identity, q rbac.Question) {
	l.t.Helper()
	d, err := l.Permit(id, q)
	if err != nil || d.Allowed() != want {
		l.t.Errorf("%s, %v: %v, %v, want %t", rbac.Describe(id), q, d, err, want)
	}
}

// world has compute.example.com, the namespace sre, and its subscription, all active.
func (l *lab) world() {
	l.put("registrations/"+compute, catalog.Registration{Active: true})
	l.put("namespaces/sre", catalog.Namespace{Active: true})
	l.put("subscriptions/"+compute+"/sre", catalog.Subscription{Active: true})
}
