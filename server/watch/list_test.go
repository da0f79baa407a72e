package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"kayra/server/api"
	"kayra/server/watch"
	"kayra/store/catalog"
)

// listed is what the list of a topic has, and what it says beside that, as the REST API answers it.
func listed(ctx context.Context, r *catalog.Repository, t watch.Topic) (rows map[string]string, head string, err error) {
	rows = map[string]string{}
	add := func(value any) {
		text := text(value)
		rows[identity(t, text)] = text
	}
	all := catalog.PageRequest{}
	head = "{}"
	switch t.Of {
	case watch.Namespaces:
		err = items(add, api.NewNamespace)(r.Namespaces(ctx, all))
	case watch.Registrations:
		err = items(add, api.NewRegistration)(r.Registrations(ctx, all))
	case watch.Roles:
		err = items(add, api.NewRole)(r.Roles(ctx, all))
	case watch.RoleBindings:
		err = items(add, api.NewRoleBinding)(r.RoleBindings(ctx, all))
	case watch.NamespaceSubscriptions:
		err = items(add, api.NewSubscription)(r.NamespaceSubscriptions(ctx, t.Namespace, all))
	case watch.Subscriptions:
		f := catalog.Filter{API: t.API, State: t.State}
		if t.Synced != "" {
			want := t.Synced == watch.OnlySynced
			f.Synced = &want
		}
		err = items(add, api.NewSubscription)(r.Subscriptions(ctx, f, all))
	case watch.Reconcilers:
		var alive []catalog.Reconciler
		alive, err = r.Reconcilers(ctx)
		for i := range alive {
			add(api.NewReconciler(&alive[i]))
		}
	case watch.Status:
		var is catalog.Status
		if is, err = r.Status(ctx, t.API, t.All); err == nil {
			answer := api.NewStatus(&is, t.All)
			for i := range answer.Subscriptions {
				add(answer.Subscriptions[i])
			}
			whole := text(answer)
			head = whole[:strings.Index(whole, `,"subscriptions":`)] + "}"
		}
	}
	return rows, head, err
}

func items[R, T any](add func(any), answer func(*R) T) func(catalog.Page[R], error) error {
	return func(p catalog.Page[R], err error) error {
		for i := range p.Items {
			add(answer(&p.Items[i]))
		}
		return err
	}
}

func text(value any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}
