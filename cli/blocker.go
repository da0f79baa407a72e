package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"kayra/server/api"
	"kayra/store/catalog"
)

// shownBlockers is how many of them a message has. A document has all.
const shownBlockers = 20

// blocker is what keeps something from being deleted.
type blocker struct {
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

func (b blocker) String() string {
	text := singular(b.Resource) + " " + b.Name
	if b.Namespace != "" {
		text += " of namespace " + b.Namespace
	}
	return text
}

// blocked finds out what is in the way of a deletion that was refused, as far as the caller may know it.
func (d *remove) blocked(ctx context.Context, r *route, err error) error {
	if r.app != "" || !errors.Is(err, catalog.ErrConflict) {
		return err
	}
	found, hint := d.blockers(ctx, r)
	if len(found) == 0 {
		return err
	}
	f := &failure{
		code: codeConflict, err: err, blockers: found, hint: hint,
		message: fmt.Sprintf("%s %q cannot be deleted while these are there", singular(d.resource), d.name),
	}
	explainAnswer(f, nil)
	return f
}

func (d *remove) blockers(ctx context.Context, r *route) (found []blocker, hint string) {
	switch r.resource {
	case "namespaces":
		for _, s := range allAt[api.Subscription](ctx, r, r.path+"/subscriptions", url.Values{}) {
			found = append(found, blocker{"subscriptions", d.name, s.API})
		}
		return found, fmt.Sprintf("delete its subscriptions first: `kayra delete catalog -n %s subscriptions NAME`", d.name)
	case "apiregistrations":
		base := strings.TrimSuffix(r.list, "/apiregistrations")
		for _, s := range allAt[api.Subscription](ctx, r, base+"/subscriptions", url.Values{"api": {d.name}}) {
			found = append(found, blocker{"subscriptions", s.Namespace, s.API})
		}
		for _, reg := range allAt[api.Registration](ctx, r, r.list, url.Values{}) {
			if needsOf(reg, api.Registration{Name: d.name, Platform: reg.Platform, Region: reg.Region}) {
				found = append(found, blocker{"apiregistrations", "", reg.Name})
			}
		}
		return found, "delete the subscriptions first, and take it out of depends_on of what needs it"
	case "roles":
		base := strings.TrimSuffix(r.list, "/roles")
		for _, b := range allAt[api.RoleBinding](ctx, r, base+"/rolebindings", url.Values{}) {
			if b.Role == d.name {
				found = append(found, blocker{"rolebindings", "", b.Name})
			}
		}
		return found, "delete those role bindings first, or let them give another role"
	}
	return nil, ""
}

// boundIn are the role bindings that hold in a namespace alone.
func boundIn(ctx context.Context, r *route, namespace string) []api.RoleBinding {
	base := strings.Replace(strings.TrimSuffix(r.list, "/namespaces"), "/apis/catalog.", "/apis/authorization.", 1)
	var bound []api.RoleBinding
	for _, b := range allAt[api.RoleBinding](ctx, r, base+"/rolebindings", url.Values{}) {
		if b.Namespace == namespace {
			bound = append(bound, b)
		}
	}
	return bound
}

// allAt are the things at a path of Kayra itself, as many as can be read.
func allAt[T any](ctx context.Context, r *route, path string, query url.Values) []T {
	var all []T
	for {
		answer, err := r.at.Do(ctx, http.MethodGet, path+"?"+query.Encode(), nil)
		var page api.List[T]
		if err != nil || json.Unmarshal(answer.Body, &page) != nil {
			return all
		}
		all = append(all, page.Items...)
		if page.Continue == "" || page.Continue == query.Get("continue") {
			return all
		}
		query.Set("continue", page.Continue)
	}
}
