package fleet

import (
	"maps"
	"slices"
)

// Version is the server's; "": it has not told.
func (f *Fleet) Version() string { return f.version }

// Scope is the deployment that this is, PLATFORM/REGION; "": nothing that tells it is known yet.
func (f *Fleet) Scope() string {
	for _, a := range f.APIs() {
		if a.Registered {
			return a.Platform + "/" + a.Region
		}
	}
	for _, r := range f.Reconcilers() {
		if r.Katalog != nil {
			return r.Katalog.ClusterName
		}
	}
	return ""
}

// Namespaces are those that subscribe to anything, in order.
func (f *Fleet) Namespaces() []string {
	all := map[string]bool{}
	for _, a := range f.apis {
		for name := range a.subscriptions {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Subscriptions is how many are known of all APIs.
func (f *Fleet) Subscriptions() int {
	n := 0
	for _, a := range f.apis {
		n += len(a.subscriptions)
	}
	return n
}
