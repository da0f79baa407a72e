package printer

import (
	"slices"
	"strings"

	uuid "github.com/hashicorp/go-uuid"
	"go.yaml.in/yaml/v3"

	"kayra/cli/term"
)

const empty = "-" // a cell always holds something, so that the columns can be told apart by their words

// cell is what stands in one place of a table.
type cell struct {
	text string
	tone tone
}

// grid is a table before it is laid out.
type grid struct {
	columns []column
	header  []cell // nil: there is none
	lines   [][]cell
}

func (p Printer) table(resource string, root *yaml.Node) string {
	rows := rowsOf(resource, root)
	g := p.grid(p.columns(resource, rows), rows)
	return strings.Join(p.layOut(g, g.widths(nil)), "")
}

// columns are those that are shown.
func (p Printer) columns(resource string, rows []row) []column {
	columns := columnsOf(resource)
	switch {
	case p.Format == CustomColumns:
		return p.Template.columns
	case columns == nil:
		columns = guess(rows)
	}
	return slices.DeleteFunc(columns, func(c column) bool { return c.wide && p.Format != Wide })
}

func (p Printer) grid(columns []column, rows []row) *grid {
	g := &grid{columns: columns, lines: make([][]cell, 0, len(rows))}
	if !p.NoHeaders {
		g.header = make([]cell, len(columns))
		for i, c := range columns {
			g.header[i].text = term.Escape(c.header)
		}
	}
	for _, r := range rows {
		line := make([]cell, len(columns))
		for i, c := range columns {
			text := c.cell(r)
			line[i].text = filled(p.shorten(c, text))
			if c.tone != nil {
				line[i].tone = c.tone(text)
			}
		}
		g.lines = append(g.lines, line)
	}
	return g
}

// widths are how many cells each column takes, and at least as many as it has taken before.
func (g *grid) widths(before []int) []int {
	widths := make([]int, len(g.columns))
	copy(widths, before)
	for _, line := range append([][]cell{g.header}, g.lines...) {
		for i, c := range line {
			widths[i] = max(widths[i], term.Width(c.text))
		}
	}
	return widths
}

// shorten leaves an id alone that somebody has thought of.
func (p Printer) shorten(c column, text string) string {
	const shown = 8
	if !p.Terminal || p.Format == Wide || !c.id {
		return text
	}
	if _, err := uuid.ParseUUID(text); err != nil {
		return text
	}
	return text[:shown] + "…"
}

func filled(text string) string {
	if text == "" {
		return empty
	}
	return term.Escape(text)
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
