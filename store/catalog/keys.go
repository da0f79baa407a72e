package catalog

import (
	"strings"
)

// Scope is the platform and the region that a deployment runs in. Both are DNS labels.
type Scope struct {
	Platform string
	Region   string
}

func (s Scope) String() string { return s.Platform + "/" + s.Region }

// Prefix is the prefix of all that a process watches.
func (s Scope) Prefix() string { return "scopes/" + s.String() + "/" }

const depgraphKey = "depgraph"

func (s Scope) registrationKey(name string) string { return s.Prefix() + "registrations/" + name }

func (s Scope) shortNameKey(short string) string { return s.Prefix() + "shortnames/" + short }

func (s Scope) namespaceKey(name string) string { return s.Prefix() + "namespaces/" + name }

func (s Scope) subscriptionsPrefix(api string) string {
	return s.Prefix() + "subscriptions/" + api + "/"
}

func (s Scope) subscriptionKey(api, namespace string) string {
	return s.subscriptionsPrefix(api) + namespace
}

func (s Scope) byNamespacePrefix(namespace string) string {
	return s.Prefix() + "by-namespace/" + namespace + "/"
}

func (s Scope) byNamespaceKey(namespace, api string) string {
	return s.byNamespacePrefix(namespace) + api
}

func (s Scope) specKey(api string) string { return s.Prefix() + "specs/" + api }

func (s Scope) rolesPrefix() string { return s.Prefix() + "roles/" }

func (s Scope) roleKey(name string) string { return s.rolesPrefix() + name }

func (s Scope) roleBindingsPrefix() string { return s.Prefix() + "rolebindings/" }

func (s Scope) roleBindingKey(name string) string { return s.roleBindingsPrefix() + name }

func (s Scope) byRolePrefix(role string) string { return s.Prefix() + "by-role/" + role + "/" }

func (s Scope) byRoleKey(role, binding string) string { return s.byRolePrefix(role) + binding }

func (s Scope) namespaceBindingsPrefix(namespace string) string {
	return s.Prefix() + "namespace-bindings/" + namespace + "/"
}

func (s Scope) namespaceBindingKey(namespace, binding string) string {
	return s.namespaceBindingsPrefix(namespace) + binding
}

func (s Scope) bindingsVersionKey(namespace string) string {
	return s.Prefix() + "bindings-version/" + namespace
}

func (s Scope) bootKey() string { return s.Prefix() + "boot" }

func (s Scope) reconcilersPrefix() string { return s.Prefix() + "reconcilers/" }

func (s Scope) konductorKey() string { return s.Prefix() + "konductor" }

func (s Scope) healthPrefix() string { return s.Prefix() + "health/" }

func (s Scope) healthKey(api string) string { return s.healthPrefix() + api }

func (s Scope) locksPrefix() string { return s.Prefix() + "locks/" }

func (s Scope) subscriptionLocksPrefix(api string) string {
	return s.locksPrefix() + "subscriptions/" + api + "/"
}

func (s Scope) subscriptionLockKey(api, namespace string) string {
	return s.subscriptionLocksPrefix(api) + namespace
}

func (s Scope) specLockKey(api string) string { return s.locksPrefix() + "specs/" + api }

func (s Scope) documentKey(api, syncID string) string {
	return "documents/" + s.String() + "/" + api + "/" + syncID
}

func (s Scope) resourcesKey(api, syncID string) string {
	return "resources/" + s.String() + "/" + api + "/" + syncID
}

func (r Ref) dependentsPrefix() string {
	return "dependents/" + r.Platform + "/" + r.Region + "/" + r.Name + "/"
}

func (r Ref) dependentKey(by Ref) string { return r.dependentsPrefix() + by.String() }

// SubscriptionsPrefix is the prefix of all subscriptions to an API.
func (s Scope) SubscriptionsPrefix(api string) string { return s.subscriptionsPrefix(api) }

// DependencyPrefixes are the prefixes of what those in another scope who depend on this one's registrations follow: the
// registrations, their health and the reconcilers.
func (s Scope) DependencyPrefixes() []string {
	return []string{s.Prefix() + "registrations/", s.healthPrefix(), s.reconcilersPrefix()}
}

// Scope is the scope that the registration is in.
func (r Ref) Scope() Scope { return Scope{Platform: r.Platform, Region: r.Region} }

func (r Ref) registrationKey() string { return r.Scope().registrationKey(r.Name) }

// Kind tells what sort of record a key holds.
type Kind int

// The kinds of records that are found under [Scope.Prefix]. Index keys have KindIndex.
const (
	KindIndex Kind = iota
	KindRegistration
	KindNamespace
	KindSubscription
	KindSpec
	KindBoot
	KindReconciler
	KindSubscriptionLock
	KindSpecLock
	KindRole
	KindRoleBinding
	KindKonductor
	KindHealth
)

func (s Scope) lockKey(id ID) string {
	if id.Kind == KindSpecLock {
		return s.specLockKey(id.API)
	}
	return s.subscriptionLockKey(id.API, id.Namespace)
}

// ID names a record by its kind and the names in its key.
type ID struct {
	Kind      Kind
	API       string // of a registration, a subscription, a spec and their locks, and of a health
	Namespace string // of a namespace, a subscription and its lock
	Name      string // of a reconciler, a role and a role binding
}

// ParseKey tells which record a key under [Scope.Prefix] holds.
func (s Scope) ParseKey(key string) ID {
	parts := strings.Split(strings.TrimPrefix(key, s.Prefix()), "/")
	switch {
	case len(parts) == 1 && parts[0] == "boot":
		return ID{Kind: KindBoot}
	case len(parts) == 1 && parts[0] == "konductor":
		return ID{Kind: KindKonductor}
	case len(parts) == 2 && parts[0] == "health":
		return ID{Kind: KindHealth, API: parts[1]}
	case len(parts) == 2 && parts[0] == "registrations":
		return ID{Kind: KindRegistration, API: parts[1]}
	case len(parts) == 2 && parts[0] == "namespaces":
		return ID{Kind: KindNamespace, Namespace: parts[1]}
	case len(parts) == 2 && parts[0] == "specs":
		return ID{Kind: KindSpec, API: parts[1]}
	case len(parts) == 2 && parts[0] == "reconcilers":
		return ID{Kind: KindReconciler, Name: parts[1]}
	case len(parts) == 2 && parts[0] == "roles":
		return ID{Kind: KindRole, Name: parts[1]}
	case len(parts) == 2 && parts[0] == "rolebindings":
		return ID{Kind: KindRoleBinding, Name: parts[1]}
	case len(parts) == 3 && parts[0] == "subscriptions":
		return ID{Kind: KindSubscription, API: parts[1], Namespace: parts[2]}
	case len(parts) == 3 && parts[0] == "locks" && parts[1] == "specs":
		return ID{Kind: KindSpecLock, API: parts[2]}
	case len(parts) == 4 && parts[0] == "locks" && parts[1] == "subscriptions":
		return ID{Kind: KindSubscriptionLock, API: parts[2], Namespace: parts[3]}
	}
	return ID{Kind: KindIndex}
}
