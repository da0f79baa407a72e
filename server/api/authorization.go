package api

// Check asks whether somebody may do something. Without user and groups it asks about the caller.
type Check struct {
	API       string   `json:"api" doc:"Long name of the API, such as compute.example.com."`
	Resource  string   `json:"resource" doc:"machines; a sub-resource by its own name, such as subscriptions/sync."`
	Verb      string   `json:"verb"`
	Namespace string   `json:"namespace,omitempty" doc:"Left out for a resource that lives in none."`
	User      string   `json:"user,omitempty" doc:"Ask about another user; for sysadmins."`
	Groups    []string `json:"groups,omitempty" doc:"The groups of that user; for sysadmins."`
}

// Decision is the answer to a Check.
type Decision struct {
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason" doc:"Why, for a person."`
}

// Caller is whom the server takes the caller for.
type Caller struct {
	User     string   `json:"user"`
	Groups   []string `json:"groups"`
	Sysadmin bool     `json:"sysadmin" doc:"Whether the caller may do everything, by the server's configuration."`
}
