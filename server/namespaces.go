package server

import (
	"kayra/server/api"
	"kayra/store/catalog"
)

func (s *Server) listNamespaces(c *call) (reply, error) {
	page, err := c.page(catalog.ValidLabel)
	if err != nil {
		return reply{}, err
	}
	list, err := s.repository.Namespaces(c.Context(), page)
	return listed(list, err, api.NewNamespace)
}

func (s *Server) createNamespace(c *call) (reply, error) {
	name := c.body.identity("name")
	c.body.ignore("active")
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	rep, err := namespace(s.repository.CreateNamespace(c.Context(), name))
	return created(c, name, rep), err
}

func (s *Server) getNamespace(c *call) (reply, error) {
	return namespace(s.repository.Namespace(c.Context(), c.PathValue("ns")))
}

// updateNamespace changes nothing, since all of a namespace but its name is computed.
func (s *Server) updateNamespace(c *call) (reply, error) {
	name := c.PathValue("ns")
	c.body.same("name", name)
	c.body.ignore("active")
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return namespace(s.repository.TouchNamespace(c.Context(), name, match))
}

func (s *Server) deleteNamespace(c *call) (reply, error) {
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return deleted(s.repository.DeleteNamespace(c.Context(), c.PathValue("ns"), match))
}

func namespace(ns catalog.Namespace, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{tag: ns.Tag(), body: api.NewNamespace(&ns)}, nil
}
