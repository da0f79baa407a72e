package printer

import (
	"fmt"
	"os"
	"strings"
)

// Format is how a document is shown.
type Format string

// The formats.
const (
	Table         Format = "table"
	Wide          Format = "wide" // a table with every column
	JSON          Format = "json"
	YAML          Format = "yaml"
	Name          Format = "name"           // RESOURCE/NAME, a line each
	JSONPath      Format = "jsonpath"       // what a template of client-go's jsonpath makes of it
	GoTemplate    Format = "go-template"    // what a template of text/template makes of it
	CustomColumns Format = "custom-columns" // a table with columns of one's own
)

// Formats is the list of them for messages and help.
const Formats = "table, wide, json, yaml, name, jsonpath=…, jsonpath-file=FILE, go-template=…, go-template-file=FILE or custom-columns=HEADER:PATH,…"

// ParseFormat reads the value of -o, and the file that it may name. The template is nil for a format that takes none. It
// fails for a template that cannot be used.
func ParseFormat(s string) (Format, *Template, error) {
	word, text, given := strings.Cut(s, "=")
	switch f := Format(word); {
	case given:
	case f == Table, f == Wide, f == JSON, f == YAML, f == Name:
		return f, nil, nil
	}
	kind, isFile := strings.CutSuffix(word, "-file")
	f := Format(kind)
	if isFile && f == CustomColumns || f != JSONPath && f != GoTemplate && f != CustomColumns {
		return "", nil, fmt.Errorf("%q is not an output format: use %s", s, Formats)
	}
	if text == "" {
		return "", nil, fmt.Errorf("-o %s has no template: write -o '%s'", s, example(word))
	}
	if isFile {
		content, err := os.ReadFile(text)
		if err != nil {
			return "", nil, fmt.Errorf("read template: %w", err)
		}
		text = string(content)
	}
	t, err := parseTemplate(f, text)
	return f, t, err
}

// example is how a format with a template is written.
func example(word string) string {
	switch word {
	case "jsonpath":
		return "jsonpath={.items[*].name}"
	case "go-template":
		return `go-template={{range .items}}{{.name}}{{"\n"}}{{end}}`
	case "custom-columns":
		return "custom-columns=NAME:.name,OWNER:.owner"
	}
	return word + "=FILE"
}
