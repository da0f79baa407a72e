package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

const envPrefix = "KAYRA_"

var templateEnv = regexp.MustCompile("\\benv\\s+[\"`]([^\"`]+)[\"`]")

// environment is a list of NAME=VALUE by name.
func environment(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, item := range list {
		if name, text, ok := strings.Cut(item, "="); ok {
			env[name] = text
		}
	}
	return env
}

// readEnv lets the strongest variable of each key, if it is not empty, override the file.
func (l *loader) readEnv() {
	for _, k := range l.keys {
		for _, name := range k.variables() {
			if text := l.env[name]; text != "" {
				l.given(k, text, "env "+name)
				break
			}
		}
	}
}

// given puts the text that a variable or a flag holds over the file.
func (l *loader) given(k key, text, from string) {
	v := value{node: k.written(text), key: k.name, from: from}
	if !utf8.ValidString(text) {
		l.report(v, "only UTF-8 is allowed")
		return
	}
	l.take(k, v, l.override)
}

// warnUnknown warns of the variables that look like Kayra's but are read by nobody.
func (l *loader) warnUnknown(root *yaml.Node, others []string) {
	known := map[string]bool{"KAYRA_CONFIG": true}
	for _, name := range others {
		known[name] = true
	}
	var names []string
	for _, k := range l.keys {
		names = append(names, variableOf(k.name))
		known[variableOf(k.name)] = true
	}
	named(root, known)
	for _, name := range slices.Sorted(maps.Keys(l.env)) {
		if strings.HasPrefix(name, envPrefix) && !known[name] {
			l.warnings = append(l.warnings, Warning{Place: "env " + name, Text: l.unknownVariable(name, names)})
		}
	}
}

func (l *loader) unknownVariable(name string, names []string) string {
	for _, p := range l.parts {
		if variableOf(p.name) == name {
			return fmt.Sprintf("is ignored: %s can be set in the file only", p.name)
		}
	}
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("is ignored, since no key has that name: did you mean %s?", near)
	}
	return "is ignored, since no key has that name"
}

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
