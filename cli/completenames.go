package cli

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strings"

	"kayra/cli/complete"
	"kayra/server/api"
	"kayra/store/catalog"
)

// contextNames finds the contexts.
func (e *env) contextNames() finder {
	return func(context.Context, query) []complete.Suggestion {
		all, err := e.readContexts()
		if err != nil {
			return nil
		}
		out := make([]complete.Suggestion, len(all.All))
		for i, x := range all.All {
			out[i] = complete.Suggestion{Value: x.Name, Note: x.Server + when(x.Name == all.Current, ", current")}
		}
		return out
	}
}

// apis finds the registrations: for those who may read them with what stands in them, and else as APIs that there are.
func (e *env) apis() finder {
	return e.asking(func(ctx context.Context, a *asker, _ query) []complete.Suggestion {
		groups, err := a.knownGroups(ctx)
		if err != nil {
			return nil
		}
		if own, err := findGroup(groups, "catalog"); err == nil {
			if all, err := a.list(ctx, a.at, pathOf(own.Name, "", "apiregistrations"), (*row).named); err == nil {
				return all
			}
		}
		var all []complete.Suggestion
		for _, g := range groups {
			if !g.Builtin {
				all = append(all, complete.Suggestion{Value: g.Name, Note: g.ShortName})
			}
		}
		return all
	})
}

// namespaces finds those that subscribe to the API that the command line is about, or else all.
func (e *env) namespaces() finder {
	return e.asking(func(ctx context.Context, a *asker, q query) []complete.Suggestion {
		groups, err := a.knownGroups(ctx)
		if err != nil {
			return nil
		}
		if of := aboutAPI(q); of != "" {
			if all := a.subscribers(ctx, groups, of); all != nil {
				return all
			}
		}
		own, err := findGroup(groups, "catalog")
		if err != nil {
			return nil
		}
		all, err := a.list(ctx, a.at, pathOf(own.Name, "", "namespaces"), (*row).named)
		if err != nil {
			return nil
		}
		return all
	})
}

// aboutAPI is the API that a command line has named so far, or "".
func aboutAPI(q query) string {
	if takesAPI(q.cmd) && len(q.args) == 1 {
		return q.args[0]
	}
	if t := new(target); len(q.args) == 3 && t.readArgs(q.args) == nil && singular(t.resource) == "subscription" {
		return t.name
	}
	return ""
}

// subscribers finds the namespaces that subscribe to the API that is the first argument.
func (e *env) subscribers() finder {
	return e.asking(func(ctx context.Context, a *asker, q query) []complete.Suggestion {
		groups, err := a.knownGroups(ctx)
		if err != nil || len(q.args) == 0 {
			return nil
		}
		return a.subscribers(ctx, groups, q.args[0])
	})
}

func (a *asker) subscribers(ctx context.Context, groups []api.Group, of string) []complete.Suggestion {
	own, err := findGroup(groups, "catalog")
	known, err2 := findGroup(groups, of)
	if err != nil || err2 != nil || known.Builtin {
		return nil
	}
	all, err := a.list(ctx, a.at, pathOf(own.Name, "", "subscriptions")+"?api="+url.QueryEscape(known.Name), (*row).subscriber)
	if err != nil {
		return nil
	}
	return all
}

// pathOf is where the things of a kind are.
func pathOf(group, namespace, resource string) string {
	return (&target{namespace: namespace, resource: resource}).path(group)
}

// targets finds GROUP RESOURCE NAME[/SUB] for what takes one of the verbs.
func (e *env) targets(verbs ...string) finder {
	return e.asking(func(ctx context.Context, a *asker, q query) []complete.Suggestion {
		groups, err := a.knownGroups(ctx)
		if err != nil || len(q.args) > 2 {
			return nil
		}
		if len(q.args) == 0 {
			return groupNames(groups, q.typed)
		}
		group, err := findGroup(groups, q.args[0])
		if err != nil {
			return nil
		}
		if len(q.args) == 1 {
			return resourceNames(group, verbs)
		}
		resource, err := findResource(group, q.args[1])
		if err != nil {
			return nil
		}
		subs := subsOf(group, resource.Name, verbs)
		name, _, below := strings.Cut(q.typed, "/")
		switch {
		case below:
			return around(name+"/", subs, "")
		case takes(resource, verbs) && !slices.Contains(verbs, "create"):
			return a.things(ctx, group, resource, q)
		case len(subs) > 0:
			return around("", a.things(ctx, group, resource, q), "/")
		}
		return nil
	})
}

// groupNames are short where they can be.
func groupNames(groups []api.Group, typed string) []complete.Suggestion {
	all := make([]complete.Suggestion, 0, len(groups))
	taken := map[string]bool{}
	for _, g := range groups {
		s := complete.Suggestion{Value: cmp.Or(g.ShortName, g.Name), Note: g.Name + when(g.Builtin, ", of Kayra")}
		if taken[s.Value] || !strings.HasPrefix(s.Value, typed) {
			s.Value = g.Name
		}
		taken[s.Value] = true
		all = append(all, s)
	}
	return all
}

// resourceNames are those that take one of the verbs, or have something below their things that does.
func resourceNames(group api.Group, verbs []string) []complete.Suggestion {
	var all []complete.Suggestion
	for _, r := range group.Resources {
		base, _, below := strings.Cut(r.Name, "/")
		if !takes(r, verbs) || below && slices.ContainsFunc(all, func(s complete.Suggestion) bool { return s.Value == base }) {
			continue
		}
		note := strings.Join(r.Verbs, ", ") + when(r.Namespaced, "; in a namespace")
		all = append(all, complete.Suggestion{Value: base, Note: note})
	}
	return all
}

func takes(r catalog.Resource, verbs []string) bool {
	return slices.ContainsFunc(r.Verbs, func(verb string) bool { return slices.Contains(verbs, verb) })
}

// subsOf are what stands behind a thing's slash.
func subsOf(group api.Group, resource string, verbs []string) []complete.Suggestion {
	var all []complete.Suggestion
	for _, r := range group.Resources {
		if base, sub, ok := strings.Cut(r.Name, "/"); ok && base == resource && takes(r, verbs) {
			all = append(all, complete.Suggestion{Value: sub, Note: strings.Join(r.Verbs, ", ")})
		}
	}
	return all
}

// around puts a text before and one behind each value.
func around(before string, all []complete.Suggestion, behind string) []complete.Suggestion {
	for i := range all {
		all[i].Value = before + all[i].Value + behind
	}
	return all
}

// things are those of a resource, at the server or behind the gateway.
func (a *asker) things(ctx context.Context, group api.Group, resource catalog.Resource, q query) []complete.Suggestion {
	namespace := ""
	if f := q.cmd.Flag("namespace"); f != nil {
		namespace = f.Value.String()
	}
	if resource.Namespaced != (namespace != "") {
		return nil
	}
	at := a.at
	if !group.Builtin {
		var err error
		if at, err = a.atGateway(group.Name); err != nil {
			return nil
		}
	}
	all, err := a.list(ctx, at, pathOf(group.Name, namespace, resource.Name), (*row).named)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(s complete.Suggestion) bool { return strings.Contains(s.Value, "/") })
}

// questions finds API RESOURCE VERB.
func (e *env) questions() finder {
	return e.asking(func(ctx context.Context, a *asker, q query) []complete.Suggestion {
		groups, err := a.knownGroups(ctx)
		if err != nil || len(q.args) > 2 {
			return nil
		}
		if len(q.args) == 0 {
			return groupNames(groups, q.typed)
		}
		group, err := findGroup(groups, q.args[0])
		if err != nil {
			return nil
		}
		var all []complete.Suggestion
		if len(q.args) == 2 {
			for _, verb := range verbsOf(group, q.args[1]) {
				all = append(all, complete.Suggestion{Value: verb})
			}
			return all
		}
		for _, r := range group.Resources {
			all = append(all, complete.Suggestion{Value: r.Name, Note: strings.Join(r.Verbs, ", ")})
		}
		return all
	})
}
