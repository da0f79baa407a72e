package api

import "kayra/store/catalog"

// Role is a list of rules under a name. It gives nothing to anyone until a RoleBinding names it.
type Role struct {
	Name  string         `json:"name" doc:"1 to 128 of A-Z a-z 0-9 . _ : -, beginning and ending with a letter or a digit; its identity."`
	Rules []catalog.Rule `json:"rules" doc:"Each gives its verbs on its resources of its APIs; * alone in a list stands for all. A sub-resource is given by its own name only."`
}

// NewRole is how a role is answered.
func NewRole(r *catalog.Role) Role { return Role{Name: r.Name, Rules: filled(r.Rules)} }

// RoleBinding gives a role to its subjects.
type RoleBinding struct {
	Name      string            `json:"name" doc:"As that of a role; its identity."`
	Role      string            `json:"role" doc:"The role that it gives, which must be there."`
	Namespace string            `json:"namespace" doc:"The one namespace that it holds in; empty: it holds cluster-wide."`
	Subjects  []catalog.Subject `json:"subjects" doc:"Who has the role; the kinds are user and group. Names are compared to the letter."`
}

// NewRoleBinding is how a role binding is answered.
func NewRoleBinding(b *catalog.RoleBinding) RoleBinding {
	return RoleBinding{Name: b.Name, Role: b.Role, Namespace: b.Namespace, Subjects: filled(b.Subjects)}
}
