package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Bounds on a file, far above what anyone writes. They stop a few lines of aliases from becoming a gigabyte.
const (
	maxDepth  = 64
	maxValues = 100_000
)

// The tags of the values that JSON knows.
const (
	tagNull  = "!!null"
	tagBool  = "!!bool"
	tagInt   = "!!int"
	tagFloat = "!!float"
	tagStr   = "!!str"
	tagMap   = "!!map"
	tagSeq   = "!!seq"
	tagMerge = "!!merge"
)

// expander copies a document so that those who read it meet neither aliases, merge keys, comments nor keys that are not
// text, and only the tags of JSON.
type expander struct {
	d      *decoder
	values int
}

func (e *expander) expand(n *yaml.Node, key string, depth int) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if e.values++; depth > maxDepth || e.values > maxValues {
		if e.values < 2*maxValues { // say it once, and visit nothing more
			e.values = 2 * maxValues
			e.problem(n, "", fmt.Sprintf("too much: at most %d levels and %d values are allowed", maxDepth, maxValues))
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tagNull, Line: n.Line}
	}
	out := &yaml.Node{Kind: n.Kind, Tag: coreTag(n), Value: n.Value, Line: n.Line}
	switch n.Kind {
	case yaml.MappingNode:
		e.mapping(n, out, key, depth)
	case yaml.SequenceNode:
		for i, item := range n.Content {
			out.Content = append(out.Content, e.expand(item, element(key, i), depth+1))
		}
	default:
	}
	if !jsonTag(out) {
		e.problem(n, key, "this tag is not allowed: use text, numbers, true, false, null, lists and mappings")
	}
	return out
}

// mapping copies the members of n. Those that it merges come last and only where n has none of that name.
func (e *expander) mapping(n, out *yaml.Node, key string, depth int) {
	lines, merged := map[string]int{}, []*yaml.Node(nil)
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, content := n.Content[i], n.Content[i+1]
		for name.Kind == yaml.AliasNode {
			name = name.Alias
		}
		bare := n.Style&yaml.FlowStyle != 0 && content.Kind == yaml.ScalarNode && content.Value == "" && isNull(content)
		switch before, twice := lines[name.Value]; {
		case bare: // its name stays out of the error: it is the rest of a secret that has a comma
			e.problem(name, key, "a name without a value is not allowed within braces: use quotes around a text with a comma, and null for no value")
		case name.ShortTag() == tagMerge:
			merged = append(merged, e.merged(content, key, depth)...)
		case coreTag(name) != tagStr:
			e.problem(name, key, describe(name, false)+" is not allowed as a key: use text, in quotes if need be")
		case twice:
			e.problem(name, join(key, name.Value), fmt.Sprintf("is given twice, first in line %d", before))
		default:
			lines[name.Value] = n.Content[i].Line
			out.Content = append(out.Content, nameNode(n.Content[i], name.Value), e.expand(content, join(key, name.Value), depth+1))
		}
	}
	for i := 0; i+1 < len(merged); i += 2 {
		if _, ok := lines[merged[i].Value]; !ok {
			lines[merged[i].Value] = merged[i].Line
			out.Content = append(out.Content, merged[i], merged[i+1])
		}
	}
}

// merged gives the members behind a merge key: those of a mapping, or of several in the order of their precedence.
func (e *expander) merged(n *yaml.Node, key string, depth int) []*yaml.Node {
	content := e.expand(n, join(key, "<<"), depth+1)
	from := []*yaml.Node{content}
	if content.Kind == yaml.SequenceNode {
		from = content.Content
	}
	var all []*yaml.Node
	for _, mapping := range from {
		if !isMapping(mapping) {
			e.problem(n, join(key, "<<"), describe(mapping, false)+" is not allowed: use an alias of a mapping")
			continue
		}
		all = append(all, mapping.Content...)
	}
	return all
}

func (e *expander) problem(n *yaml.Node, key, text string) {
	e.d.problems = append(e.d.problems, problem{place: place{e.d.file, n.Line}, key: key, text: text})
}

func nameNode(at *yaml.Node, name string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tagStr, Value: name, Line: at.Line}
}
