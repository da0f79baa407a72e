package server

import (
	"fmt"
	"net/http"

	"kayra/server/api"
	"kayra/store/catalog"
)

func (s *Server) listRegistrations(c *call) (reply, error) {
	page, err := c.page(catalog.ValidLongName)
	if err != nil {
		return reply{}, err
	}
	list, err := s.repository.Registrations(c.Context(), page)
	return listed(list, err, api.NewRegistration)
}

func (s *Server) createRegistration(c *call) (reply, error) {
	name := c.body.identity("name")
	change := registrationChange(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	if err := s.refuseOwn(name, change.ShortName); err != nil {
		return reply{}, err
	}
	var err error
	if change.DryRun, err = c.flag(dryRun); err != nil {
		return reply{}, err
	}
	rep, err := registration(s.repository.CreateRegistration(c.Context(), name, change))
	if change.DryRun {
		return rep.ofDryRun(), err
	}
	return created(c, name, rep), err
}

func (s *Server) getRegistration(c *call) (reply, error) {
	return registration(s.repository.Registration(c.Context(), c.PathValue("name")))
}

func (s *Server) updateRegistration(c *call) (reply, error) {
	name := c.PathValue("name")
	c.body.same("name", name)
	change := registrationChange(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	if err := s.refuseOwn(name, change.ShortName); err != nil {
		return reply{}, err
	}
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	if change.DryRun, err = c.flag(dryRun); err != nil {
		return reply{}, err
	}
	rep, err := registration(s.repository.UpdateRegistration(c.Context(), name, change, match))
	if change.DryRun {
		return rep.ofDryRun(), err
	}
	return rep, err
}

// refuseOwn keeps the names of Kayra's own APIs from being taken: an app under one of them could not be reached.
func (s *Server) refuseOwn(name string, short *string) error {
	for _, own := range []string{"catalog", "authorization"} {
		if name == own+"."+s.domain {
			return refuse(http.StatusConflict, "%q is an API of Kayra itself: choose another name", name)
		}
		if short != nil && *short == own {
			return refuse(http.StatusConflict, "short_name %q is that of an API of Kayra itself: choose another", own)
		}
	}
	return nil
}

func (s *Server) deleteRegistration(c *call) (reply, error) {
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return deleted(s.repository.DeleteRegistration(c.Context(), c.PathValue("name"), match))
}

func (s *Server) syncRegistration(c *call) (reply, error) {
	request := syncRequest(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return registration(s.repository.SyncRegistration(c.Context(), c.PathValue("name"), request, match))
}

func (s *Server) getStatus(c *call) (reply, error) {
	all, err := c.flag("all")
	if err != nil {
		return reply{}, err
	}
	status, err := s.repository.Status(c.Context(), c.PathValue("name"), all)
	if err != nil {
		return reply{}, fmt.Errorf("read status: %w", err)
	}
	return reply{body: api.NewStatus(&status, all)}, nil
}

func (s *Server) getDocument(c *call) (reply, error) {
	document, err := s.repository.Document(c.Context(), c.PathValue("name"))
	if err != nil {
		return reply{}, fmt.Errorf("read document: %w", err)
	}
	return reply{raw: document}, nil
}

func registration(reg catalog.Registration, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{tag: reg.Tag(), body: api.NewRegistration(&reg)}, nil
}

// registrationChange reads all of a registration but its name.
func registrationChange(o *object) catalog.RegistrationChange {
	o.ignore("platform", "region", "released_sync_id", "canary_namespaces")
	return catalog.RegistrationChange{
		ShortName: o.text("short_name"), Owner: o.text("owner"), Description: o.text("description"), Mode: o.text("mode"),
		Active: o.boolean("active", true), Paused: o.boolean("paused", false),
		Upstream: o.boolean("upstream", false), Downstream: o.boolean("downstream", false),
		DependsOn: objects(o, "depends_on", catalog.MaxDependencies, dependency), SyncID: o.text("sync_id"),
		AllowedNamespaces: o.list("allowed_namespaces"), RestrictedNamespaces: o.list("restricted_namespaces"),
		Operator: o.raw("operator"),
	}
}

func syncRequest(o *object) catalog.SyncRequest {
	request := catalog.SyncRequest{
		CanaryNamespaces: o.names("canary_namespaces"), Release: o.must("release"), Abort: o.must("abort"),
	}
	if _, ok := o.values["expected_sync_id"]; !ok {
		return request
	}
	if request.ExpectedSyncID = o.identity("expected_sync_id"); request.ExpectedSyncID == "" && len(o.wrong) == 0 {
		o.refuse("expected_sync_id", "is empty: leave it out to take any")
	}
	return request
}
