package reconciler

import (
	"cmp"
	"slices"

	"kayra/reconciler/katalog"
	"kayra/store/catalog"
)

// grants are the rules of roles, by the APIs that they are about. A rule about all APIs stands under [catalog.Everything].
type grants struct {
	byAPI map[string]map[string][]catalog.Rule // by API and role
	count map[string]int                       // of the rules, by API
	roles map[string][]catalog.Rule
}

func newGrants() *grants {
	return &grants{byAPI: map[string]map[string][]catalog.Rule{}, count: map[string]int{}, roles: map[string][]catalog.Rule{}}
}

// set takes the rules of a role for those that it had; nil: it is no more.
func (g *grants) set(role string, rules []catalog.Rule) {
	for _, r := range g.roles[role] {
		for _, api := range r.APIs {
			delete(g.byAPI[api], role)
			if g.count[api]--; g.count[api] == 0 {
				delete(g.byAPI, api)
				delete(g.count, api)
			}
		}
	}
	delete(g.roles, role)
	if len(rules) == 0 {
		return
	}
	g.roles[role] = rules
	for _, r := range rules {
		for _, api := range r.APIs {
			if g.byAPI[api] == nil {
				g.byAPI[api] = map[string][]catalog.Rule{}
			}
			g.byAPI[api][role] = append(g.byAPI[api][role], r)
			g.count[api]++
		}
	}
}

// about is how many rules an API is named by, alone or with all others.
func (g *grants) about(api string) int { return g.count[api] + g.count[catalog.Everything] }

// of are these rules, by role.
func (g *grants) of(api string) []katalog.Grant {
	var all []katalog.Grant
	for _, name := range []string{api, catalog.Everything} {
		for role, rules := range g.byAPI[name] {
			for _, rule := range rules {
				all = append(all, katalog.Grant{Role: role, Rule: rule})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b katalog.Grant) int { return cmp.Compare(a.Role, b.Role) })
	return all
}
