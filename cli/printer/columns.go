package printer

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// column is one column of a table.
type column struct {
	header string
	wide   bool // shown by Wide only
	id     bool // holds sync ids
	cell   func(r row) string
}

// row is what a line of a table is about.
type row struct {
	node   *yaml.Node
	parent *yaml.Node // the document or the item that the row is part of
}

func (r row) get(key string) string { return plain(field(r.node, key)) }

func key(header, name string) column {
	return column{header: header, cell: func(r row) string { return r.get(name) }}
}

func id(c column) column {
	c.id = true
	return c
}

func wide(c column) column {
	c.wide = true
	return c
}

// columnsOf knows the resources of Kayra itself.
func columnsOf(resource string) []column {
	switch resource {
	case "namespaces":
		return []column{key("NAME", "name"), key("ACTIVE", "active")}
	case "apiregistrations", "apiregistrations/sync":
		return registrationColumns()
	case "apiregistrations/status":
		return statusColumns()
	case "subscriptions", "subscriptions/sync":
		return subscriptionColumns()
	case "roles":
		return []column{key("NAME", "name"), {header: "RULES", cell: rules}}
	case "rolebindings":
		return []column{
			key("NAME", "name"), key("ROLE", "role"),
			{header: "NAMESPACE", cell: boundTo},
			{header: "SUBJECTS", cell: subjects},
		}
	case "reconcilers":
		return []column{
			key("ID", "id"), key("HOST", "host"), key("PID", "pid"), key("ENDPOINT", "endpoint"), key("VERSION", "version"),
			key("STARTED", "started_at"), key("KONDUCTOR", "konductor"),
		}
	case "contexts":
		return contextColumns()
	case "whoami":
		return []column{
			key("USER", "user"), key("GROUPS", "groups"), key("SYSADMIN", "sysadmin"), key("SERVER", "server"), key("CONTEXT", "context"),
			wide(key("SERVER_BY", "server_by")), wide(key("TOKEN_BY", "token_by")),
		}
	case "apis":
		return []column{
			{header: "NAME", cell: parentKey("name")},
			{header: "SHORT", cell: parentKey("short_name")},
			key("RESOURCE", "name"), key("NAMESPACED", "namespaced"), key("VERBS", "verbs"),
		}
	}
	return nil
}

func registrationColumns() []column {
	return []column{
		key("NAME", "name"), key("SHORT", "short_name"), key("ACTIVE", "active"), key("OWNER", "owner"),
		id(key("SYNC_ID", "sync_id")),
		{header: "ROLLOUT", cell: rollout},
		wide(key("RELEASED", "released_sync_id")), wide(key("MODE", "mode")),
		wide(column{header: "DEPENDS_ON", cell: dependencies}), wide(key("DESCRIPTION", "description")),
	}
}

func statusColumns() []column {
	return []column{
		key("NAMESPACE", "namespace"), key("STATE", "state"), key("SYNCED", "synced"), key("REASON", "reason"),
		id(key("CURRENT", "current_sync_id")),
		id(column{header: "TARGET", cell: parentKey("sync_id")}),
		wide(key("ATTEMPTED", "attempted_sync_id")), wide(key("UPDATED", "updated_at")), wide(key("MESSAGE", "message")),
	}
}

func subscriptionColumns() []column {
	return []column{
		key("NAMESPACE", "namespace"), key("API", "api"), key("ACTIVE", "active"), key("STATE", "state"),
		key("SYNCED", "synced"), key("REASON", "reason"), id(key("CURRENT", "current_sync_id")),
		wide(key("EXPECTED", "expected_sync_id")), wide(key("ATTEMPTED", "attempted_sync_id")),
		wide(key("UPDATED", "updated_at")), wide(key("MESSAGE", "message")),
	}
}

func contextColumns() []column {
	mark := func(r row) string {
		if r.get("current") == "true" {
			return "*"
		}
		return ""
	}
	return []column{
		{header: "CURRENT", cell: mark},
		key("NAME", "name"), key("SERVER", "server"), key("TOKEN", "token"),
		wide(key("GATEWAY", "gateway_url")), wide(key("CA_FILE", "ca_file")), wide(key("CERT_FILE", "cert_file")),
	}
}

func parentKey(name string) func(row) string {
	return func(r row) string { return plain(field(r.parent, name)) }
}

// rollout says what holds a registration's target back: a canary that is pending, a pause, or both.
func rollout(r row) string {
	const shown = 3
	var parts []string
	if canaries, _ := elements(r.node, "canary_namespaces"); len(canaries) > 0 {
		names := make([]string, 0, shown)
		for _, c := range canaries[:min(shown, len(canaries))] {
			names = append(names, plain(c))
		}
		text := "canary " + strings.Join(names, ",")
		if more := len(canaries) - shown; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		parts = append(parts, text)
	}
	if r.get("paused") == "true" {
		parts = append(parts, "paused")
	}
	return strings.Join(parts, ", ")
}

func dependencies(r row) string {
	refs, _ := elements(r.node, "depends_on")
	names := make([]string, 0, len(refs))
	for _, ref := range refs {
		names = append(names, plain(field(ref, "name")))
	}
	return strings.Join(names, ",")
}

// guess makes columns for a resource of which nothing is known: the scalars of the rows in the order they appear, what
// names the row first. Only a few of them are shown unless the table is wide.
func guess(rows []row) []column {
	const narrow = 6
	var names []string
	for _, r := range rows {
		for i := 0; r.node.Kind == yaml.MappingNode && i+1 < len(r.node.Content); i += 2 {
			name, value := r.node.Content[i].Value, r.node.Content[i+1]
			if value.Kind == yaml.ScalarNode && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, first := range []string{"name", "namespace"} {
		if i := slices.Index(names, first); i > 0 {
			names = slices.Insert(slices.Delete(names, i, i+1), 0, first)
		}
	}
	columns := make([]column, 0, len(names))
	for i, name := range names {
		c := key(strings.ToUpper(name), name)
		c.wide = i >= narrow
		columns = append(columns, c)
	}
	return columns
}
