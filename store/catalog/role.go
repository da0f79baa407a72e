package catalog

import "time"

// Everything stands in a [Rule] for all that there are.
const Everything = "*"

// Rule gives verbs on resources of APIs. Each list has one entry at least; Everything stands alone in its list.
type Rule struct {
	APIs      []string `json:"apis"`      // long names, or Everything
	Resources []string `json:"resources"` // machines; a sub-resource by its own name, subscriptions/sync; or Everything
	Verbs     []string `json:"verbs"`     // list, get, create, update, patch, delete and an app's own; or Everything
}

// Role is a list of rules under a name. It gives nothing to anyone until a [RoleBinding] names it.
type Role struct {
	Meta

	Name      string    `json:"name"`
	Rules     []Rule    `json:"rules"`
	UID       string    `json:"uid"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// SubjectKind is what a [Subject] names.
type SubjectKind string

// The kinds of subjects.
const (
	SubjectUser  SubjectKind = "user"
	SubjectGroup SubjectKind = "group"
)

// Subject is a user, or all users of a group.
type Subject struct {
	Kind SubjectKind `json:"kind"`
	Name string      `json:"name"` // as the caller's token has it; compared to the letter
}

// RoleBinding gives a role to its subjects, in one namespace or everywhere.
type RoleBinding struct {
	Meta

	Name      string    `json:"name"`
	Role      string    `json:"role"`
	Namespace string    `json:"namespace,omitempty"` // "": it holds cluster-wide
	Subjects  []Subject `json:"subjects"`
	UID       string    `json:"uid"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}
