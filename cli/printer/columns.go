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
	rank   int  // in which order columns are left out where there is no room, the highest first; 0: it is not
	least  int  // to how many cells a text may be cut before columns are left out; 0: it is not
	tone   func(text string) tone
	cell   func(r row) string
}

// row is what a line of a table is about.
type row struct {
	node   *yaml.Node
	parent *yaml.Node // the document or the item that the row is part of
	event  string     // what has happened to it, or ""
}

func (r row) get(key string) string { return plain(field(r.node, key)) }

func key(header, name string) column {
	return column{header: header, tone: toneOfColumn(name), cell: func(r row) string { return r.get(name) }}
}

func made(header string, cell func(row) string) column { return column{header: header, cell: cell} }

func (c column) ofIDs() column {
	const least = 9 // as many as tell an id from the others
	c.id, c.least = true, least
	return c
}

func (c column) onlyWide() column {
	c.wide = true
	return c
}

// ranked says how soon the column is left out.
func (c column) ranked(rank int) column {
	c.rank = rank
	return c
}

// text says that the column holds texts, of which the beginning tells something, too.
func (c column) text() column {
	const least = 16
	c.least = least
	return c
}

// columnsOf knows the resources of Kayra itself. Of two columns the one with the higher rank is left out first.
func columnsOf(resource string) []column {
	switch resource {
	case "namespaces":
		return []column{key("NAME", "name"), key("ACTIVE", "active").ranked(1)}
	case "apiregistrations", "apiregistrations/sync":
		return registrationColumns()
	case "apiregistrations/status":
		return statusColumns()
	case "subscriptions", "subscriptions/sync":
		return subscriptionColumns()
	case "roles":
		return []column{key("NAME", "name"), made("RULES", rules).text().ranked(1)}
	case "rolebindings":
		return []column{
			key("NAME", "name"), key("ROLE", "role").ranked(1), made("NAMESPACE", boundTo).ranked(2),
			made("SUBJECTS", subjects).text().ranked(3),
		}
	case "reconcilers":
		return []column{
			key("ID", "id"), key("HOST", "host").text().ranked(2), key("PID", "pid").ranked(4), key("ENDPOINT", "endpoint").text().ranked(3),
			key("VERSION", "version").text().ranked(5), key("STARTED", "started_at").ranked(6), key("KONDUCTOR", "konductor").ranked(1),
		}
	case "top":
		return topColumns()
	case "contexts":
		return contextColumns()
	case "whoami":
		return []column{
			key("USER", "user"), key("GROUPS", "groups").text().ranked(3), key("SYSADMIN", "sysadmin").ranked(4),
			key("SERVER", "server").text().ranked(1), key("CONTEXT", "context").ranked(2),
			key("SERVER_BY", "server_by").onlyWide().text().ranked(5), key("TOKEN_BY", "token_by").onlyWide().text().ranked(6),
		}
	case "apis":
		return []column{
			made("NAME", parentKey("name")), made("SHORT", parentKey("short_name")).ranked(2),
			key("RESOURCE", "name").ranked(1), key("NAMESPACED", "namespaced").ranked(4), key("VERBS", "verbs").text().ranked(3),
		}
	}
	return nil
}

func registrationColumns() []column {
	return []column{
		key("NAME", "name"), key("SHORT", "short_name").ranked(3), key("ACTIVE", "active").ranked(5), key("OWNER", "owner").ranked(4),
		key("SYNC_ID", "sync_id").ofIDs().ranked(2),
		column{header: "ROLLOUT", tone: waiting, cell: rollout}.text().ranked(1),
		key("RELEASED", "released_sync_id").onlyWide().ranked(6), key("MODE", "mode").onlyWide().ranked(7),
		made("DEPENDS_ON", dependencies).onlyWide().text().ranked(8),
		key("DESCRIPTION", "description").onlyWide().text().ranked(9),
	}
}

func statusColumns() []column {
	return []column{
		key("NAMESPACE", "namespace"), key("STATE", "state").ranked(2), key("SYNCED", "synced").ranked(3), key("REASON", "reason").ranked(1),
		key("CURRENT", "current_sync_id").ofIDs().ranked(4),
		made("TARGET", parentKey("sync_id")).ofIDs().ranked(5),
		key("ATTEMPTED", "attempted_sync_id").onlyWide().ranked(8), key("UPDATED", "updated_at").onlyWide().ranked(7),
		key("MESSAGE", "message").onlyWide().text().ranked(6),
	}
}

func subscriptionColumns() []column {
	return []column{
		key("NAMESPACE", "namespace"), key("API", "api"), key("ACTIVE", "active").ranked(5), key("STATE", "state").ranked(2),
		key("SYNCED", "synced").ranked(3), key("REASON", "reason").ranked(1), key("CURRENT", "current_sync_id").ofIDs().ranked(4),
		key("EXPECTED", "expected_sync_id").onlyWide().ranked(9), key("ATTEMPTED", "attempted_sync_id").onlyWide().ranked(8),
		key("UPDATED", "updated_at").onlyWide().ranked(7), key("MESSAGE", "message").onlyWide().text().ranked(6),
	}
}

// topColumns are of APIs as the dashboard has them.
func topColumns() []column {
	of := func(part, all string) func(row) string {
		return func(r row) string {
			if r.get(all) == "" {
				return "?"
			}
			return r.get(part) + "/" + r.get(all)
		}
	}
	return []column{
		key("NAME", "name"), key("HEALTH", "health").ranked(1), made("SYNCED", of("synced", "subscribed")).ranked(2), key("FAILING", "failing").ranked(3),
		column{header: "ROLLOUT", tone: waiting, cell: rollout}.text().ranked(4), key("HELD", "held").ranked(8), key("RUNNING", "running").ranked(6),
		key("WAITING", "waiting").ranked(7), made("WORKERS", of("workers_busy", "workers")).ranked(5), key("QUEUE", "queue").ranked(9),
		key("SYNC_ID", "sync_id").onlyWide().ofIDs().ranked(10), key("DENIED", "denied").onlyWide().ranked(12), key("BLOCKED", "blocked").onlyWide().ranked(13),
		key("WHY", "health_reason").onlyWide().text().ranked(11),
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
		made("CURRENT", mark).ranked(2),
		key("NAME", "name"), key("SERVER", "server").text().ranked(1), key("TOKEN", "token").ranked(3),
		key("GATEWAY", "gateway_url").onlyWide().text().ranked(4), key("CA_FILE", "ca_file").onlyWide().text().ranked(5),
		key("CERT_FILE", "cert_file").onlyWide().text().ranked(6), key("LABEL", "label").onlyWide().ranked(7),
		key("RECONCILERS", "reconcilers").onlyWide().ranked(8),
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
	if names == nil {
		names = []string{"name"} // as every thing has one
	}
	for _, first := range []string{"name", "namespace"} {
		if i := slices.Index(names, first); i > 0 {
			names = slices.Insert(slices.Delete(names, i, i+1), 0, first)
		}
	}
	columns := make([]column, 0, len(names))
	for i, name := range names {
		c := key(strings.ToUpper(name), name).text().ranked(i)
		c.wide = i >= narrow
		columns = append(columns, c)
	}
	return columns
}
