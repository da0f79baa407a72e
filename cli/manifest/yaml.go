package manifest

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// yamlFile takes a file of YAML apart.
type yamlFile struct {
	file  string
	found []raw
	wrong []error
}

// splitYAML reads one document after the other. What follows a mistake in the YAML of one cannot be told from it.
func splitYAML(file, text string) ([]raw, error) {
	f := &yamlFile{file: file}
	d := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document yaml.Node
		err := d.Decode(&document)
		if errors.Is(err, io.EOF) {
			return f.found, errors.Join(f.wrong...)
		}
		if err != nil {
			f.wrong = append(f.wrong, syntaxError(file, text, err))
			return f.found, errors.Join(f.wrong...)
		}
		if len(document.Content) == 1 {
			f.take(document.Content[0])
		}
	}
}

// syntaxError reads the line out of what the library says.
func syntaxError(file, content string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if found := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); found != nil {
		line, _ = strconv.Atoi(found[1])
		text = strings.TrimPrefix(text, found[0])
	} else if found := regexp.MustCompile(`^unknown anchor '(.*)'`).FindStringSubmatch(text); found != nil {
		line = lineOf(content, strings.Index(content, "*"+found[1]))
	}
	if strings.Contains(text, "character that cannot start any token") {
		text += " (a tab, perhaps: YAML is indented with spaces)"
	}
	return &Error{Place: Place{File: file, Line: max(line, 1)}, Text: "is not YAML: " + text}
}

// take takes a document, or an item of a list. One without content is none.
func (f *yamlFile) take(node *yaml.Node) {
	switch {
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
	case node.Kind == yaml.SequenceNode:
		for _, item := range node.Content {
			f.take(item)
		}
	case node.Kind == yaml.MappingNode, node.Kind == yaml.AliasNode:
		f.object(node)
	default:
		f.wrong = append(f.wrong, &Error{
			Place: Place{File: f.file, Line: node.Line},
			Text:  fmt.Sprintf("is the text %q, and no object with keys such as kind and name", clip(node.Value)),
		})
	}
}

func (f *yamlFile) object(node *yaml.Node) {
	c := converter{}
	c.value(node, 0)
	if c.wrong != "" {
		f.wrong = append(f.wrong, &Error{Place: Place{File: f.file, Line: c.line}, Text: c.wrong})
		return
	}
	o, err := ParseObject(c.out.Bytes())
	if err != nil { // an alias of a list, say
		f.wrong = append(f.wrong, &Error{Place: Place{File: f.file, Line: node.Line}, Text: err.Error()})
		return
	}
	items := itemsOf(node)
	if items == nil || !isList(o) {
		f.found = append(f.found, raw{node.Line, o})
		return
	}
	for _, item := range items.Content {
		f.take(item)
	}
}

// itemsOf is the sequence under items, or nil.
func itemsOf(node *yaml.Node) *yaml.Node {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == "items" && node.Content[i+1].Kind == yaml.SequenceNode {
			return node.Content[i+1]
		}
	}
	return nil
}

// clip bounds what a message repeats of a file.
func clip(text string) string {
	const most = 40
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most]) + "…"
	}
	return text
}
