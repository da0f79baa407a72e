package server

import (
	"fmt"
	"slices"
	"strings"

	"kayra/server/api"
	"kayra/store/catalog"
)

func (s *Server) listGroups(c *call) (reply, error) {
	registered, err := s.repository.APIs(c.Context())
	if err != nil {
		return reply{}, fmt.Errorf("list API groups: %w", err)
	}
	out := make([]api.Group, 0, len(s.builtin)+len(registered))
	out = append(out, s.builtin...)
	for i := range registered {
		out = append(out, api.NewGroup(&registered[i]))
	}
	return reply{body: api.Groups{APIs: out}}, nil
}

func (s *Server) listReconcilers(c *call) (reply, error) {
	alive, err := s.repository.Reconcilers(c.Context())
	if err != nil {
		return reply{}, fmt.Errorf("list reconcilers: %w", err)
	}
	return reply{body: api.NewList(alive, "", api.NewReconciler)}, nil
}

// groups are the API groups that the routes make up, in the order of the table.
func groups(routes []route) []api.Group {
	var out []api.Group
	for _, rt := range routes {
		name := rt.group()
		if rt.resource == "" || name == "" {
			continue
		}
		at := slices.IndexFunc(out, func(g api.Group) bool { return g.Name == name })
		if at < 0 {
			at = len(out)
			short, _, _ := strings.Cut(name, ".")
			out = append(out, api.Group{Name: name, ShortName: short, Builtin: true})
		}
		out[at].Resources = addVerb(out[at].Resources, rt)
	}
	return out
}

func addVerb(resources []catalog.Resource, rt route) []catalog.Resource {
	at := slices.IndexFunc(resources, func(r catalog.Resource) bool { return r.Name == rt.resource })
	if at < 0 {
		at = len(resources)
		resources = append(resources, catalog.Resource{Name: rt.resource})
	}
	r := &resources[at]
	r.Namespaced = r.Namespaced || strings.Contains(rt.path, "/namespaces/{ns}/")
	if !slices.Contains(r.Verbs, rt.verb) {
		r.Verbs = append(r.Verbs, rt.verb)
		slices.Sort(r.Verbs)
	}
	return resources
}
