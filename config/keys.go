package config

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Key is a key that kayra.yaml may have, for people to read.
type Key struct {
	Name      string
	Default   string
	Allows    string   // what it may be
	Variables []string // environment variables that set it, the strongest first; none for one with a structure of its own
}

// Keys are all keys, in the order of the file's example. Those below a key with a structure of its own are none of them.
func Keys() []Key {
	var out []Key
	for _, k := range settings() {
		out = append(out, Key{k.name, inline(k.def), k.allows, k.variables()})
	}
	for _, p := range parts() {
		allows, def := "a mapping", "{}"
		if p.kind == yaml.SequenceNode {
			allows, def = "a list", "[]"
		}
		out = append(out, Key{p.name, def, allows, nil})
	}
	return out
}

// inline is a value as it could stand in the file.
func inline(def any) string {
	n := shown(def)
	n.Style = yaml.FlowStyle
	text, err := yaml.Marshal(n)
	if err != nil {
		return fmt.Sprint(def)
	}
	return strings.TrimSpace(string(text))
}
