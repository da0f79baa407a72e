package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Bounds on a document. A few lines of aliases could stand for more than any memory holds.
const (
	maxDepth    = 100
	maxDocument = 4 << 20 // bytes, as JSON
	maxMerged   = 100_000 // keys that mappings take from others
)

// converter writes a document as JSON. It stops at the first mistake.
type converter struct {
	out    bytes.Buffer
	merges int    // keys that were taken from other mappings
	wrong  string // what the mistake is
	line   int    // where
}

func (c *converter) refuse(node *yaml.Node, format string, args ...any) {
	if c.wrong == "" {
		c.wrong, c.line = fmt.Sprintf(format, args...), node.Line
	}
}

func (c *converter) value(node *yaml.Node, depth int) {
	switch {
	case c.wrong != "":
	case depth > maxDepth:
		c.refuse(node, "is nested more than %d deep, or refers to itself", maxDepth)
	case c.out.Len() > maxDocument:
		c.refuse(node, "is larger than %d MiB, with all that its aliases stand for", maxDocument>>20)
	case node.Kind == yaml.AliasNode:
		c.value(node.Alias, depth+1)
	case node.Kind == yaml.MappingNode:
		c.mapping(node, depth)
	case node.Kind == yaml.SequenceNode:
		c.out.WriteByte('[')
		for i, item := range node.Content {
			c.comma(i)
			c.value(item, depth+1)
		}
		c.out.WriteByte(']')
	default:
		c.scalar(node)
	}
}

func (c *converter) comma(i int) {
	if i > 0 {
		c.out.WriteByte(',')
	}
}

// pair is a key of a mapping with its value.
type pair struct {
	key   string
	value *yaml.Node
}

func (c *converter) mapping(node *yaml.Node, depth int) {
	pairs := c.pairs(node, depth)
	c.out.WriteByte('{')
	for i, p := range pairs {
		c.comma(i)
		c.out.Write(quoted(p.key))
		c.out.WriteByte(':')
		c.value(p.value, depth+1)
	}
	c.out.WriteByte('}')
}

// pairs are those of the mapping, and then those that it is merged with and does not have itself. Of two mappings that it
// is merged with the first one counts (https://yaml.org/type/merge.html).
func (c *converter) pairs(node *yaml.Node, depth int) []pair {
	if depth > maxDepth {
		c.refuse(node, "is nested more than %d deep, or refers to itself", maxDepth)
		return nil
	}
	var own, merged []pair
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content) && c.wrong == ""; i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Tag == "!!merge" {
			merged = append(merged, c.merged(value, depth+1)...)
			continue
		}
		name := c.key(key)
		if seen[name] {
			c.refuse(key, "%q is there twice", clip(name))
		}
		seen[name] = true
		own = append(own, pair{name, value})
	}
	if c.merges += len(merged); c.merges > maxMerged {
		c.refuse(node, "takes more than %d keys from other mappings", maxMerged)
	}
	for _, p := range merged {
		if !seen[p.key] {
			seen[p.key] = true
			own = append(own, p)
		}
	}
	return own
}

// merged are the pairs of what stands behind <<.
func (c *converter) merged(value *yaml.Node, depth int) (all []pair) {
	value = target(value)
	switch value.Kind {
	case yaml.MappingNode:
		return c.pairs(value, depth)
	case yaml.SequenceNode:
		for _, item := range value.Content {
			if item = target(item); item.Kind != yaml.MappingNode {
				c.refuse(item, "<< takes a mapping, or a list of them")
				return nil
			}
			all = append(all, c.pairs(item, depth)...)
		}
		return all
	case yaml.DocumentNode, yaml.ScalarNode, yaml.AliasNode:
	}
	c.refuse(value, "<< takes a mapping, or a list of them")
	return nil
}

// target is what an alias stands for, which is no alias itself.
func target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// key is the text of a key. YAML takes some for numbers or truth values, JSON has texts alone.
func (c *converter) key(node *yaml.Node) string {
	if node = target(node); node.Kind != yaml.ScalarNode {
		c.refuse(node, "a list or a mapping cannot be a key")
	}
	return node.Value
}

func (c *converter) scalar(node *yaml.Node) {
	switch node.Tag {
	case "!!str", "!!timestamp":
		c.out.Write(quoted(node.Value))
	case "!!null":
		c.out.WriteString("null")
	case "!!bool":
		var is bool
		if err := node.Decode(&is); err != nil {
			c.refuse(node, "%q is no truth value", clip(node.Value))
		}
		c.out.WriteString(strconv.FormatBool(is))
	case "!!int", "!!float":
		c.number(node)
	default:
		c.refuse(node, "the tag %s means nothing here: leave it out", clip(node.Tag))
	}
}

// number keeps the digits of one that JSON can have as it is.
func (c *converter) number(node *yaml.Node) {
	if json.Valid([]byte(node.Value)) {
		c.out.WriteString(node.Value)
		return
	}
	var whole int64
	if node.Tag == "!!int" && node.Decode(&whole) == nil {
		c.out.WriteString(strconv.FormatInt(whole, 10))
		return
	}
	var number float64
	if err := node.Decode(&number); err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		c.refuse(node, "%q is no number that JSON has: put it into quotes if it is a text", clip(node.Value))
		return
	}
	c.out.WriteString(strconv.FormatFloat(number, 'g', -1, 64))
}
