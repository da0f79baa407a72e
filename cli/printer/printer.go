// Package printer shows JSON documents the way a user asked for: as a table, as JSON, as YAML, by name, or as a template
// says.
//
// A document is an object or a list, {"items": [...]}. Its keys keep their order and its numbers their digits in every
// format. Nothing in it can drive the terminal: what is not printable is shown as an escape.
package printer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"kayra/cli/term"
)

// Printer shows documents on Out.
type Printer struct {
	Out       io.Writer
	Format    Format
	Template  *Template // of a format that takes one
	NoHeaders bool      // of a table
	Color     bool
	Terminal  bool // Out is one: ids that Kayra has made are cut to what tells them apart, unless the table is wide
	Width     int  // of the terminal, in cells; a table is not wider. 0: it may be

	AllowMissing bool // keys that a template names
}

// Print shows a document. The resource (apiregistrations, apiregistrations/status) decides which columns its table has.
func (p Printer) Print(resource string, document []byte) error {
	text, err := p.render(resource, document)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(p.Out, text); err != nil {
		return fmt.Errorf("write output: %w", err)
	}
	return nil
}

func (p Printer) render(resource string, document []byte) (string, error) {
	if p.Format == JSON {
		return Indent(document)
	}
	root, err := parse(document)
	if err != nil {
		return "", err
	}
	switch p.Format {
	case YAML:
		return encodeYAML(root)
	case Name:
		return names(resource, root), nil
	case JSONPath, GoTemplate:
		return p.fill(root)
	case Table, Wide, CustomColumns, JSON:
	}
	return p.table(resource, root), nil
}

// fill gives what the template makes of a document. At a terminal no text of the document can drive it, and the next
// prompt stands on a line of its own; elsewhere everything is as the document and the template have it.
func (p Printer) fill(root *yaml.Node) (string, error) {
	if !p.Terminal {
		return p.Template.execute(native(root, asIs), p.AllowMissing)
	}
	text, err := p.Template.execute(native(root, term.Escape), p.AllowMissing)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text, err
}

// Indent lays a JSON document out in lines. What a terminal would obey becomes a \u escape, which means the same.
func Indent(document []byte) (string, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(document), "", "  "); err != nil {
		return "", fmt.Errorf("read JSON: %w", err)
	}
	b.WriteByte('\n')
	return escapeJSON(b.String()), nil
}

// escapeJSON touches only runes that JSON allows nowhere but inside a string. All of them are in the basic plane, so that
// four digits do.
func escapeJSON(s string) string {
	if strings.IndexFunc(s, obeyed) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if obeyed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// obeyed tells the runes that a JSON text may hold as they are and a terminal acts upon.
func obeyed(r rune) bool {
	const bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	return r >= 0x7f && r <= 0x9f || strings.ContainsRune(bidi, r)
}

func encodeYAML(root *yaml.Node) (string, error) {
	var b strings.Builder
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return "", fmt.Errorf("write YAML: %w", err)
	}
	if err := enc.Close(); err != nil {
		return "", fmt.Errorf("write YAML: %w", err)
	}
	return escapeJSON(b.String()), nil // such a rune stands in double quotes, where the escape means the same in YAML
}
