package cli

import (
	"fmt"
	"strings"

	"kayra/store/catalog"
	"kayra/store/transfer"
)

// copied tells what a copy has.
type copied struct {
	From          string `json:"from"`
	To            string `json:"to"`
	DryRun        bool   `json:"dry_run,omitempty"`
	Revision      int64  `json:"revision"` // of what was copied
	Registrations int    `json:"apiregistrations"`
	Namespaces    int    `json:"namespaces"`
	Subscriptions int    `json:"subscriptions"`
	Roles         int    `json:"roles"`
	RoleBindings  int    `json:"rolebindings"`
	Documents     int    `json:"documents"`
	Keys          int    `json:"keys"` // these, and what else belongs to them
	Bytes         int64  `json:"bytes"`
	LeftOut       int    `json:"left_out"` // keys that belong to running processes
}

// reportCopy counts.
func reportCopy(c *transfer.Contents) *copied {
	r := &copied{Revision: c.Revision, Keys: len(c.Records), Bytes: c.Bytes(), LeftOut: len(c.Bound)}
	for _, e := range c.Records {
		if n := r.of(e.Key); n != nil {
			*n++
		}
	}
	return r
}

// of is the number of those like the key, or nil.
func (r *copied) of(key string) *int {
	const scoped = 4 // scopes/P/R/…
	parts := strings.SplitN(key, "/", scoped)
	if parts[0] == "documents" {
		return &r.Documents
	}
	if parts[0] != "scopes" || len(parts) < scoped {
		return nil
	}
	switch (catalog.Scope{Platform: parts[1], Region: parts[2]}).ParseKey(key).Kind {
	case catalog.KindRegistration:
		return &r.Registrations
	case catalog.KindNamespace:
		return &r.Namespaces
	case catalog.KindSubscription:
		return &r.Subscriptions
	case catalog.KindRole:
		return &r.Roles
	case catalog.KindRoleBinding:
		return &r.RoleBindings
	default:
		return nil
	}
}

func (r *copied) String() string {
	text := fmt.Sprintf("%d apiregistrations, %d namespaces, %d subscriptions, %d roles, %d rolebindings, %d documents; %d keys, %d bytes, as of revision %d",
		r.Registrations, r.Namespaces, r.Subscriptions, r.Roles, r.RoleBindings, r.Documents, r.Keys, r.Bytes, r.Revision)
	if r.LeftOut > 0 {
		text += fmt.Sprintf("; left out: %d keys of running processes", r.LeftOut)
	}
	return text
}
