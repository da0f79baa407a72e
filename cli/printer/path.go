package printer

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/client-go/util/jsonpath"
)

func newPath() *jsonpath.JSONPath { return jsonpath.New(string(JSONPath)) }

// relaxed is a template for jsonpath with the braces, and the dot in front, that may be left out of a single path.
func relaxed(text string) string {
	text = strings.TrimSuffix(text, "\n") // of a file
	switch {
	case strings.Contains(text, "{"):
		return text
	case strings.HasPrefix(text, "."), strings.HasPrefix(text, "$"), strings.HasPrefix(text, "["):
		return "{" + text + "}"
	}
	return "{." + text + "}"
}

// Path leads to a value in a document.
type Path struct{ text string } // parsed for each document, since following it uses it up

// ParsePath reads a path of client-go's jsonpath, without braces or the dot in front if you like.
func ParsePath(text string) (Path, error) {
	p := Path{relaxed(text)}
	if err := newPath().Parse(p.text); err != nil {
		return p, fmt.Errorf("read path: %w", err)
	}
	return p, nil
}

// Find gives what the path leads to in a JSON document, joined with commas, or "".
func (p Path) Find(document []byte) string {
	root, err := parse(document)
	if err != nil {
		return ""
	}
	return p.in(root)
}

func (p Path) in(node *yaml.Node) string {
	path := newPath().AllowMissingKeys(true)
	if path.Parse(p.text) != nil {
		return ""
	}
	results, err := path.FindResults(native(node, asIs))
	if err != nil {
		return ""
	}
	var parts []string
	for _, values := range results {
		for _, v := range values {
			parts = append(parts, worded(v))
		}
	}
	return strings.Join(parts, ",")
}

func worded(v reflect.Value) string {
	if !v.IsValid() || !v.CanInterface() || v.Interface() == nil {
		return ""
	}
	return fmt.Sprint(v.Interface())
}

func asIs(s string) string { return s }
