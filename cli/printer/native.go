package printer

import (
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// native is a value as templates want it: of maps, slices, texts, truth values, int64 and, where it has the same digits,
// float64. Any other number stays the text that it is. Texts pass through fn.
func native(node *yaml.Node, fn func(string) string) any {
	switch node.Kind {
	case yaml.MappingNode:
		object := make(map[string]any, len(node.Content)/2)
		for i := 0; i+1 < len(node.Content); i += 2 {
			object[fn(node.Content[i].Value)] = native(node.Content[i+1], fn)
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, len(node.Content))
		for i, child := range node.Content {
			list[i] = native(child, fn)
		}
		return list
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
	}
	switch node.Tag {
	case "!!null":
		return nil
	case "!!bool":
		return node.Value == "true"
	case "!!int", "!!float":
		return exact(node.Value)
	}
	return fn(node.Value)
}

// exact is a number that prints as it was written.
func exact(digits string) any {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(digits, 64); err == nil && strconv.FormatFloat(f, 'g', -1, 64) == digits {
		return f
	}
	return json.Number(digits)
}
