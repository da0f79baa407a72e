package server

import (
	"fmt"
	"net/http"
	"strings"

	"kayra/server/api"
	"kayra/server/auth"
	"kayra/server/rbac"
)

func (s *Server) whoAmI(c *call) (reply, error) {
	groups := append([]string{}, c.who.Groups...)
	return reply{body: api.Caller{User: c.who.User, Groups: groups, Sysadmin: s.sysadmins.Include(c.who)}}, nil
}

// check answers whether the caller may do something or, for a sysadmin who asks, whether somebody else may.
func (s *Server) check(c *call) (reply, error) {
	q := rbac.Question{API: c.body.filled("api"), Resource: c.body.filled("resource"), Verb: c.body.filled("verb")}
	set(&q.Namespace, c.body.text("namespace"))
	who, other := c.who, auth.Identity{}
	named := c.body.has("user") || c.body.has("groups")
	if named {
		other = auth.Identity{User: c.body.filled("user")}
		if c.body.has("groups") {
			other.Groups = c.body.texts("groups")
		}
	}
	if err := c.body.end(); err != nil {
		return reply{}, err
	}
	if named {
		if !s.sysadmins.Include(who) {
			return reply{}, refuse(http.StatusForbidden, "user %q may not ask about others: leave user and groups out to ask about yourself, or ask a sysadmin", clip(who.User))
		}
		who = other
	}
	answer, err := s.judge(who, q)
	return reply{body: answer}, err
}

// judge decides in the order in which the answer is promised: who is asked about, then what.
func (s *Server) judge(who auth.Identity, q rbac.Question) (api.Decision, error) {
	switch {
	case s.sysadmins.Include(who):
		s.metrics.decided(causeSysadmin)
		return api.Decision{Allowed: true, Reason: fmt.Sprintf("user %q is a sysadmin", clip(who.User))}, nil
	case s.isOwn(q.API):
		return s.judgeOwn(who, q)
	}
	return s.explain(who, q, s.policy.Check)
}

func (s *Server) explain(who auth.Identity, q rbac.Question,
	decide func(auth.Identity, rbac.Question) (rbac.Decision, error),
) (api.Decision, error) {
	d, err := decide(who, q)
	if err != nil {
		s.metrics.decided(causeUnknown)
		return api.Decision{}, unknown(err)
	}
	s.metrics.decided(d.Cause)
	return api.Decision{Allowed: d.Allowed(), Reason: d.Explain(who, q)}, nil
}

func (s *Server) isOwn(name string) bool {
	for i := range s.builtin {
		if s.builtin[i].Name == name {
			return true
		}
	}
	return false
}

// judgeOwn says of an API of Kayra itself what its gate would say.
func (s *Server) judgeOwn(who auth.Identity, q rbac.Question) (api.Decision, error) {
	refused := func(cause rbac.Cause, format string, args ...any) (api.Decision, error) {
		s.metrics.decided(cause)
		return api.Decision{Reason: fmt.Sprintf(format, args...)}, nil
	}
	rt := s.ownRoute(q)
	switch {
	case rt == nil:
		return refused(causeNothing, "%s has no resource %q with the verb %q", q.API, clip(q.Resource), clip(q.Verb))
	case rt.gate == authenticated:
		s.metrics.decided(causeAuthenticated)
		return api.Decision{Allowed: true, Reason: "anyone who is authenticated may"}, nil
	case rt.gate == sysadmin:
		return refused(causeNotSysadmin, "%s is for sysadmins alone, and %s is none", q.Resource, rbac.Describe(who))
	}
	if !strings.Contains(rt.path, "{ns}") {
		q.Namespace = ""
	}
	return s.explain(who, q, s.policy.Permit)
}

// ownRoute is the route that the question is about, or nil. Where there are two, one of them is in a namespace.
func (s *Server) ownRoute(q rbac.Question) *route {
	var found *route
	for i := range s.own {
		rt := &s.own[i]
		if rt.resource != q.Resource || rt.verb != q.Verb || rt.group() != q.API {
			continue
		}
		if inside := strings.Contains(rt.path, "{ns}"); found == nil || inside == (q.Namespace != "") {
			found = rt
		}
	}
	return found
}
