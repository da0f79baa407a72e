package catalog_test

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"kayra/store/catalog"
)

// sound insists on all rules between the records that are in the store now.
func (w *world) sound() {
	w.t.Helper()
	r := w.records()
	for key := range r.subscriptions {
		api, ns, _ := strings.Cut(key, "/")
		if !r.namespaces[ns] {
			w.t.Errorf("subscription %s has no namespace", key)
		}
		if _, ok := r.registrations["sandbox/eu-west-1/"+api]; !ok {
			w.t.Errorf("subscription %s has no registration", key)
		}
		if !r.byNamespace[ns+"/"+api] {
			w.t.Errorf("subscription %s is not in the index", key)
		}
	}
	if len(r.byNamespace) != len(r.subscriptions) {
		w.t.Errorf("%d subscriptions, %d in the index", len(r.subscriptions), len(r.byNamespace))
	}
	w.soundGraph(r)
	w.soundShortNames(r)
	w.soundBindings(r)
}

func (w *world) soundBindings(r records) {
	w.t.Helper()
	byRole, byNamespace := map[string]bool{}, map[string]string{}
	for name, b := range r.bindings {
		byRole[b.Role+"/"+name] = true
		if b.Namespace != "" {
			byNamespace[b.Namespace+"/"+name] = b.Role
		}
		if !r.roles[b.Role] {
			w.t.Errorf("binding %s gives role %s, which is not there", name, b.Role)
		}
		if b.Namespace != "" && !r.bindingVersions[b.Namespace] {
			w.t.Errorf("binding %s holds in %s, whose bindings have no version", name, b.Namespace)
		}
	}
	if d := cmp.Diff(byRole, r.byRole); d != "" {
		w.t.Errorf("bindings and their index by role: %s", d)
	}
	if d := cmp.Diff(byNamespace, r.namespaceBindings); d != "" {
		w.t.Errorf("bindings and their index by namespace: %s", d)
	}
}

func (w *world) soundGraph(r records) {
	w.t.Helper()
	edges := 0
	for name, reg := range r.registrations {
		for _, d := range reg.DependsOn {
			edges++
			if _, ok := r.registrations[d.String()]; !ok {
				w.t.Errorf("%s depends on %s, which is not there", name, d)
			}
			if !r.dependents[d.String()+"/"+name] {
				w.t.Errorf("%s depends on %s, which does not know", name, d)
			}
		}
		if r.reaches(name, name, map[string]bool{}) {
			w.t.Errorf("%s is on a cycle", name)
		}
	}
	if edges != len(r.dependents) {
		w.t.Errorf("%d dependencies, %d in the index", edges, len(r.dependents))
	}
}

func (w *world) soundShortNames(r records) {
	w.t.Helper()
	named := 0
	for _, reg := range r.registrations {
		if reg.ShortName == "" || reg.Platform != "sandbox" {
			continue
		}
		named++
		if got := r.shortNames[reg.ShortName]; got != reg.Name {
			w.t.Errorf("%s has short_name %s, which is %q's", reg.Name, reg.ShortName, got)
		}
	}
	if named != len(r.shortNames) {
		w.t.Errorf("%d short names, %d in the index", named, len(r.shortNames))
	}
}

// records is all that the rules are about.
type records struct {
	registrations map[string]catalog.Registration // by platform/region/name
	namespaces    map[string]bool
	subscriptions map[string]bool   // api/namespace
	byNamespace   map[string]bool   // namespace/api
	dependents    map[string]bool   // of/by
	shortNames    map[string]string // registration by short name

	roles             map[string]bool
	bindings          map[string]catalog.RoleBinding
	byRole            map[string]bool   // role/binding
	namespaceBindings map[string]string // role by namespace/binding
	bindingVersions   map[string]bool   // namespace
}

func (r records) reaches(from, to string, seen map[string]bool) bool {
	if seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(r.registrations[from].DependsOn, func(d catalog.Dependency) bool {
		return d.String() == to || r.reaches(d.String(), to, seen)
	})
}

func (w *world) records() records {
	w.t.Helper()
	r := records{
		registrations: map[string]catalog.Registration{}, namespaces: map[string]bool{}, subscriptions: map[string]bool{},
		byNamespace: map[string]bool{}, dependents: map[string]bool{}, shortNames: map[string]string{},
		roles: map[string]bool{}, bindings: map[string]catalog.RoleBinding{}, byRole: map[string]bool{},
		namespaceBindings: map[string]string{}, bindingVersions: map[string]bool{},
	}
	w.each("scopes/", func(key string, value []byte) {
		scope, rest, _ := cutScope(key)
		kind, name, _ := strings.Cut(rest, "/")
		switch {
		case kind == "registrations":
			var reg catalog.Registration
			w.must(json.Unmarshal(value, &reg))
			r.registrations[scope+"/"+name] = reg
		case scope != home().String():
		case kind == "namespaces":
			r.namespaces[name] = true
		case kind == "subscriptions":
			r.subscriptions[name] = true
		case kind == "by-namespace":
			r.byNamespace[name] = true
		case kind == "shortnames":
			r.shortNames[name] = string(value)
		case kind == "roles":
			r.roles[name] = true
		case kind == "rolebindings":
			var b catalog.RoleBinding
			w.must(json.Unmarshal(value, &b))
			r.bindings[name] = b
		case kind == "by-role":
			r.byRole[name] = true
		case kind == "namespace-bindings":
			r.namespaceBindings[name] = string(value)
		case kind == "bindings-version":
			r.bindingVersions[name] = true
		}
	})
	w.each("dependents/", func(key string, _ []byte) { r.dependents[key] = true })
	return r
}

func cutScope(key string) (scope, rest string, ok bool) {
	parts := strings.SplitN(key, "/", 3)
	if len(parts) < 3 {
		return "", "", false
	}
	return parts[0] + "/" + parts[1], parts[2], true
}
