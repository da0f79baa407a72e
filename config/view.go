package config

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Setting is one value as it is in force, for people to read.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`  // masked if it is secret; lists separated by commas
	Source string `json:"source"` // "flag --NAME", "env NAME", "file PATH:LINE" or "default"
}

// File is the path of the file that was read, or "" if none was found.
func (c *Config) File() string { return c.file }

// Source tells where the value of a key comes from, in the form of [Setting]. For a key inside of a list or a part with a
// structure of its own, such as reconciler.mode.api[0].endpoint, it is the line of that key or of the nearest above it.
func (c *Config) Source(name string) string {
	for at := name; at != ""; at = above(at) {
		source, ok := c.sources[at]
		switch line := nearestLine(c.lines, name); {
		case ok && line > 0 && strings.HasPrefix(source, "file "):
			return "file " + place{c.file, line}.String()
		case ok:
			return source
		}
	}
	return "default"
}

// nearestLine finds the line of a key or of the nearest one above it that stands in the file, or 0.
func nearestLine(lines map[string]int, name string) int {
	for ; name != ""; name = above(name) {
		if line, ok := lines[name]; ok {
			return line
		}
	}
	return 0
}

// above is the key that a key or an element lies in.
func above(name string) string { return name[:max(0, strings.LastIndexAny(name, ".["))] }

// RequireScope fails unless platform and region are set, as every process but a client needs them.
func (c *Config) RequireScope() error {
	var problems []problem
	for _, scope := range []struct{ key, value string }{{"platform", c.Platform}, {"region", c.Region}} {
		if scope.value == "" {
			text := fmt.Sprintf("is not set: set it in %s or by %s", cmp.Or(c.file, fileName), variableOf(scope.key))
			if c.closed != "" {
				text = fmt.Sprintf("is not set: this user may not read %s; set it by %s", c.closed, variableOf(scope.key))
			}
			problems = append(problems, problem{place: place{name: c.file}, key: scope.key, text: text})
		}
	}
	return failure(problems)
}

// Settings lists every value in force by key, also those at their default.
func (c *Config) Settings() []Setting {
	all := flatten(c.view, "")
	slices.SortFunc(all, func(a, b Setting) int { return cmp.Compare(a.Key, b.Key) })
	return all
}

func flatten(n *yaml.Node, name string) []Setting {
	if n.Kind == yaml.ScalarNode || n.Style&yaml.FlowStyle != 0 {
		return []Setting{{Key: name, Value: plain(n), Source: n.LineComment}}
	}
	var all []Setting
	for i := 0; i < len(n.Content); i++ {
		if n.Kind == yaml.SequenceNode {
			all = append(all, flatten(n.Content[i], element(name, i))...)
			continue
		}
		all = append(all, flatten(n.Content[i+1], join(name, n.Content[i].Value))...)
		i++
	}
	return all
}

// plain writes a scalar or a list of scalars on a line.
func plain(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		return ""
	}
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	items := make([]string, 0, len(n.Content))
	for _, item := range n.Content {
		items = append(items, item.Value)
	}
	return strings.Join(items, ",")
}

// YAML writes the values in force as a file of their own, each with its source as a comment.
func (c *Config) YAML() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(c.view); err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return nil, fmt.Errorf("encode configuration: %w", err)
	}
	return out.Bytes(), nil
}
