package server

import (
	"context"

	"kayra/server/api"
	"kayra/store/catalog"
)

func (s *Server) listSubscriptions(c *call) (reply, error) {
	page, err := c.page(catalog.ValidLongName)
	if err != nil {
		return reply{}, err
	}
	list, err := s.repository.NamespaceSubscriptions(c.Context(), c.PathValue("ns"), page)
	return listed(list, err, api.NewSubscription)
}

func (s *Server) listAllSubscriptions(c *call) (reply, error) {
	page, err := c.page(pair)
	if err != nil {
		return reply{}, err
	}
	filter, err := c.filter()
	if err != nil {
		return reply{}, err
	}
	list, err := s.repository.Subscriptions(c.Context(), filter, page)
	return listed(list, err, api.NewSubscription)
}

func (s *Server) createSubscription(c *call) (reply, error) {
	name := c.body.identity("api")
	ignoreComputed(c.body)
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	rep, err := subscription(s.repository.Subscribe(c.Context(), c.PathValue("ns"), name))
	return created(c, name, rep), err
}

func (s *Server) getSubscription(c *call) (reply, error) {
	return subscription(s.repository.Subscription(c.Context(), c.PathValue("ns"), c.PathValue("api")))
}

// updateSubscription changes nothing, since all of a subscription but its API is computed. It is a trigger, though.
func (s *Server) updateSubscription(c *call) (reply, error) {
	c.body.same("api", c.PathValue("api"))
	ignoreComputed(c.body)
	return s.writeSubscription(c, s.repository.TouchSubscription)
}

func (s *Server) syncSubscription(c *call) (reply, error) {
	return s.writeSubscription(c, s.repository.Resync)
}

func (s *Server) deleteSubscription(c *call) (reply, error) {
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return deleted(s.repository.Unsubscribe(c.Context(), c.PathValue("ns"), c.PathValue("api"), match))
}

func ignoreComputed(o *object) {
	o.ignore("namespace", "active", "state", "current_sync_id", "expected_sync_id", "synced",
		"reason", "message", "attempted_sync_id", "updated_at")
}

func subscription(sub catalog.SubscriptionView, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return reply{tag: sub.Tag(), body: api.NewSubscription(&sub)}, nil
}

// writeSubscription carries out a write that takes nothing from the body.
func (s *Server) writeSubscription(c *call,
	write func(ctx context.Context, namespace, api string, m catalog.Match) (catalog.SubscriptionView, error),
) (reply, error) {
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	match, err := c.match()
	if err != nil {
		return reply{}, err
	}
	return subscription(write(c.Context(), c.PathValue("ns"), c.PathValue("api"), match))
}
