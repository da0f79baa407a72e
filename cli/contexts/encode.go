package contexts

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// errUnwritable: what was written would not be read again as it was meant.
var errUnwritable = errors.New("what stands in the file beside the contexts cannot be written back as it was; mend or remove it")

// Encode is the content of a file that has the contexts. What c was parsed with and is not known here is part of it.
func (c *Contexts) Encode() (content []byte, err error) {
	defer func() { // the encoder panics on what it cannot write
		if recover() != nil {
			content, err = nil, errUnwritable
		}
	}()
	root := c.root
	if root == nil {
		root = mapping()
	}
	put(root, keyCurrent, scalar(c.Current))
	list := member(root, keyContexts)
	if list == nil || list.Kind != yaml.SequenceNode {
		list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	}
	list.Content, list.Style = nil, 0
	for i := range c.All {
		list.Content = append(list.Content, c.All[i].encode())
	}
	put(root, keyContexts, list)
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(root), e.Close()); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	again, err := Parse(b.Bytes())
	if err != nil || !c.same(again) {
		return nil, errUnwritable
	}
	return b.Bytes(), nil
}

func (x *Context) encode() *yaml.Node {
	n := x.node
	if n == nil {
		n = mapping()
	}
	for _, f := range x.fields() {
		if text := f.get(); text != "" {
			put(n, f.key, &yaml.Node{Kind: yaml.ScalarNode, Tag: f.tag, Value: text})
		} else {
			remove(n, f.key)
		}
	}
	return n
}

func (c *Contexts) same(other *Contexts) bool {
	return c.Current == other.Current && slices.EqualFunc(c.All, other.All, func(x, y Context) bool {
		return slices.EqualFunc(x.fields(), y.fields(), func(a, b field) bool { return a.get() == b.get() })
	})
}

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func scalar(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
}

// put sets a key, in the place and with the comments that it had.
func put(n *yaml.Node, key string, value *yaml.Node) {
	if old := member(n, key); old != nil {
		value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
		*old = *value
		return
	}
	n.Content = append(n.Content, scalar(key), value)
}

func remove(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
