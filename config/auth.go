package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (d *decoder) tokens(v value) []Token {
	tokens := collect(d, v, "a list of {user, groups, token}", d.token)
	first := map[string]int{}
	for i, t := range tokens {
		text, ok := t.Token.Literal()
		if before, twice := first[text]; ok && twice {
			item := value{node: v.node.Content[i], key: element(v.key, i), line: v.node.Content[i].Line}
			d.report(item, fmt.Sprintf("has the same token as %s: give each its own", element(v.key, before)))
		} else if ok {
			first[text] = i
		}
	}
	return tokens
}

func (d *decoder) token(v value) Token {
	var t Token
	given := d.object(v, fields{
		"user":   func(v value) { t.User = d.text(v, filled("the name of a user")) },
		"groups": func(v value) { t.Groups = d.texts(v, filled("the name of a group")) },
		"token":  func(v value) { t.Token = d.bearer(v) },
	})
	d.require(v, given, "user", "token")
	return t
}

// bearer reads a token that callers show: one that may be known by its digest alone, and never an empty one.
func (d *decoder) bearer(v value) Secret {
	s := d.secret(v, fromEnv, fromFile, fromSHA256)
	if text, ok := s.Literal(); ok && strings.TrimSpace(text) != text || ok && text == "" {
		d.report(v, "an empty token, or one with spaces around it, is not allowed")
	}
	return s
}

// secret reads a text, or a mapping of one of the forms to where the secret is found. Its errors show no value.
func (d *decoder) secret(v value, forms ...string) Secret {
	text := v.node.Value
	switch {
	case isMapping(v.node):
		return d.reference(v, forms)
	case v.node.ShortTag() != tagStr:
		d.report(v, describe(v.node, true)+" is not allowed: use "+secretUse(forms))
	case strings.ContainsFunc(strings.TrimSpace(text), isControl) || strings.ContainsAny(text, "\r\n"):
		d.report(v, "line breaks and control characters are not allowed: use text on one line")
	}
	return newSecret(fromText, text)
}

func (d *decoder) reference(v value, forms []string) Secret {
	var s Secret
	rules := map[string]rule{
		fromEnv:    envName(),
		fromFile:   filled("the path of a file"),
		fromSHA256: sha256Digest(),
	}
	if len(v.node.Content) != 2 { // one name and its value
		d.report(v, "must have one key: use "+secretUse(forms))
		return s
	}
	known := fields{}
	for _, form := range forms {
		known[form] = func(v value) {
			if r := rules[form]; v.node.ShortTag() != tagStr || !r.ok(v.node.Value) {
				d.report(v, describe(v.node, true)+" is not allowed: use "+r.use)
			}
			s = newSecret(form, v.node.Value)
		}
	}
	if given := d.object(v, known); len(given) == 0 {
		d.report(v, "must have a value: use "+secretUse(forms))
	}
	return s
}

func secretUse(forms []string) string {
	names := map[string]string{fromEnv: "{env: NAME}", fromFile: "{file: PATH}", fromSHA256: "{sha256: HEX}"}
	uses := []string{"text in quotes"}
	for _, form := range forms {
		uses = append(uses, names[form])
	}
	return list(uses)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// named collects the environment variables that a file reads: those of {env: NAME} and of {{ env "NAME" }}.
func named(n *yaml.Node, names map[string]bool) {
	if n.Kind == yaml.ScalarNode {
		for _, found := range templateEnv.FindAllStringSubmatch(n.Value, -1) {
			names[found[1]] = true
		}
		return
	}
	if name := member(n, fromEnv); name != nil {
		names[name.Value] = true
	}
	for _, child := range n.Content {
		named(child, names)
	}
}
