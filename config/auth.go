package config

import (
	"fmt"
	"slices"
	"strings"
)

func (d *decoder) tokens(v value) []Token {
	v.private = true
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
		"user":   func(v value) { t.User = d.text(v.public(), filled("the name of a user")) },
		"groups": func(v value) { t.Groups = d.texts(v.public(), filled("the name of a group")) },
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

// reference reads {FORM: WHERE}. Not even an unknown key shows in its errors: someone may have put braces round a secret.
func (d *decoder) reference(v value, forms []string) Secret {
	rules := map[string]rule{
		fromEnv:    envName(),
		fromFile:   filled("the path of a file"),
		fromSHA256: sha256Digest(),
	}
	if len(v.node.Content) != 2 || !slices.Contains(forms, v.node.Content[0].Value) {
		d.report(v, "a mapping of other keys, or of several, is not allowed: use "+secretUse(forms))
		return Secret{}
	}
	form, where := v.node.Content[0].Value, v.node.Content[1]
	if r := rules[form]; where.ShortTag() != tagStr || !r.ok(where.Value) {
		d.report(v.child(form, v.line), describe(where, true)+" is not allowed: use "+r.use)
	}
	return newSecret(form, where.Value)
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
