package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"kayra/cli/complete"
)

// row is a thing in a list of anything, by the keys that tell of it.
type row struct {
	Name      string `json:"name"`
	API       string `json:"api"`
	ID        string `json:"id"`
	Namespace string `json:"namespace"`

	State  string `json:"state"`
	Synced *bool  `json:"synced"`
	Reason string `json:"reason"`

	Owner    string   `json:"owner"`
	Canaries []string `json:"canary_namespaces"`
	Paused   bool     `json:"paused"`

	Active *bool             `json:"active"`
	Role   string            `json:"role"`
	Rules  []json.RawMessage `json:"rules"`
}

// UnmarshalJSON takes what has the types that are expected. The things of an app may have any.
func (r *row) UnmarshalJSON(data []byte) error {
	type plain row
	if json.Unmarshal(data, (*plain)(r)) == nil {
		return nil
	}
	*r = row{Name: textOf(data, "name", "api", "id"), State: textOf(data, "state", "status")}
	return nil
}

// named is the thing by its name.
func (r *row) named() complete.Suggestion {
	return complete.Suggestion{Value: cmp.Or(r.Name, r.API, r.ID), Note: r.note()}
}

// subscriber is the namespace of a subscription.
func (r *row) subscriber() complete.Suggestion {
	return complete.Suggestion{Value: r.Namespace, Note: r.note()}
}

// note says of a thing what somebody who chooses one wants to know.
func (r *row) note() string {
	switch {
	case r.Synced != nil && *r.Synced:
		return r.State + ", synced"
	case r.Synced != nil && r.Reason == r.State:
		return r.State
	case r.Synced != nil:
		return r.State + ", " + cmp.Or(strings.ReplaceAll(r.Reason, "_", " "), "not synced")
	case r.Canaries != nil:
		return strings.Join(present(r.Owner, when(r.Paused, "paused"), when(len(r.Canaries) > 0, "canary of "+strings.Join(r.Canaries, ", ")),
			when(r.Active != nil && !*r.Active, "inactive")), ", ")
	case r.Role != "" && r.Namespace != "":
		return fmt.Sprintf("%s in %s", r.Role, r.Namespace)
	case r.Role != "":
		return r.Role + " everywhere"
	case r.Rules != nil:
		return fmt.Sprintf("rules: %d", len(r.Rules))
	case r.State != "":
		return r.State
	case r.Active != nil && *r.Active:
		return "active"
	case r.Active != nil:
		return "not active"
	}
	return ""
}

func when(so bool, text string) string {
	if so {
		return text
	}
	return ""
}

func present(texts ...string) []string {
	var out []string
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
