package printer

import (
	"encoding/base64"
	"fmt"
	"io"
	"strings"
	"text/template"
)

// Template is what stands behind the = of a format, found right.
type Template struct {
	format  Format
	text    string             // of JSONPath: parsed for each document, since executing it uses it up
	program *template.Template // of GoTemplate
	columns []column           // of CustomColumns
}

func parseTemplate(f Format, text string) (*Template, error) {
	t := &Template{format: f, text: text}
	var err error
	switch f {
	case JSONPath:
		t.text = relaxed(text)
		err = newPath().Parse(t.text)
	case GoTemplate:
		t.program, err = template.New(string(f)).Funcs(functions()).Parse(text)
	case CustomColumns:
		t.columns, err = parseColumns(text)
	case Table, Wide, JSON, YAML, Name:
	}
	if err != nil {
		return nil, fmt.Errorf("the template cannot be read: %w", err)
	}
	return t, nil
}

// functions are those that kubectl has beside text/template's own.
func functions() template.FuncMap {
	return template.FuncMap{
		"exists": func(data any, keys ...any) bool {
			for _, key := range keys {
				object, _ := data.(map[string]any)
				name, _ := key.(string)
				value, ok := object[name]
				if !ok {
					return false
				}
				data = value
			}
			return true
		},
		"base64decode": func(s string) (string, error) {
			text, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				return "", fmt.Errorf("decode base64: %w", err)
			}
			return string(text), nil
		},
	}
}

// execute gives the text that the template makes of a value. Unless missing ones are allowed, a key that is not there is an
// error that names it. With them, it is <no value> in a go-template and nothing in a jsonpath, as in kubectl.
func (t *Template) execute(value any, allowMissing bool) (string, error) {
	var b strings.Builder
	if err := t.run(&b, value, allowMissing); err != nil {
		return "", fmt.Errorf("the template does not fit: %w", err)
	}
	return b.String(), nil
}

func (t *Template) run(w io.Writer, value any, allowMissing bool) error {
	if t.format == JSONPath {
		p := newPath().AllowMissingKeys(allowMissing)
		if err := p.Parse(t.text); err != nil {
			return err //nolint:wrapcheck // wrapped by execute
		}
		return p.Execute(w, value) //nolint:wrapcheck // wrapped by execute
	}
	missing := "missingkey=default"
	if !allowMissing {
		missing = "missingkey=error"
	}
	return t.program.Option(missing).Execute(w, value) //nolint:wrapcheck // wrapped by execute
}
