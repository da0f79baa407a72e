package printer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// parse reads JSON into a tree that keeps the order of keys and the digits of numbers.
func parse(document []byte) (*yaml.Node, error) {
	dec := json.NewDecoder(bytes.NewReader(document))
	dec.UseNumber()
	root, err := value(dec)
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return root, nil
}

func value(dec *json.Decoder) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err //nolint:wrapcheck // wrapped by parse
	}
	switch t := token.(type) {
	case json.Delim:
		return collection(dec, t)
	case string:
		return text(t), nil
	case json.Number:
		return number(t.String()), nil
	case bool:
		return scalar("!!bool", strconv.FormatBool(t)), nil
	}
	return scalar("!!null", "null"), nil
}

func collection(dec *json.Decoder, open json.Delim) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	if open == '{' {
		node = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	for dec.More() {
		child, err := value(dec)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	if len(node.Content) == 0 {
		node.Style = yaml.FlowStyle
	}
	_, err := dec.Token() // the closing bracket
	return node, err      //nolint:wrapcheck // wrapped by parse
}

func scalar(tag, value string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
}

// text quotes what older readers of YAML would take for a truth value, what has several lines, since not every block of
// lines that the encoder writes can be read again, and what holds something to be escaped. The encoder quotes the rest of
// what needs it.
func text(s string) *yaml.Node {
	node := scalar("!!str", s)
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off":
		node.Style = yaml.DoubleQuotedStyle
	}
	if strings.ContainsAny(s, "\n\r\t") || strings.ContainsFunc(s, obeyed) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

func number(digits string) *yaml.Node {
	if strings.ContainsAny(digits, ".eE") {
		return scalar("!!float", digits)
	}
	return scalar("!!int", digits)
}

// field is the value of a key, or nil.
func field(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

// elements are the items of a list under a key; ok tells whether there is such a list.
func elements(node *yaml.Node, key string) (items []*yaml.Node, ok bool) {
	list := field(node, key)
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil, false
	}
	return list.Content, true
}

// plain is a value in one cell: text as it is, lists joined with commas, mappings as key=value.
func plain(node *yaml.Node) string {
	if node == nil || node.Tag == "!!null" {
		return ""
	}
	switch node.Kind {
	case yaml.SequenceNode:
		parts := make([]string, 0, len(node.Content))
		for _, child := range node.Content {
			parts = append(parts, plain(child))
		}
		return strings.Join(parts, ",")
	case yaml.MappingNode:
		parts := make([]string, 0, len(node.Content)/2)
		for i := 0; i+1 < len(node.Content); i += 2 {
			parts = append(parts, node.Content[i].Value+"="+plain(node.Content[i+1]))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
	}
	return node.Value
}
