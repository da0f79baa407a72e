package server

import (
	"kayra/server/api"
	"kayra/store/catalog"
)

func (s *Server) listRoleBindings(c *call) (reply, error) {
	page, err := c.page(catalog.ValidRoleName)
	if err != nil {
		return reply{}, err
	}
	list, err := s.repository.RoleBindings(c.Context(), page)
	return listed(list, err, api.NewRoleBinding)
}

func (s *Server) createRoleBinding(c *call) (reply, error) {
	name := c.body.identity("name")
	role := c.body.identity("role")
	change := roleBindingChange(c.body)
	change.Role = &role
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	rep, err := roleBinding(s.repository.CreateRoleBinding(c.Context(), name, change))
	return created(c, name, rep), err
}

func (s *Server) getRoleBinding(c *call) (reply, error) {
	return roleBinding(s.repository.RoleBinding(c.Context(), c.PathValue("binding")))
}

func (s *Server) updateRoleBinding(c *call) (reply, error) {
	name := c.PathValue("binding")
	c.body.same("name", name)
	change := roleBindingChange(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return roleBinding(s.repository.UpdateRoleBinding(c.Context(), name, change, match))
}

func (s *Server) deleteRoleBinding(c *call) (reply, error) {
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return deleted(s.repository.DeleteRoleBinding(c.Context(), c.PathValue("binding"), match))
}

func roleBinding(b catalog.RoleBinding, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{tag: b.Tag(), body: api.NewRoleBinding(&b)}, nil
}

// roleBindingChange reads all of a role binding but its name. Its role is the one thing that cannot be cleared.
func roleBindingChange(o *object) catalog.RoleBindingChange {
	change := catalog.RoleBindingChange{
		Namespace: o.text("namespace"), Subjects: objects(o, "subjects", catalog.MaxSubjects, subject),
	}
	if _, ok := o.values["role"]; ok {
		role := o.identity("role")
		change.Role = &role
	}
	return change
}

func subject(o *object) catalog.Subject {
	return catalog.Subject{Kind: catalog.SubjectKind(o.identity("kind")), Name: o.identity("name")}
}
