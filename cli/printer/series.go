package printer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"kayra/cli/term"
)

// Series is tables of one resource that are shown one after the other: their columns are the same, and as wide as any of
// them has needed.
type Series struct {
	resource string
	columns  []column
	widths   []int
	headed   bool // a header has been shown
}

// NewSeries begins a series without tables.
func NewSeries(resource string) *Series { return &Series{resource: resource} }

// Table gives the lines of a table with what a document has, its header first.
func (s *Series) Table(p Printer, document []byte) ([]string, error) {
	root, err := parse(document)
	if err != nil {
		return nil, err
	}
	return s.lines(p, rowsOf(s.resource, root)), nil
}

func (s *Series) lines(p Printer, rows []row) []string {
	columns := s.columns
	if columns == nil {
		columns = p.columns(s.resource, rows)
	}
	if len(rows) > 0 || columnsOf(s.resource) != nil {
		s.columns = columns // else there may be more of them once there is a row
	}
	g := p.grid(columns, rows)
	s.widths = g.widths(s.widths)
	return p.layOut(g, s.widths)
}

// Append gives lines to be shown below those before: a row for each thing that a document has, with what has happened to it
// in a column of its own, and above the first of them the header.
func (s *Series) Append(p Printer, event string, document []byte) ([]string, error) {
	root, err := parse(document)
	if err != nil {
		return nil, err
	}
	rows := rowsOf(s.resource, root)
	if s.columns == nil && (len(rows) > 0 || columnsOf(s.resource) != nil) {
		s.columns = append(p.columns(s.resource, rows), made("EVENT", func(r row) string { return r.event }))
	}
	if s.columns == nil {
		return nil, nil // what the columns are is not known yet
	}
	for i := range rows {
		rows[i].event = event
	}
	p.NoHeaders = p.NoHeaders || s.headed
	s.headed = true
	return s.lines(p, rows), nil
}

// Event gives what is written of something that has happened to a thing, in a format that is no table: an object {"type",
// "object"} in one line of JSON or as a document of YAML, a name, or what the template makes of the thing.
func (p Printer) Event(resource, event string, object []byte) (string, error) {
	root, err := parse(object)
	if err != nil {
		return "", err
	}
	switch p.Format {
	case JSON:
		return eventLine(event, object)
	case YAML:
		text, err := encodeYAML(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
			scalar("!!str", "type"), scalar("!!str", event), scalar("!!str", "object"), root,
		}})
		return "---\n" + text, err
	case Name:
		name, _, _ := strings.Cut(resource, "/")
		name += "/" + term.Escape(nameOf(root))
		if event == deleted {
			name += " " + deleted
		}
		return name + "\n", nil
	case JSONPath, GoTemplate:
		text, err := p.fill(root)
		return strings.TrimSuffix(text, "\n") + "\n", err
	case Table, Wide, CustomColumns:
	}
	return "", fmt.Errorf("%s is a format of tables", p.Format)
}

// deleted is the event of a thing that is no more.
const deleted = "deleted"

func eventLine(event string, object []byte) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, object); err != nil {
		return "", fmt.Errorf("read JSON: %w", err)
	}
	return fmt.Sprintf(`{"type":%q,"object":%s}`, event, escapeJSON(b.String())) + "\n", nil
}
