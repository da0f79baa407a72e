package server

import (
	"net/http"

	"kayra/server/api"
)

// routes is every route. The wildcard {ns} is a namespace; {name} and {api} are the name of a registration.
func (s *Server) routes() []route {
	const (
		get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete

		namespace, registration, subscription = "namespaces", "apiregistrations", "subscriptions"
	)
	var (
		catalog       = "/apis/catalog." + s.domain + "/v1"
		namespaces    = catalog + "/namespaces"
		registrations = catalog + "/apiregistrations"
		subscriptions = namespaces + "/{ns}/subscriptions"
		one           = "/{name}"
		filters       = append([]string{"api", "state", "synced"}, paging()...)
	)
	return []route{
		{get, "/apis", "", "", authenticated, s.listGroups, nil, nil, api.Groups{}},

		{get, namespaces, namespace, "list", rbac, s.listNamespaces, paging(), nil, api.List[api.Namespace]{}},
		{post, namespaces, namespace, "create", rbac, s.createNamespace, nil, api.Namespace{}, api.Namespace{}},
		{get, namespaces + "/{ns}", namespace, "get", rbac, s.getNamespace, nil, nil, api.Namespace{}},
		{put, namespaces + "/{ns}", namespace, "update", rbac, s.updateNamespace, nil, api.Namespace{}, api.Namespace{}},
		{del, namespaces + "/{ns}", namespace, "delete", rbac, s.deleteNamespace, nil, nil, nil},

		{get, registrations, registration, "list", sysadmin, s.listRegistrations, paging(), nil, api.List[api.Registration]{}},
		{post, registrations, registration, "create", sysadmin, s.createRegistration, nil, api.Registration{}, api.Registration{}},
		{get, registrations + one, registration, "get", sysadmin, s.getRegistration, nil, nil, api.Registration{}},
		{put, registrations + one, registration, "update", sysadmin, s.updateRegistration, nil, api.Registration{}, api.Registration{}},
		{patch, registrations + one, registration, "patch", sysadmin, s.updateRegistration, nil, api.Registration{}, api.Registration{}},
		{del, registrations + one, registration, "delete", sysadmin, s.deleteRegistration, nil, nil, nil},
		{put, registrations + one + "/sync", registration + "/sync", "patch", sysadmin, s.syncRegistration, nil, api.Sync{}, api.Registration{}},
		{get, registrations + one + "/status", registration + "/status", "get", sysadmin, s.getStatus, []string{"all"}, nil, api.Status{}},
		{get, registrations + one + "/openapi.json", registration + "/openapi.json", "get", authenticated, s.getDocument, nil, nil, raw{}},

		{get, subscriptions, subscription, "list", rbac, s.listSubscriptions, paging(), nil, api.List[api.Subscription]{}},
		{post, subscriptions, subscription, "create", rbac, s.createSubscription, nil, api.Subscription{}, api.Subscription{}},
		{get, subscriptions + "/{api}", subscription, "get", rbac, s.getSubscription, nil, nil, api.Subscription{}},
		{put, subscriptions + "/{api}", subscription, "update", rbac, s.updateSubscription, nil, api.Subscription{}, api.Subscription{}},
		{del, subscriptions + "/{api}", subscription, "delete", rbac, s.deleteSubscription, nil, nil, nil},
		{put, subscriptions + "/{api}/sync", subscription + "/sync", "patch", rbac, s.syncSubscription, nil, api.Ack{}, api.Subscription{}},
		{get, catalog + "/subscriptions", subscription, "list", rbac, s.listAllSubscriptions, filters, nil, api.List[api.Subscription]{}},

		{get, catalog + "/reconcilers", "reconcilers", "list", sysadmin, s.listReconcilers, nil, nil, api.List[api.Reconciler]{}},

		{get, "/-/healthz", "", "", open, s.getHealth, nil, nil, api.Health{}},
		{get, "/-/readyz", "", "", open, s.getReadiness, nil, nil, api.Health{}},
		{get, "/-/metrics", "", "", open, s.getMetrics, nil, nil, raw{}},
		{get, "/-/metadata", "", "", open, s.getMetadata, nil, nil, api.Metadata{}},
		{get, "/-/openapi.json", "", "", open, s.getOwnDocument, nil, nil, raw{}},
	}
}
