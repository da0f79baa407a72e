package printer

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"kayra/cli/term"
)

// Tree lays a JSON document out as an indented tree: a line for each key, with what it holds below it where that is no text.
func Tree(p *term.Page, indent string, document []byte) error {
	root, err := parse(document)
	if err != nil {
		return err
	}
	branch(p, indent, root)
	return nil
}

func branch(p *term.Page, indent string, node *yaml.Node) {
	if node.Kind == yaml.SequenceNode {
		for i, child := range node.Content {
			leaf(p, indent, strconv.Itoa(i+1), 0, child)
		}
		return
	}
	if node.Kind != yaml.MappingNode {
		p.Cell(indent, "%s", plain(node))
		return
	}
	width := 0
	for i := 0; i+1 < len(node.Content); i += 2 {
		if w := term.Width(term.Escape(node.Content[i].Value)); isLeaf(node.Content[i+1]) && w <= widestLabel {
			width = max(width, w)
		}
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		leaf(p, indent, node.Content[i].Value, width, node.Content[i+1])
	}
}

// widestLabel is how wide a label may be for the others to be as wide.
const widestLabel = 24

func leaf(p *term.Page, indent, label string, width int, value *yaml.Node) {
	label = term.Escape(label) + ":"
	if !isLeaf(value) {
		p.WriteString(indent + label + "\n")
		branch(p, indent+"  ", value)
		return
	}
	pad := strings.Repeat(" ", max(0, width+1-term.Width(label)))
	text := plain(value)
	if len(value.Content) == 0 && value.Kind != yaml.ScalarNode || text == "" {
		text = "(none)"
	}
	p.Cell(indent+label+pad+"  ", "%s", text)
}

// isLeaf tells what is shown beside its label: a text, or a list of texts.
func isLeaf(node *yaml.Node) bool {
	if node.Kind == yaml.ScalarNode || len(node.Content) == 0 {
		return true
	}
	if node.Kind != yaml.SequenceNode {
		return false
	}
	for _, child := range node.Content {
		if child.Kind != yaml.ScalarNode {
			return false
		}
	}
	return true
}
