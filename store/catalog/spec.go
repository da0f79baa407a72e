package catalog

import (
	"slices"
	"time"
)

// MaxDocument is the largest OpenAPI document, in bytes, that an app may serve.
const MaxDocument = 1 << 20

// MaxResources is the largest size, in bytes of JSON, of the resources derived from one document. Together with the
// document it must fit into one transaction.
const MaxResources = 256 << 10

// Resource is something that an API serves, derived from the paths of its OpenAPI document.
type Resource struct {
	Name       string   `json:"name"` // with its action, if any: dashboards/refresh
	Namespaced bool     `json:"namespaced"`
	Verbs      []string `json:"verbs"` // sorted: create, delete, get, list, patch, update
}

// Fetched says that the document for a sync id is there.
type Fetched struct {
	SyncID    string    `json:"sync_id"`
	FetchedAt time.Time `json:"fetched_at"`
}

// Spec is what is known of a registration's OpenAPI document. The documents stand in keys of their own.
type Spec struct {
	Meta

	API     string    `json:"api"`
	Count   int64     `json:"count"`             // documents fetched, ever; each is a trigger for those it was missing to
	Fetched []Fetched `json:"fetched"`           // oldest first
	Covered int64     `json:"covered,omitempty"` // the store's revision when the last fetch that failed began
	Attempt Attempt   `json:"attempt"`           // SubGen and Spec are not used
}

// Has tells whether the document for the sync id is there.
func (s *Spec) Has(syncID string) bool {
	return slices.ContainsFunc(s.Fetched, func(f Fetched) bool { return f.SyncID == syncID })
}

// Newest is the sync id of the document fetched last, or "".
func (s *Spec) Newest() string {
	if len(s.Fetched) == 0 {
		return ""
	}
	return s.Fetched[len(s.Fetched)-1].SyncID
}
