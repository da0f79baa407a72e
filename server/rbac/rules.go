package rbac

import (
	"hash/maphash"
	"slices"

	"kayra/store/catalog"
)

// rule is a [catalog.Rule] to be asked.
type rule struct {
	apis, resources, verbs names
}

// names are a list of names, or all that there are.
type names struct {
	all  bool
	list []string
}

func newRules(from []catalog.Rule) []rule {
	rules := make([]rule, len(from))
	for i, r := range from {
		rules[i] = rule{newNames(r.APIs), newNames(r.Resources), newNames(r.Verbs)}
	}
	return rules
}

func newNames(from []string) names {
	if slices.Contains(from, catalog.Everything) {
		return names{all: true}
	}
	list := make([]string, len(from))
	for i, name := range from {
		list[i] = once(name)
	}
	return names{list: list}
}

func (n *names) have(name string) bool { return n.all || slices.Contains(n.list, name) }

func (r *role) gives(q *Question) bool {
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.apis.have(q.API) && rule.resources.have(q.Resource) && rule.verbs.have(q.Verb) {
			return true
		}
	}
	return false
}

// mark is a set of bits by which most of the roles that do not give what is asked are told from those that may, without
// a look at them: the lower half stands for APIs, the upper one for resources of any API. A role whose mark has no bit in
// common with that of a question does not give it.
type mark uint64

const half = 32

// marker makes marks.
type marker maphash.Seed

func (p marker) bit(name string) mark {
	return 1 << (maphash.String(maphash.Seed(p), name) % half)
}

func (p marker) question(q *Question) mark { return p.bit(q.API) | p.bit(q.Resource)<<half }

func (p marker) role(rules []rule) mark {
	var out mark
	for i := range rules {
		r := &rules[i]
		switch {
		case !r.apis.all:
			for _, name := range r.apis.list {
				out |= p.bit(name)
			}
		case !r.resources.all:
			for _, name := range r.resources.list {
				out |= p.bit(name) << half
			}
		default:
			return ^mark(0)
		}
	}
	return out
}
