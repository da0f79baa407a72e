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

	"kayra/cli/describe"
	"kayra/server/api"
	"kayra/store/catalog"
)

func describeCommand(e *env) *cobra.Command {
	t := &target{}
	cmd := &cobra.Command{
		Use:   "describe GROUP [-n NS] RESOURCE NAME",
		Short: "Tell all there is to know about one thing",
		Long: "Tell all there is to know about one thing, for people: an API registration with\n" +
			"how its subscriptions stand, which fail, and how it is doing where a reconciler\n" +
			"can be asked; a namespace with what it subscribes to; a role with who has it;\n" +
			"anything of an app as a tree of its keys. Scripts take `get NAME -o json`.",
		Example: `  kayra describe catalog apiregistrations compute.example.com
  kayra describe catalog -n sre subscriptions compute.example.com
  kayra describe catalog namespaces sre
  kayra describe authorization roles viewer
  kayra describe compute -n sre machines sre-1`,
		Args: func(_ *cobra.Command, args []string) error {
			if err := t.readArgs(args); err != nil {
				return err
			}
			if t.sub != "" {
				return usage("leave out what stands behind the slash", "%q is no thing to be described", t.named())
			}
			return t.needName("describe")
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := e.remote(cmd)
			if err != nil {
				return err
			}
			text, err := m.describe(cmd.Context(), t)
			if err != nil {
				return err
			}
			return write(e.streams.Out, text)
		},
	}
	addTarget(cmd, t)
	addClient(cmd)
	return cmd
}

// describe asks for all that the caller may know of a thing.
func (m *remote) describe(ctx context.Context, t *target) (string, error) {
	t.lists = true // reconcilers can be listed only
	r, err := m.resolve(ctx, t)
	if err != nil {
		return "", err
	}
	if r.resource == "reconcilers" && r.app == "" {
		return m.describeReconciler(ctx, r, t.name)
	}
	document, err := r.call(ctx, http.MethodGet, "", nil)
	if err != nil {
		return "", err
	}
	if r.app != "" {
		return describe.Thing(document) //nolint:wrapcheck // says it all
	}
	switch r.resource {
	case "apiregistrations":
		return m.describeRegistration(ctx, r, document)
	case "subscriptions":
		s, err := read[api.Subscription](document)
		return describe.Subscription(s), err
	case "namespaces":
		ns, err := read[api.Namespace](document)
		return describe.Namespace(describe.NamespaceFacts{
			Namespace:     ns,
			Subscriptions: allAt[api.Subscription](ctx, r, r.path+"/subscriptions", url.Values{}),
			Bindings:      boundIn(ctx, r, ns.Name),
		}), err
	case "roles":
		return describeRole(ctx, r, document)
	case "rolebindings":
		return describeBinding(ctx, r, document)
	}
	return describe.Thing(document) //nolint:wrapcheck // says it all
}

func read[T any](document []byte) (T, error) {
	var thing T
	if err := json.Unmarshal(document, &thing); err != nil {
		return thing, fmt.Errorf("read answer: %w", err)
	}
	return thing, nil
}

func (m *remote) describeRegistration(ctx context.Context, r *route, document []byte) (string, error) {
	reg, err := read[api.Registration](document)
	if err != nil {
		return "", err
	}
	answer, err := r.at.Do(ctx, http.MethodGet, r.path+"/status?all=true", nil)
	if err != nil {
		return "", err //nolint:wrapcheck // is shown as it is
	}
	status, err := read[api.Status](answer.Body)
	if err != nil {
		return "", err
	}
	f := describe.RegistrationFacts{Registration: reg, Rows: status.Subscriptions}
	for _, other := range allAt[api.Registration](ctx, r, r.list, url.Values{}) {
		if needsOf(other, reg) {
			f.NeededBy = append(f.NeededBy, other.Name)
		}
	}
	alive := allAt[api.Reconciler](ctx, r, strings.TrimSuffix(r.list, "apiregistrations")+"reconcilers", url.Values{})
	f.Reconciler, f.Info = m.askAbout(ctx, alive, reg.Name)
	return describe.Registration(f), nil
}

// needsOf tells whether a registration depends on another one of its scope.
func needsOf(reg, on api.Registration) bool {
	return slices.ContainsFunc(reg.DependsOn, func(d catalog.Dependency) bool {
		return d.Name == on.Name && d.Platform == on.Platform && d.Region == on.Region
	})
}

func describeRole(ctx context.Context, r *route, document []byte) (string, error) {
	role, err := read[api.Role](document)
	f := describe.RoleFacts{Role: role}
	for _, b := range allAt[api.RoleBinding](ctx, r, strings.TrimSuffix(r.list, "roles")+"rolebindings", url.Values{}) {
		if b.Role == role.Name {
			f.Bindings = append(f.Bindings, b)
		}
	}
	return describe.Role(f), err
}

func describeBinding(ctx context.Context, r *route, document []byte) (string, error) {
	b, err := read[api.RoleBinding](document)
	if err != nil {
		return "", err
	}
	f := describe.BindingFacts{Binding: b}
	answer, err := r.at.Do(ctx, http.MethodGet, strings.TrimSuffix(r.list, "rolebindings")+"roles/"+url.PathEscape(b.Role), nil)
	switch {
	case errors.Is(err, catalog.ErrNotFound): // just deleted, with the binding
	case err != nil:
		return "", err //nolint:wrapcheck // is shown as it is
	default:
		role, err := read[api.Role](answer.Body)
		if err != nil {
			return "", err
		}
		f.Role = &role
	}
	return describe.Binding(f), nil
}

func (m *remote) describeReconciler(ctx context.Context, r *route, id string) (string, error) {
	answer, err := r.at.Do(ctx, http.MethodGet, r.list, nil)
	if err != nil {
		return "", err //nolint:wrapcheck // is shown as it is
	}
	all, err := read[api.List[api.Reconciler]](answer.Body)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, one := range all.Items {
		if one.ID == id {
			return describe.Reconciler(one), nil
		}
		ids = append(ids, one.ID)
	}
	return "", unknown(id, ids, fmt.Sprintf("no reconciler that is alive has the id %q", id), "`kayra get catalog reconcilers` lists those that are")
}
