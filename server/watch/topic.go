package watch

import (
	"kayra/store/catalog"
)

// Resource is what the rows of a stream are.
type Resource string

// The resources. Rows of a status are subscriptions in another form.
const (
	Namespaces             Resource = "namespaces"
	Registrations          Resource = "apiregistrations"
	Subscriptions          Resource = "subscriptions"
	NamespaceSubscriptions Resource = "namespaces/subscriptions"
	Status                 Resource = "apiregistrations/status"
	Reconcilers            Resource = "reconcilers"
	Roles                  Resource = "roles"
	RoleBindings           Resource = "rolebindings"
)

// Resources are all of them.
func Resources() []Resource {
	return []Resource{
		Namespaces, Registrations, Subscriptions, NamespaceSubscriptions, Status, Reconcilers, Roles, RoleBindings,
	}
}

// Synced is what a list of subscriptions is narrowed to; "" takes all.
type Synced string

// The values of Synced.
const (
	OnlySynced   Synced = "true"
	OnlyUnsynced Synced = "false"
)

// Topic is a list or a status that streams are about. Streams with equal topics share all the work.
type Topic struct {
	Of        Resource
	Namespace string        // of NamespaceSubscriptions
	API       string        // of Status and, if it is narrowed so, of Subscriptions
	State     catalog.State // of Subscriptions, if it is narrowed so
	Synced    Synced        // of Subscriptions, if it is narrowed so
	All       bool          // of Status: inactive subscriptions, too
}

// takes tells whether the topic has a subscription among its rows.
func (t *Topic) takes(v *catalog.SubscriptionView) bool {
	switch t.Of { //nolint:exhaustive // the others have no subscriptions
	case Status:
		return v.API == t.API && (t.All || v.Active)
	case NamespaceSubscriptions:
		return v.Namespace == t.Namespace
	}
	f := catalog.Filter{API: t.API, State: t.State}
	if t.Synced != "" {
		want := t.Synced == OnlySynced
		f.Synced = &want
	}
	return f.Takes(v)
}

// key is what a subscription is known and sorted by among the rows.
func (t *Topic) key(api, namespace string) string {
	switch t.Of { //nolint:exhaustive // the others have no subscriptions
	case Status:
		return namespace
	case NamespaceSubscriptions:
		return api
	}
	return api + "/" + namespace
}

// ofSubscriptions tells whether the rows are subscriptions.
func (t *Topic) ofSubscriptions() bool {
	return t.Of == Subscriptions || t.Of == NamespaceSubscriptions || t.Of == Status
}
