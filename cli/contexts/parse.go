package contexts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"kayra/config"
)

// The keys of the file and of a context in it.
const (
	keyCurrent  = "current"
	keyContexts = "contexts"
	keyName     = "name"
	keyServer   = "server"
	keyToken    = "token"
	keyLabel    = "label"

	keyReconcilers = "reconcilers"
)

const maxDepth = 100 // of the nesting of what is not known here

// Error is a mistake in a file. It never has a value of the file in it, which might be a token.
type Error struct {
	Line int // 0 where it is not known
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

func wrong(n *yaml.Node, format string, args ...any) error {
	return &Error{Line: n.Line, Text: fmt.Sprintf(format, args...)}
}

// Parse reads the content of a file. Its errors are of type [*Error].
func Parse(content []byte) (*Contexts, error) {
	root, err := tree(content)
	if err != nil || root == nil {
		return &Contexts{}, err
	}
	if err := check(root, 0); err != nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		return nil, wrong(root, "the file must have the keys %s and %s", keyCurrent, keyContexts)
	}
	c := &Contexts{root: root}
	if c.Current, err = textOf(root, keyCurrent); err != nil {
		return nil, err
	}
	list := member(root, keyContexts)
	if list == nil || isNull(list) {
		return c, nil
	}
	if list.Kind != yaml.SequenceNode {
		return nil, wrong(list, "%s must be a list", keyContexts)
	}
	for _, entry := range list.Content {
		x, err := contextOf(entry)
		if err != nil {
			return nil, err
		}
		if _, double := c.Find(x.Name); double {
			return nil, wrong(entry, "there is another context of that name")
		}
		c.All = append(c.All, x)
	}
	return c, nil
}

func contextOf(entry *yaml.Node) (Context, error) {
	x := Context{node: entry}
	if entry.Kind != yaml.MappingNode {
		return x, wrong(entry, "a context must have the keys %s and %s", keyName, keyServer)
	}
	for _, f := range x.fields() {
		text, err := textOf(entry, f.key)
		if err != nil {
			return x, err
		}
		if err := f.set(text); err != nil {
			return x, wrong(entry, "%s is %v", f.key, err)
		}
	}
	if err := CheckName(x.Name); err != nil {
		return x, wrong(entry, "%s is missing, or is no name for a context", keyName)
	}
	if err := CheckServer(x.Server); err != nil {
		return x, wrong(entry, "%s is missing, or %v", keyServer, err)
	}
	return x, nil
}

// field is a key of a context.
type field struct {
	key string
	tag string // of YAML
	get func() string
	set func(string) error
}

var (
	errNoSwitch = errors.New("neither true nor false")
	errNoLabel  = errors.New("no label: use few letters, digits and marks, without spaces")
)

func (x *Context) fields() []field {
	plain := func(key string, at *string) field {
		return field{key, "!!str", func() string { return *at }, func(text string) error {
			*at = text
			return nil
		}}
	}
	token := field{keyToken, "!!str", func() string {
		text, _ := x.Token.Literal() // the zero Secret has none
		return text
	}, func(text string) error {
		x.Token = config.SecretOf(text)
		return nil
	}}
	return []field{
		plain(keyName, &x.Name), plain(keyServer, &x.Server), token, plain("gateway_url", &x.GatewayURL),
		plain("ca_file", &x.CAFile), plain("cert_file", &x.CertFile), plain("key_file", &x.KeyFile), x.reconcilers(), x.label(),
	}
}

func (x *Context) reconcilers() field {
	return field{keyReconcilers, "!!bool", func() string {
		if x.Reconcilers {
			return "true"
		}
		return ""
	}, func(text string) error {
		if x.Reconcilers = text == "true"; !x.Reconcilers && text != "" && text != "false" {
			return errNoSwitch
		}
		return nil
	}}
}

func (x *Context) label() field {
	return field{keyLabel, "!!str", func() string { return x.Label }, func(text string) error {
		if x.Label = text; CheckLabel(text) != nil {
			return errNoLabel
		}
		return nil
	}}
}

var lineOf = regexp.MustCompile(`^yaml: line (\d+): `)

// tree reads the one document of a file; nil: it is empty.
func tree(content []byte) (root *yaml.Node, err error) {
	defer func() { // the parser panics on input that it believes impossible
		if recover() != nil {
			root, err = nil, &Error{Text: "is not valid YAML"}
		}
	}()
	if !utf8.Valid(content) {
		return nil, &Error{Text: "is not UTF-8"}
	}
	decoder, document, next := yaml.NewDecoder(bytes.NewReader(content)), yaml.Node{}, yaml.Node{}
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil //nolint:nilnil // an empty file is none that is wrong
	} else if err != nil {
		return nil, syntaxError(err)
	}
	if err := decoder.Decode(&next); err == nil {
		return nil, wrong(&next, "a second document is not allowed")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxError(err)
	}
	if isNull(document.Content[0]) {
		return nil, nil //nolint:nilnil // as above
	}
	return document.Content[0], nil
}

// syntaxError leaves out what the parser says, since the name of an anchor may be the beginning of a token.
func syntaxError(err error) error {
	e := &Error{Text: "is not valid YAML"}
	if found := lineOf.FindStringSubmatch(err.Error()); found != nil {
		_, _ = fmt.Sscan(found[1], &e.Line)
	}
	return e
}

// check refuses what could not be written back as it was: aliases, keys that are no text or stand there twice, and
// nesting without an end.
func check(n *yaml.Node, depth int) error {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return wrong(n, "aliases and anchors are not allowed; text that begins with * or & must be in quotes")
	case depth > maxDepth:
		return wrong(n, "is nested too deeply")
	}
	keys := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Kind != yaml.ScalarNode || keys[child.Value] {
				return wrong(child, "a key is no text, or stands there twice")
			}
			keys[child.Value] = true
		}
		if err := check(child, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// textOf is the text under a key, "" where there is none.
func textOf(n *yaml.Node, key string) (string, error) {
	value := member(n, key)
	switch {
	case value == nil || isNull(value):
		return "", nil
	case value.Kind != yaml.ScalarNode:
		return "", wrong(value, "%s must be a text", key)
	}
	return value.Value, nil
}

func member(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }
