package printer

import (
	"strings"

	uuid "github.com/hashicorp/go-uuid"
	"go.yaml.in/yaml/v3"

	"kayra/cli/term"
)

const (
	gap   = "   "
	empty = "-" // a cell always holds something, so that the columns can be told apart by their words
)

func (p Printer) table(resource string, root *yaml.Node) string {
	rows := rowsOf(resource, root)
	columns := columnsOf(resource)
	if columns == nil {
		columns = guess(rows)
	}
	lines := make([][]string, 0, len(rows)+1)
	var header []string
	for _, c := range columns {
		if !c.wide || p.Format == Wide {
			header = append(header, term.Escape(c.header))
		}
	}
	if !p.NoHeaders {
		lines = append(lines, header)
	}
	for _, r := range rows {
		line := make([]string, 0, len(header))
		for _, c := range columns {
			if !c.wide || p.Format == Wide {
				line = append(line, filled(p.cut(c, c.cell(r))))
			}
		}
		lines = append(lines, line)
	}
	return p.align(lines)
}

// cut leaves an id alone that somebody has thought of.
func (p Printer) cut(c column, cell string) string {
	const shown = 8
	if !p.Short || p.Format == Wide || !c.id {
		return cell
	}
	if _, err := uuid.ParseUUID(cell); err != nil {
		return cell
	}
	return cell[:shown] + "…"
}

func filled(cell string) string {
	if cell == "" {
		return empty
	}
	return term.Escape(cell)
}

// rowsOf are the things that a document is about.
func rowsOf(resource string, root *yaml.Node) []row {
	switch resource {
	case "apis":
		return resourceRows(root)
	case "apiregistrations/status":
		return childRows(root, "subscriptions")
	}
	if _, ok := elements(root, "items"); ok {
		return childRows(root, "items")
	}
	return []row{{node: root}}
}

func childRows(parent *yaml.Node, key string) []row {
	children, _ := elements(parent, key)
	rows := make([]row, 0, len(children))
	for _, c := range children {
		rows = append(rows, row{node: c, parent: parent})
	}
	return rows
}

// resourceRows has a row for each resource of each API, and one for an API without any.
func resourceRows(root *yaml.Node) []row {
	apis, _ := elements(root, "apis")
	var rows []row
	for _, api := range apis {
		resources := childRows(api, "resources")
		if len(resources) == 0 {
			resources = []row{{node: &yaml.Node{Kind: yaml.MappingNode}, parent: api}}
		}
		rows = append(rows, resources...)
	}
	return rows
}

func (p Printer) align(lines [][]string) string {
	var widths []int
	for _, line := range lines {
		for i, cell := range line {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], term.Width(cell))
		}
	}
	var b strings.Builder
	for _, line := range lines {
		for i, cell := range line {
			b.WriteString(p.paint(cell))
			if i < len(line)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-term.Width(cell)) + gap)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// paint colours the one word that asks for attention; it never carries the meaning alone.
func (p Printer) paint(cell string) string {
	if p.Color && cell == "error" {
		return "\x1b[31m" + cell + "\x1b[0m"
	}
	return cell
}

// names has a line RESOURCE/NAME for each thing that a document is about.
func names(resource string, root *yaml.Node) string {
	resource, _, _ = strings.Cut(resource, "/")
	things := []*yaml.Node{root}
	for _, key := range []string{"items", "apis"} {
		if list, ok := elements(root, key); ok {
			things = list
		}
	}
	var b strings.Builder
	for _, thing := range things {
		b.WriteString(resource + "/" + term.Escape(nameOf(thing)) + "\n")
	}
	return b.String()
}

// nameOf is what a thing is addressed by: a subscription by its API, a process by its id, a setting by its key, a build by
// its version.
func nameOf(thing *yaml.Node) string {
	for _, key := range []string{"name", "api", "id", "key", "version"} {
		if name := plain(field(thing, key)); name != "" {
			return name
		}
	}
	return ""
}
