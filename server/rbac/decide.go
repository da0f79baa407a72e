package rbac

import (
	"fmt"
	"strconv"
	"strings"

	"kayra/server/auth"
)

// Question is what somebody wants to do.
type Question struct {
	API       string // long name
	Resource  string // a sub-resource by its own name
	Verb      string
	Namespace string // "": none
}

// Cause is what decided.
type Cause string

// The causes.
const (
	CauseRole                 Cause = "role" // the only one that allows
	CauseUnregistered         Cause = "unregistered"
	CauseAPIInactive          Cause = "api_inactive"
	CauseNoNamespace          Cause = "no_namespace"
	CauseNamespaceInactive    Cause = "namespace_inactive"
	CauseNotSubscribed        Cause = "not_subscribed"
	CauseSubscriptionInactive Cause = "subscription_inactive"
	CauseNoRole               Cause = "no_role"
)

// Causes are all that a [Decision] may have.
func Causes() []Cause {
	return []Cause{
		CauseRole, CauseUnregistered, CauseAPIInactive, CauseNoNamespace, CauseNamespaceInactive, CauseNotSubscribed,
		CauseSubscriptionInactive, CauseNoRole,
	}
}

// Decision is the answer to a [Question].
type Decision struct {
	Cause   Cause
	Role    string // of CauseRole
	Binding string // of CauseRole: what gives the role
}

// Allowed tells whether the answer is yes.
func (d Decision) Allowed() bool { return d.Cause == CauseRole }

// permit looks for a role that gives what is asked: the user's before those of the groups, and of each the cluster-wide
// ones first.
func (k *records) permit(id *auth.Identity, q *Question) Decision {
	mark := k.marker.question(q)
	b := k.first(k.users[id.User], q, mark)
	for i := 0; b == nil && i < len(id.Groups); i++ {
		b = k.first(k.groups[id.Groups[i]], q, mark)
	}
	if b == nil {
		return Decision{Cause: CauseNoRole}
	}
	return Decision{Cause: CauseRole, Role: b.roleName, Binding: b.name}
}

// first is the first of a holder's bindings that gives what is asked.
func (k *records) first(h *holder, q *Question, mark mark) *binding {
	if h == nil {
		return nil
	}
	b := k.firstOf(h.everywhere, q, mark)
	if b == nil && q.Namespace != "" {
		b = k.firstOf(h.in[q.Namespace], q, mark)
	}
	return b
}

func (k *records) firstOf(list []held, q *Question, mark mark) *binding {
	for i := range list {
		if k.marks[list[i].slot]&mark != 0 && list[i].role.gives(q) {
			return list[i].binding
		}
	}
	return nil
}

// check goes through what must hold, in order.
func (k *records) check(id *auth.Identity, q *Question) Decision {
	a := k.apis[q.API]
	switch {
	case a == nil || !a.registered:
		return Decision{Cause: CauseUnregistered}
	case !a.active:
		return Decision{Cause: CauseAPIInactive}
	case q.Namespace == "":
		return k.permit(id, q)
	}
	if active, there := k.namespaces[q.Namespace]; !there {
		return Decision{Cause: CauseNoNamespace}
	} else if !active {
		return Decision{Cause: CauseNamespaceInactive}
	}
	if active, there := a.tenants[q.Namespace]; !there {
		return Decision{Cause: CauseNotSubscribed}
	} else if !active {
		return Decision{Cause: CauseSubscriptionInactive}
	}
	return k.permit(id, q)
}

// Explain is the decision in a sentence for a person, who is told what to change.
func (d Decision) Explain(id auth.Identity, q Question) string {
	api, namespace := clip(q.API), strconv.Quote(clip(q.Namespace))
	switch d.Cause {
	case CauseRole:
		return fmt.Sprintf("role %q through role binding %q allows it", d.Role, d.Binding)
	case CauseUnregistered:
		return fmt.Sprintf("no API %s is registered in this deployment", strconv.Quote(api))
	case CauseAPIInactive:
		return fmt.Sprintf("API registration %q is not active: its owner has switched it off", api)
	case CauseNoNamespace:
		return "there is no namespace " + namespace
	case CauseNamespaceInactive:
		return fmt.Sprintf("namespace %s is not active yet: a reconciler activates it", namespace)
	case CauseNotSubscribed:
		return fmt.Sprintf("namespace %s is not subscribed to %s", namespace, api)
	case CauseSubscriptionInactive:
		return fmt.Sprintf("the subscription of namespace %s to %s is not active yet: its first sync has not succeeded", namespace, api)
	case CauseNoRole:
	}
	where := "cluster-wide"
	if q.Namespace != "" {
		where = "in namespace " + namespace
	}
	return fmt.Sprintf("no role of %s gives %s on %s of %s %s", Describe(id), clip(q.Verb), clip(q.Resource), api, where)
}

// Describe names an identity: its user, and some of its groups.
func Describe(id auth.Identity) string {
	const named = 5
	user := "user " + strconv.Quote(clip(id.User))
	if len(id.Groups) == 0 {
		return user + " (no groups)"
	}
	some := make([]string, 0, named+1)
	for _, g := range id.Groups[:min(named, len(id.Groups))] {
		some = append(some, clip(g))
	}
	if more := len(id.Groups) - named; more > 0 {
		some = append(some, fmt.Sprintf("%d more", more))
	}
	return user + " (groups " + strings.Join(some, ", ") + ")"
}

// clip keeps a sentence readable, whatever was asked.
func clip(value string) string {
	const most = 80
	if len(value) <= most {
		return value
	}
	return strings.ToValidUTF8(value[:most], "") + "…"
}
