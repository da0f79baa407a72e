package rbac

import (
	"slices"
	"unique"

	"kayra/store/catalog"
)

// word is a name in the one copy that there is of it, so that two are compared at the cost of two pointers.
type word = unique.Handle[string]

// asked is a [Question] in words.
type asked struct {
	api, resource, verb word
	everything          word
	namespace           string
}

func ask(q *Question) asked {
	return asked{
		api: unique.Make(q.API), resource: unique.Make(q.Resource), verb: unique.Make(q.Verb),
		everything: unique.Make(catalog.Everything), namespace: q.Namespace,
	}
}

// rule is a [catalog.Rule] in words.
type rule struct {
	apis, resources, verbs words
}

// words are a list, the first of it within reach: most lists have no other.
type words struct {
	first word
	more  []word
}

func newRules(from []catalog.Rule) []rule {
	rules := make([]rule, len(from))
	for i, r := range from {
		rules[i] = rule{newWords(r.APIs), newWords(r.Resources), newWords(r.Verbs)}
	}
	return rules
}

func newWords(from []string) words {
	if len(from) == 0 {
		return words{} // no word is like its first one
	}
	if slices.Contains(from, catalog.Everything) {
		return words{first: unique.Make(catalog.Everything)}
	}
	w := words{first: unique.Make(from[0])}
	for _, name := range from[1:] {
		w.more = append(w.more, unique.Make(name))
	}
	return w
}

func (w *words) have(one, everything word) bool {
	return w.first == one || w.first == everything || len(w.more) > 0 && slices.Contains(w.more, one)
}

func (r *role) gives(a *asked) bool {
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.apis.have(a.api, a.everything) && rule.resources.have(a.resource, a.everything) && rule.verbs.have(a.verb, a.everything) {
			return true
		}
	}
	return false
}

func (h *holder) gives(a *asked) *binding {
	if h == nil {
		return nil
	}
	b := first(h.everywhere, a)
	if b == nil && a.namespace != "" {
		b = first(h.in[a.namespace], a)
	}
	return b
}

func first(list []*binding, a *asked) *binding {
	for _, b := range list {
		if b.role.gives(a) {
			return b
		}
	}
	return nil
}
