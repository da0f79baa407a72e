package server

import (
	"net/http"
	"slices"

	"kayra/notice"
	"kayra/server/api"
	"kayra/server/watch"
)

// routes is every route.
func (s *Server) routes() []route {
	return slices.Concat(s.catalogRoutes(), s.authorizationRoutes(), s.gatewayRoutes(), s.systemRoutes())
}

// catalogRoutes are what there is. What a wildcard in a path is the name of is said by its own name: see namesIn.
func (s *Server) catalogRoutes() []route {
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
		filters       = watched(append([]string{"api", "state", "synced"}, paging()...)...)
	)
	tries := []string{dryRun}
	return []route{
		{get, "/apis", "", "", authenticated, s.listGroups, nil, nil, api.Groups{}},

		{get, namespaces, namespace, "list", byRole, s.orWatch(s.listNamespaces, listOf(watch.Namespaces)), watched(paging()...), nil, api.List[api.Namespace]{}},
		{post, namespaces, namespace, "create", byRole, s.createNamespace, nil, api.Namespace{}, api.Namespace{}},
		{get, namespaces + "/{ns}", namespace, "get", byRole, s.getNamespace, nil, nil, api.Namespace{}},
		{put, namespaces + "/{ns}", namespace, "update", byRole, s.updateNamespace, nil, api.Namespace{}, api.Namespace{}},
		{del, namespaces + "/{ns}", namespace, "delete", byRole, s.deleteNamespace, nil, nil, nil},

		{get, registrations, registration, "list", sysadmin, s.orWatch(s.listRegistrations, listOf(watch.Registrations)), watched(paging()...), nil, api.List[api.Registration]{}},
		{post, registrations, registration, "create", sysadmin, s.createRegistration, tries, api.Registration{}, api.Registration{}},
		{get, registrations + one, registration, "get", sysadmin, s.getRegistration, nil, nil, api.Registration{}},
		{put, registrations + one, registration, "update", sysadmin, s.updateRegistration, tries, api.Registration{}, api.Registration{}},
		{patch, registrations + one, registration, "patch", sysadmin, s.updateRegistration, tries, api.Registration{}, api.Registration{}},
		{del, registrations + one, registration, "delete", sysadmin, s.deleteRegistration, nil, nil, nil},
		{put, registrations + one + "/sync", registration + "/sync", "patch", sysadmin, s.syncRegistration, nil, api.Sync{}, api.Registration{}},
		{get, registrations + one + "/status", registration + "/status", "get", sysadmin, s.orWatch(s.getStatus, s.watchStatus), watched("all"), nil, api.Status{}},
		{get, registrations + one + "/openapi.json", registration + "/openapi.json", "get", authenticated, s.getDocument, nil, nil, raw{}},

		{get, subscriptions, subscription, "list", byRole, s.orWatch(s.listSubscriptions, s.watchNamespace), watched(paging()...), nil, api.List[api.Subscription]{}},
		{post, subscriptions, subscription, "create", byRole, s.createSubscription, nil, api.Subscription{}, api.Subscription{}},
		{get, subscriptions + "/{api}", subscription, "get", byRole, s.getSubscription, nil, nil, api.Subscription{}},
		{put, subscriptions + "/{api}", subscription, "update", byRole, s.updateSubscription, nil, api.Subscription{}, api.Subscription{}},
		{del, subscriptions + "/{api}", subscription, "delete", byRole, s.deleteSubscription, nil, nil, nil},
		{put, subscriptions + "/{api}/sync", subscription + "/sync", "patch", byRole, s.syncSubscription, nil, api.Ack{}, api.Subscription{}},
		{get, catalog + "/subscriptions", subscription, "list", byRole, s.orWatch(s.listAllSubscriptions, watchSubscriptions), filters, nil, api.List[api.Subscription]{}},

		{get, catalog + "/reconcilers", "reconcilers", "list", sysadmin, s.orWatch(s.listReconcilers, listOf(watch.Reconcilers)), watched(), nil, api.List[api.Reconciler]{}},
	}
}

// authorizationRoutes are who may do what with it.
func (s *Server) authorizationRoutes() []route {
	const (
		get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete

		role, binding = "roles", "rolebindings"
	)
	var (
		authorization = "/apis/authorization." + s.domain + "/v1"
		roles         = authorization + "/roles"
		bindings      = authorization + "/rolebindings"
	)
	return []route{
		{post, authorization + "/check", "check", "create", authenticated, s.check, nil, api.Check{}, api.Decision{}},
		{get, authorization + "/whoami", "whoami", "get", authenticated, s.whoAmI, nil, nil, api.Caller{}},
		{get, roles, role, "list", sysadmin, s.orWatch(s.listRoles, listOf(watch.Roles)), watched(paging()...), nil, api.List[api.Role]{}},
		{post, roles, role, "create", sysadmin, s.createRole, nil, api.Role{}, api.Role{}},
		{get, roles + "/{role}", role, "get", sysadmin, s.getRole, nil, nil, api.Role{}},
		{put, roles + "/{role}", role, "update", sysadmin, s.updateRole, nil, api.Role{}, api.Role{}},
		{patch, roles + "/{role}", role, "patch", sysadmin, s.updateRole, nil, api.Role{}, api.Role{}},
		{del, roles + "/{role}", role, "delete", sysadmin, s.deleteRole, nil, nil, nil},
		{get, bindings, binding, "list", sysadmin, s.orWatch(s.listRoleBindings, listOf(watch.RoleBindings)), watched(paging()...), nil, api.List[api.RoleBinding]{}},
		{post, bindings, binding, "create", sysadmin, s.createRoleBinding, nil, api.RoleBinding{}, api.RoleBinding{}},
		{get, bindings + "/{binding}", binding, "get", sysadmin, s.getRoleBinding, nil, nil, api.RoleBinding{}},
		{put, bindings + "/{binding}", binding, "update", sysadmin, s.updateRoleBinding, nil, api.RoleBinding{}, api.RoleBinding{}},
		{patch, bindings + "/{binding}", binding, "patch", sysadmin, s.updateRoleBinding, nil, api.RoleBinding{}, api.RoleBinding{}},
		{del, bindings + "/{binding}", binding, "delete", sysadmin, s.deleteRoleBinding, nil, nil, nil},
	}
}

// gatewayRoutes are what this process tells of itself, and does for reconcilers. They are part of no API.
func (s *Server) gatewayRoutes() []route {
	const get, post = http.MethodGet, http.MethodPost
	return []route{
		{get, "/katalog", "katalog", "list", sysadmin, s.getKatalog, nil, nil, api.Katalog{}},
		{get, "/katalog/{api}", "katalog", "get", sysadmin, s.getFigures, nil, nil, api.KatalogOne{}},
		{post, "/notify", "notifications", "create", sysadmin, s.notify, nil, notice.Request{}, notice.Answer{}},
	}
}

func (s *Server) systemRoutes() []route {
	const get = http.MethodGet
	return []route{
		{get, "/-/healthz", "", "", open, s.getHealth, nil, nil, api.Health{}},
		{get, "/-/readyz", "", "", open, s.getReadiness, nil, nil, api.Health{}},
		{get, "/-/metrics", "", "", open, s.getMetrics, nil, nil, raw{}},
		{get, "/-/metadata", "", "", open, s.getMetadata, nil, nil, api.Metadata{}},
		{get, "/-/openapi.json", "", "", open, s.getOwnDocument, nil, nil, raw{}},
		{get, docsPath, "", "", open, s.getDocs, nil, nil, raw{}},
		{get, docsPath + "/{file}", "", "", open, s.getDocsFile, nil, nil, raw{}},
	}
}
