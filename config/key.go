package config

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

func textKey(name, def string, r rule, env ...string) key {
	return key{name, def, r.use, env, func(d *decoder, v value) any { return d.text(v, r) }}
}

func listKey(name string, def []string, r rule) key {
	return key{name, def, "a list, each " + r.use, nil, func(d *decoder, v value) any { return d.texts(v, r) }}
}

func durationKey(name string, def, least time.Duration) key {
	allows := "a duration such as 1m30s, of " + least.String() + " or more"
	if least <= time.Nanosecond {
		allows = "a duration such as 1m30s, " + map[time.Duration]string{0: "0s or more", time.Nanosecond: "more than 0s"}[least]
	}
	return key{name, def, allows, nil, func(d *decoder, v value) any { return d.duration(v, least) }}
}

func numberKey(name string, def int, least, most int64) key {
	return key{name, def, fmt.Sprintf("%d to %d", least, most), nil, func(d *decoder, v value) any { return d.integer(v, least, most) }}
}

func boolKey(name string, def bool) key {
	return key{name, def, "true or false", nil, func(d *decoder, v value) any { return d.boolean(v) }}
}

// secretKey is a secret that may be left out: an empty text and an empty mapping count as that.
func secretKey(name string) key {
	return key{name, Secret{}, "a secret: a text, {env: NAME} or {file: PATH}", nil, func(d *decoder, v value) any {
		if isMapping(v.node) && len(v.node.Content) == 0 {
			return Secret{}
		}
		s := d.secret(v, fromEnv, fromFile)
		if text, ok := s.Literal(); ok && text == "" {
			return Secret{}
		}
		return s
	}}
}

// variables are those that set the key, the strongest first.
func (k key) variables() []string { return append([]string{variableOf(k.name)}, k.env...) }

func variableOf(name string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(name, ".", "_"))
}

// written makes a node of a text that a variable or a flag holds. The kind of the key decides how it is understood, so
// that a region of digits stays a text.
func (k key) written(text string) *yaml.Node {
	switch k.def.(type) {
	case int, bool:
		n := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
		n.Tag = coreTag(n)
		return n
	case []string:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: tagSeq}
		for item := range strings.SplitSeq(text, ",") {
			n.Content = append(n.Content, textNode(strings.TrimSpace(item)))
		}
		return n
	}
	return textNode(text)
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: tagStr, Value: text}
}
