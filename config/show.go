package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// show builds what Settings and YAML show, in the order of the schema.
func (l *loader) show(values *viper.Viper) {
	l.config.view = &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap}
	for _, k := range l.keys {
		n := shown(values.Get(k.name))
		annotate(n, func(*yaml.Node) string { return l.config.Source(k.name) })
		insert(l.config.view, strings.Split(k.name, "."), n)
	}
	for _, p := range l.parts {
		n, ok := l.written[p.name]
		if ok {
			p.hide(n)
			annotate(n, func(n *yaml.Node) string { return "file " + place{l.config.file, n.Line}.String() })
		} else {
			n = &yaml.Node{Kind: p.kind}
			annotate(n, func(*yaml.Node) string { return "default" })
		}
		insert(l.config.view, strings.Split(p.name, "."), n)
	}
}

// shown makes a node of a setting's value, without what is secret in it.
func shown(v any) *yaml.Node {
	switch v := v.(type) {
	case Secret:
		return v.shown()
	case []string:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: tagSeq}
		for _, text := range v {
			n.Content = append(n.Content, textNode(maskURL(text)))
		}
		return n
	case string:
		return textNode(maskURL(v))
	case time.Duration:
		return textNode(v.String())
	default:
		n := &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(v)}
		n.Tag = coreTag(n)
		return n
	}
}

// shown is where the secret comes from, as the file would have it.
func (s Secret) shown() *yaml.Node {
	if s.IsZero() {
		return textNode("")
	}
	for _, form := range []string{fromEnv, fromFile} {
		if ref, ok := s.as(form); ok {
			return &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap, Content: []*yaml.Node{textNode(form), textNode(ref)}}
		}
	}
	return textNode(mask)
}

// annotate gives every leaf its source as a comment. Lists of scalars and what is empty are leaves, on one line each.
func annotate(n *yaml.Node, source func(*yaml.Node) string) {
	n.Style = 0
	switch {
	case isLeaf(n):
		n.LineComment = source(n)
		if n.Kind != yaml.ScalarNode {
			n.Style = yaml.FlowStyle
		} else if strings.ContainsAny(n.Value, "\n\r") {
			n.Style = yaml.DoubleQuotedStyle
		}
	case isMapping(n):
		for i := 1; i < len(n.Content); i += 2 {
			annotate(n.Content[i], source)
		}
	default:
		for _, item := range n.Content {
			annotate(item, source)
		}
	}
}

func isLeaf(n *yaml.Node) bool {
	if isMapping(n) {
		return len(n.Content) == 0
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode {
			return false
		}
	}
	return true
}

// insert puts a node at the end of a path of mappings, and makes those that are missing.
func insert(root *yaml.Node, path []string, n *yaml.Node) {
	for _, name := range path[:len(path)-1] {
		next := member(root, name)
		if next == nil {
			next = &yaml.Node{Kind: yaml.MappingNode, Tag: tagMap}
			root.Content = append(root.Content, textNode(name), next)
		}
		root = next
	}
	root.Content = append(root.Content, textNode(path[len(path)-1]), n)
}
