package catalog

import "time"

// Told is the account of what a registration's team has been told. Its zero value belongs to a registration that nothing
// was seen of yet.
type Told struct {
	UID              string      `json:"uid,omitempty"`    // of the registration that it is about
	State            HealthState `json:"state,omitempty"`  // degraded or healthy, whichever was seen last
	Untold           bool        `json:"untold,omitempty"` // it is degraded, and nobody was told
	SyncID           string      `json:"sync_id,omitempty"`
	ReleasedSyncID   string      `json:"released_sync_id,omitempty"`
	CanaryNamespaces []string    `json:"canary_namespaces,omitempty"`
	Rollbacks        int64       `json:"rollbacks,omitempty"`

	Sent map[string]time.Time `json:"sent,omitempty"` // by event: when it was last delivered, by any channel
	Owed []Owed               `json:"owed,omitempty"` // at most one of each event, the oldest first
}

// Owed is an event that a team has still to be told of. It stays as it was seen, so that a repeated delivery is known for
// one.
type Owed struct {
	Event      string    `json:"event"`
	Team       string    `json:"team"`
	Message    string    `json:"message"` // a few redacted sentences
	SyncID     string    `json:"sync_id"`
	State      string    `json:"state"`
	At         time.Time `json:"at"`                 // when it was seen
	Reconciler string    `json:"reconciler"`         // id of the one that saw it
	Channels   []string  `json:"channels,omitempty"` // by which it has still to be delivered; empty: by all that the team has
}

// Is tells whether it is the same event, whatever has been delivered of it.
func (o Owed) Is(other Owed) bool {
	return o.Event == other.Event && o.At.Equal(other.At) && o.SyncID == other.SyncID && o.Message == other.Message
}
