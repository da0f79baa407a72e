// Package catalog is Kayra's domain: registrations of APIs, namespaces (tenants), subscriptions that tie the two
// together, roles and their bindings, the rules between them, and how they are kept in a [store.Store].
//
// # Keys
//
// All records of a deployment stand under its scope, the platform P and the region R it runs in. N is a registration's
// name, NS a namespace, ID a sync id. What a process watches is scopes/P/R/, one prefix with everything but the
// documents, which are large and read on request only.
//
//	schema                                       version of this schema (written by the backend)
//	depgraph                                     changes with every change of a depends_on, in any scope
//	dependents/P/R/N/P'/R'/N'                    N' of scope P'/R' depends on N of scope P/R
//	scopes/P/R/registrations/N                   Registration
//	scopes/P/R/shortnames/SHORT                  the name of the registration that has this short_name
//	scopes/P/R/namespaces/NS                     Namespace
//	scopes/P/R/subscriptions/N/NS                Subscription
//	scopes/P/R/by-namespace/NS/N                 index: NS subscribes to N
//	scopes/P/R/roles/ROLE                        Role
//	scopes/P/R/rolebindings/BINDING              RoleBinding
//	scopes/P/R/by-role/ROLE/BINDING              index: BINDING gives ROLE
//	scopes/P/R/namespace-bindings/NS/BINDING     index: BINDING holds in NS alone; the name of its role
//	scopes/P/R/bindings-version/NS               changes with every write of a binding that holds in NS alone
//	scopes/P/R/specs/N                           Spec: which documents are there, and the last attempt to fetch one
//	scopes/P/R/boot                              Boot: how many reconcilers have ever started
//	scopes/P/R/reconcilers/UUID                  Reconciler, bound to its session
//	scopes/P/R/konductor                         which reconciler decides what is decided once, bound to its session
//	scopes/P/R/health/N                          Health, as the konductor sees it
//	scopes/P/R/locks/subscriptions/N/NS          Lock of a run, bound to its holder's session
//	scopes/P/R/locks/specs/N                     Lock of a fetch, bound to its holder's session
//	documents/P/R/N/ID                           the OpenAPI document as the app served it for ID
//	resources/P/R/N/ID                           []Resource, derived from that document
//
// Values are JSON. A field that a process does not know survives its writes.
//
// # Rules
//
// Every rule between records is part of the one transaction that would break it: "must exist" compares the presence of
// the other record, "nobody refers to it" compares an index prefix with empty, "unique" compares absence, and "no cycle"
// compares depgraph, which every change of a dependency writes. Who may subscribe is compared by the registration's revision,
// so that a subscription comes before a change of the lists or is decided by what it left. A namespace takes its role bindings with it, so that a
// later namesake inherits no access: its deletion compares bindings-version, which every write of such a binding
// touches, and deletes what the index lists. A transaction that lost a race is decided again from what the winner left.
//
// # Attempts
//
// A [Trigger] entitles a subscription to be tried. It is made of counters that stand in the store: the generations of
// the registration and of the subscription (raised by every client write), the number of reconcilers that have started,
// and the number of documents fetched. An [Attempt] stores the trigger that it used up, so that any process can tell
// from the records alone whether there is something to do, and killing a process loses nothing.
package catalog
