package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"kayra/server/api"
	"kayra/server/auth"
	"kayra/server/rbac"
	"kayra/store/catalog"
)

// gate says whom a route admits.
type gate int

const (
	open          gate = iota + 1 // everyone
	authenticated                 // everyone who is known
	byRole                        // those to whom a role gives the route's verb on its resource, and sysadmins
	sysadmin                      // sysadmins alone
)

// Policy decides by the roles that callers have; [rbac.Policy] is one. A decision that comes with an error is none: who may
// do what is not known then, and the error says why.
type Policy interface {
	// Permit tells whether a role of the caller's gives what is asked.
	Permit(who auth.Identity, q rbac.Question) (rbac.Decision, error)
	// Check tells the same of a registered API, which must be active, and its subscriber, too.
	Check(who auth.Identity, q rbac.Question) (rbac.Decision, error)
	// Stale fails while the policy cannot decide.
	Stale() error
	// Age is how old what the policy knows may be.
	Age() time.Duration
}

// checkRoutes refuses a route without a gate, and one whose gate has nothing to ask for.
func checkRoutes(routes []route) error {
	for _, rt := range routes {
		asks := rt.gate == byRole || rt.gate == sysadmin
		switch {
		case rt.gate < open || rt.gate > sysadmin:
			return fmt.Errorf("route %s %s has no gate", rt.method, rt.path)
		case asks && (rt.resource == "" || rt.verb == ""):
			return fmt.Errorf("route %s %s has no resource or no verb for its gate to ask for", rt.method, rt.path)
		case len(namesIn(rt.path)) != len(wildcards(rt.path)):
			return fmt.Errorf("route %s %s has a wildcard that is not known to be the name of anything", rt.method, rt.path)
		}
	}
	return nil
}

// admit tells who the request comes from, and refuses whom the route does not admit.
func (s *Server) admit(r *http.Request, rt *route) (auth.Identity, error) {
	if rt.gate == open {
		return auth.Identity{}, nil
	}
	who, err := s.identify(r)
	s.metrics.authenticated(err)
	if excess := s.limit(r, who, err); excess != nil {
		return who, excess
	}
	if err != nil || rt.gate == authenticated {
		return who, err
	}
	cause, err := s.decide(r, rt, who)
	s.metrics.decided(cause)
	return who, err
}

// readmit refuses whom the route does not admit any more. It is about a request that was admitted, and not counted again.
func (s *Server) readmit(r *http.Request, rt *route) error {
	const patience = 3 * time.Second // with the issuer of a token
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	who, err := s.identify(r.WithContext(ctx))
	if err == nil && rt.gate != authenticated {
		_, err = s.decide(r, rt, who)
	}
	return err
}

// decide refuses a caller whom the route does not admit.
func (s *Server) decide(r *http.Request, rt *route, who auth.Identity) (rbac.Cause, error) {
	if s.sysadmins.Include(who) {
		return causeSysadmin, nil
	}
	if rt.gate == sysadmin {
		return causeNotSysadmin, refuse(http.StatusForbidden, "user %q may not %s %s: that is for sysadmins alone, ask one", clip(who.User), rt.verb, rt.resource)
	}
	return s.permit(who, rbac.Question{API: rt.group(), Resource: rt.resource, Verb: rt.verb, Namespace: r.PathValue("ns")})
}

// permit refuses what no role gives.
func (s *Server) permit(who auth.Identity, q rbac.Question) (rbac.Cause, error) {
	d, err := s.policy.Permit(who, q)
	if err != nil {
		return causeUnknown, unknown(err)
	}
	if d.Allowed() {
		return d.Cause, nil
	}
	where := ""
	switch {
	case q.Namespace != "":
		where = " in namespace " + strconv.Quote(clip(q.Namespace))
	case s.isNamespaced(q.Resource):
		where = " in all namespaces"
	}
	return d.Cause, refuse(http.StatusForbidden, "user %q may not %s %s%s: ask a sysadmin for a role that gives it", clip(who.User), q.Verb, q.Resource, where)
}

// isNamespaced tells whether a resource of Kayra's own lives in namespaces.
func (s *Server) isNamespaced(resource string) bool {
	return slices.ContainsFunc(s.builtin, func(g api.Group) bool {
		return slices.ContainsFunc(g.Resources, func(r catalog.Resource) bool { return r.Name == resource && r.Namespaced })
	})
}

// unknown is the refusal while nobody can tell who may do what. Access that was taken away must not outlast a watch that
// is broken.
func unknown(err error) error {
	return refuse(http.StatusServiceUnavailable, "%v: try again, or ask a sysadmin", err)
}
