package rbac

import (
	"slices"
	"strings"

	"kayra/store/catalog"
)

type binding struct {
	name     string
	roleName string
	role     *role
	in       string // namespace; "": it holds cluster-wide
	subjects []catalog.Subject
}

// holder has the bindings of a user or of a group, each list by name.
type holder struct {
	everywhere []held
	in         map[string][]held // by namespace
}

// held is a binding in a list, with what tells most of them from what is looked for.
type held struct {
	*binding

	slot int // of the role's mark
}

// bind takes over a binding that is not there.
func (k *records) bind(name string, from *catalog.RoleBinding) {
	b := &binding{name: name, roleName: once(from.Role), role: k.role(from.Role), in: once(from.Namespace)}
	b.role.bound++
	b.subjects = make([]catalog.Subject, 0, len(from.Subjects))
	for _, s := range from.Subjects {
		s = catalog.Subject{Kind: s.Kind, Name: once(s.Name)}
		b.subjects = append(b.subjects, s)
		holders := k.holders(s.Kind)
		if holders == nil {
			continue // a kind of a newer version
		}
		h := holders[s.Name]
		if h == nil {
			h = &holder{}
			holders[s.Name] = h
		}
		h.add(b)
	}
	k.bindings[name] = b
}

// unbind forgets a binding, if it is there.
func (k *records) unbind(name string) {
	b := k.bindings[name]
	if b == nil {
		return
	}
	delete(k.bindings, name)
	for _, s := range b.subjects {
		holders := k.holders(s.Kind)
		if h := holders[s.Name]; h != nil && h.remove(b) {
			delete(holders, s.Name)
		}
	}
	b.role.bound--
	k.dropRole(b.roleName)
}

func (k *records) holders(kind catalog.SubjectKind) map[string]*holder {
	switch kind {
	case catalog.SubjectUser:
		return k.users
	case catalog.SubjectGroup:
		return k.groups
	}
	return nil
}

func (h *holder) add(b *binding) {
	if b.in == "" {
		h.everywhere = insert(h.everywhere, b)
		return
	}
	if h.in == nil {
		h.in = map[string][]held{}
	}
	h.in[b.in] = insert(h.in[b.in], b)
}

// remove tells whether nothing is left.
func (h *holder) remove(b *binding) bool {
	if b.in == "" {
		h.everywhere = without(h.everywhere, b)
	} else if h.in[b.in] = without(h.in[b.in], b); len(h.in[b.in]) == 0 {
		delete(h.in, b.in)
	}
	return len(h.everywhere) == 0 && len(h.in) == 0
}

func insert(list []held, b *binding) []held {
	at, found := find(list, b.name)
	if found {
		return list // the subject is named twice
	}
	return slices.Insert(list, at, held{binding: b, slot: b.role.slot})
}

func without(list []held, b *binding) []held {
	at, found := find(list, b.name)
	if !found {
		return list
	}
	return slices.Delete(list, at, at+1)
}

func find(list []held, name string) (int, bool) {
	return slices.BinarySearchFunc(list, name, func(b held, name string) int { return strings.Compare(b.name, name) })
}
