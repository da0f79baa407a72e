package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kayra/server/api"
	"kayra/server/client"
	"kayra/store/catalog"
)

// route is a target that was found.
type route struct {
	at       *client.Client
	path     string
	list     string // path of the list that it is, or is one of
	resource string // as messages and the printer know it: apiregistrations, apiregistrations/status
	app      string // whose resource it is, behind the gateway; "" for Kayra's own
	gateway  string

	everywhere bool // the resource lives in namespaces, and no namespace is given
}

// call makes a request and gives the body of its answer.
func (r *route) call(ctx context.Context, method, query string, body []byte) ([]byte, error) {
	answer, err := r.send(ctx, method, query, body, "")
	return answer.Body, err
}

// send is call with the whole of the answer. Unless tag is empty, it is the entity tag without which nothing is written.
func (r *route) send(ctx context.Context, method, query string, body []byte, tag string) (client.Answer, error) {
	path := r.path
	if query != "" {
		path += "?" + query
	}
	answer, err := r.at.Send(ctx, client.Request{Method: method, Path: path, Body: body, IfMatch: tag})
	return answer, r.failed(err, method, path)
}

// failed is the failure of a request, or nil.
func (r *route) failed(err error, method, path string) error {
	switch {
	case err != nil && r.app != "":
		return &appError{error: err, app: r.app, request: method + " " + r.gateway + path, everywhere: r.everywhere}
	case err != nil && r.everywhere:
		return &everywhereError{err}
	}
	return err
}

// appError is the failure of a request that went through the gateway, to what is not Kayra.
type appError struct {
	error

	app, request string
	everywhere   bool
}

// Error is the app's reason. Where it gave none, it is not Kayra's URL that is in doubt.
func (e *appError) Error() string {
	refused, ok := errors.AsType[*client.Error](e.error)
	if !ok || !refused.Bare || refused.Status < http.StatusBadRequest {
		return e.error.Error()
	}
	return fmt.Sprintf("%s, which is behind the gateway, answered %d %s without a reason", e.app, refused.Status, http.StatusText(refused.Status))
}

func (e *appError) Unwrap() error { return e.error }

func (e *appError) hint(status int, at *place) string {
	switch {
	case e.everywhere && (status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusForbidden):
		return fmt.Sprintf("%s; this was %s", nameNamespace, e.request)
	case status == unauthenticated && at.withheld():
		return fmt.Sprintf("the token of %s is not sent to reconciler.gateway_url; `kayra login --gateway URL` stores where it may go", at)
	case status != 0 && at.ownGateway:
		return fmt.Sprintf("%s was asked, behind the gateway of %s: %s", e.app, at, e.request)
	case status != 0:
		return fmt.Sprintf("%s was asked, behind reconciler.gateway_url: %s", e.app, e.request)
	case at.ownGateway:
		return fmt.Sprintf("the gateway is that of %s; `kayra login --gateway URL` stores another one", at)
	}
	return "reconciler.gateway_url in kayra.yaml or KAYRA_RECONCILER_GATEWAY_URL says where the gateway is"
}

// everywhereError is the failure of a request about all namespaces.
type everywhereError struct{ error }

func (e *everywhereError) Unwrap() error { return e.error }

const nameNamespace = "all namespaces were asked for: name one with -n NAMESPACE"

// resolve finds a target among the APIs that the server knows. A resource of Kayra itself is at the server, one of a
// registered app behind the gateway.
func (m *remote) resolve(ctx context.Context, t *target) (*route, error) {
	groups, err := m.groups(ctx)
	if err != nil {
		return nil, err
	}
	return m.resolveIn(groups, t)
}

// resolveIn is resolve among APIs that have been asked for.
func (m *remote) resolveIn(groups []api.Group, t *target) (*route, error) {
	group, err := findGroup(groups, t.group)
	if err != nil {
		return nil, err
	}
	resource, err := findResource(group, t.resource)
	if err != nil {
		return nil, err
	}
	t.resource = resource.Name
	if err := t.checkNamespace(resource.Namespaced); err != nil {
		return nil, err
	}
	all := *t
	all.name, all.sub = "", ""
	r := &route{at: m.at, path: t.path(group.Name), list: all.path(group.Name), resource: t.resource, everywhere: resource.Namespaced && t.namespace == ""}
	if t.sub != "" {
		r.resource += "/" + t.sub
	}
	if !group.Builtin {
		r.app, r.gateway = group.Name, strings.TrimSuffix(m.gateway, "/")
		r.at, err = m.atGateway(group.Name)
	}
	return r, err
}

// groups asks the server which APIs there are.
func (m *remote) groups(ctx context.Context) ([]api.Group, error) {
	answer, err := m.at.Do(ctx, http.MethodGet, "/apis", nil)
	if err != nil {
		return nil, err //nolint:wrapcheck // is shown as it is
	}
	var groups api.Groups
	if err := json.Unmarshal(answer.Body, &groups); err != nil {
		return nil, fmt.Errorf("read list of APIs: %w", err)
	}
	return groups.APIs, nil
}

// findGroup takes a long name before a short one, and Kayra's own before an app's of the same short name.
func findGroup(groups []api.Group, name string) (api.Group, error) {
	long := func(g api.Group) bool { return g.Name == name }
	own := func(g api.Group) bool { return g.ShortName == name && g.Builtin }
	short := func(g api.Group) bool { return g.ShortName == name }
	for _, is := range []func(api.Group) bool{long, own, short} {
		if i := slices.IndexFunc(groups, is); i >= 0 {
			return groups[i], nil
		}
	}
	var names []string
	for _, g := range groups {
		names = append(names, g.Name)
		if g.ShortName != "" {
			names = append(names, g.ShortName)
		}
	}
	return api.Group{}, unknown(name, names, fmt.Sprintf("there is no API group %q", name), "`kayra apis` lists those there are")
}

// findResource takes one of a resource for the resource, and a resource that has actions only.
func findResource(group api.Group, name string) (catalog.Resource, error) {
	names := make([]string, 0, len(group.Resources))
	var found *catalog.Resource
	for i, r := range group.Resources {
		base, _, action := strings.Cut(r.Name, "/")
		if base != name && base != name+"s" {
			names = append(names, base)
			continue
		}
		if found == nil || !action {
			found = &group.Resources[i]
		}
	}
	if found != nil {
		base, _, _ := strings.Cut(found.Name, "/")
		return catalog.Resource{Name: base, Namespaced: found.Namespaced, Verbs: found.Verbs}, nil
	}
	message := fmt.Sprintf("%s has no resource %q", group.Name, name)
	if len(names) == 0 {
		return catalog.Resource{}, unknown(name, nil, message, "none are known of it yet: its OpenAPI document has not been fetched")
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return catalog.Resource{}, unknown(name, names, message, "it has "+strings.Join(names, ", "))
}

// unknown is the failure for a name that is none, with those that were probably meant, which cobra finds as it does
// those of a mistyped verb.
func unknown(name string, among []string, message, otherwise string) error {
	candidates := &cobra.Command{SuggestionsMinimumDistance: nearby}
	for _, candidate := range among {
		candidates.AddCommand(&cobra.Command{Use: candidate, Run: func(*cobra.Command, []string) {}})
	}
	hint := otherwise
	if near := candidates.SuggestionsFor(name); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s? %s", strings.Join(near, " or "), otherwise)
	}
	return &failure{code: codeNotFound, message: message, hint: hint}
}

func (t *target) checkNamespace(namespaced bool) error {
	switch {
	case namespaced && t.namespace == "" && (t.name != "" || !t.lists):
		return usage("say which with -n NAMESPACE", "%s live in a namespace, and none is given", t.resource)
	case !namespaced && (t.namespace != "" || t.all):
		return usage("leave out -n and -A", "%s do not live in a namespace", t.resource)
	}
	return nil
}

// path is where a target is, below the server or the gateway.
func (t *target) path(group string) string {
	parts := []string{"apis", group, "v1"}
	if t.namespace != "" {
		parts = append(parts, "namespaces", t.namespace)
	}
	parts = append(parts, t.resource)
	if t.name != "" {
		parts = append(parts, t.name)
	}
	if t.sub != "" {
		parts = append(parts, strings.Split(t.sub, "/")...)
	}
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	return "/" + strings.Join(parts, "/")
}
