package server

import (
	"kayra/server/api"
	"kayra/store/catalog"
)

func (s *Server) listRoles(c *call) (reply, error) {
	page, err := c.page(catalog.ValidRoleName)
	if err != nil {
		return reply{}, err
	}
	list, err := s.repository.Roles(c.Context(), page)
	return listed(list, err, api.NewRole)
}

func (s *Server) createRole(c *call) (reply, error) {
	name := c.body.identity("name")
	change := roleChange(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	rep, err := role(s.repository.CreateRole(c.Context(), name, change))
	return created(c, name, rep), err
}

func (s *Server) getRole(c *call) (reply, error) {
	return role(s.repository.Role(c.Context(), c.PathValue("role")))
}

func (s *Server) updateRole(c *call) (reply, error) {
	name := c.PathValue("role")
	c.body.same("name", name)
	change := roleChange(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return role(s.repository.UpdateRole(c.Context(), name, change, match))
}

func (s *Server) deleteRole(c *call) (reply, error) {
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return deleted(s.repository.DeleteRole(c.Context(), c.PathValue("role"), match))
}

func role(r catalog.Role, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{tag: r.Tag(), body: api.NewRole(&r)}, nil
}

// roleChange reads all of a role but its name.
func roleChange(o *object) catalog.RoleChange {
	return catalog.RoleChange{Rules: objects(o, "rules", catalog.MaxRules, rule)}
}

func rule(o *object) catalog.Rule {
	return catalog.Rule{APIs: o.needed("apis"), Resources: o.needed("resources"), Verbs: o.needed("verbs")}
}
