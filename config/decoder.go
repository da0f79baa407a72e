package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// decoder turns nodes into values. It never stops at a mistake: it notes it and goes on, so that all are reported at
// once, and what it returns then does not matter.
type decoder struct {
	file     string
	lines    map[string]int // of the keys in the file
	problems []problem
	warnings []Warning
}

// value is one value with the way to it.
type value struct {
	node *yaml.Node
	key  string // the full dotted path
	line int    // in the file
	from string // the variable or flag that gave it; "" for the file

	private bool // a secret may stand here, where it does not belong: no error shows it
}

// fields says how each key of a mapping is read.
type fields map[string]func(value)

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// join appends a name to a dotted path, in quotes where it could be mistaken for something else.
func join(key, name string) string {
	if !plainKey.MatchString(name) {
		name = strconv.Quote(name)
	}
	if key == "" {
		return name
	}
	return key + "." + name
}

func element(key string, i int) string { return fmt.Sprintf("%s[%d]", key, i) }

// child is what v has under a name; line is used where it has nothing there.
func (v value) child(name string, line int) value {
	return value{node: member(v.node, name), key: join(v.key, name), line: line, from: v.from, private: v.private}
}

// public is the value where no secret is to be expected any more.
func (v value) public() value {
	v.private = false
	return v
}

func (d *decoder) place(v value) place {
	if v.from != "" {
		return place{name: v.from}
	}
	return place{name: d.file, line: v.line}
}

func (d *decoder) remember(v value) {
	if v.from == "" {
		d.lines[v.key] = v.line
	}
}

func (d *decoder) report(v value, text string) {
	d.problems = append(d.problems, problem{place: d.place(v), key: v.key, text: text})
}

// refuse reports a value; use says what is allowed.
func (d *decoder) refuse(v value, use string) {
	d.report(v, describe(v.node, v.private)+" is not allowed: use "+use)
}

func (d *decoder) warn(v value, text string) {
	d.warnings = append(d.warnings, Warning{Place: d.place(v).String(), Key: v.key, Text: text})
}

// members visits a mapping; use says what is allowed instead of anything else.
func (d *decoder) members(v value, use string, visit func(name string, child value)) {
	if !isMapping(v.node) {
		d.refuse(v, use)
		return
	}
	for i := 0; i+1 < len(v.node.Content); i += 2 {
		name := v.node.Content[i]
		child := value{node: v.node.Content[i+1], key: join(v.key, name.Value), line: name.Line, from: v.from, private: v.private}
		d.remember(child)
		visit(name.Value, child)
	}
}

// object reads a mapping of known keys and tells which were given. A key with null counts as left out.
func (d *decoder) object(v value, known fields) map[string]bool {
	names := slices.Sorted(maps.Keys(known))
	given := map[string]bool{}
	d.members(v, "a mapping of "+list(names), func(name string, child value) {
		read, ok := known[name]
		switch {
		case !ok && child.private && nearest(name, names) == "": // a secret with a colon behind it
			child.key = v.key
			d.report(child, "an "+unknownKey(name, names))
		case !ok:
			d.report(child, unknownKey(name, names))
		case !isNull(child.node):
			given[name] = true
			read(child)
		}
	})
	return given
}

func (d *decoder) require(v value, given map[string]bool, names ...string) {
	for _, name := range names {
		if isMapping(v.node) && !given[name] {
			d.report(v, name+" is missing")
		}
	}
}

// collect reads a list; use says what is allowed instead of anything else.
func collect[T any](d *decoder, v value, use string, each func(value) T) []T {
	if isNull(v.node) {
		return nil
	}
	if v.node.Kind != yaml.SequenceNode {
		d.refuse(v, use)
		return nil
	}
	all := make([]T, 0, len(v.node.Content))
	for i, item := range v.node.Content {
		child := value{node: item, key: element(v.key, i), line: item.Line, from: v.from, private: v.private}
		d.remember(child)
		all = append(all, each(child))
	}
	return all
}

func (d *decoder) text(v value, r rule) string {
	switch text := v.node.Value; {
	case v.node.ShortTag() == tagStr:
		if !r.ok(text) {
			d.refuse(v, r.use)
		}
	case v.node.Kind == yaml.ScalarNode && text != "" && r.ok(text):
		d.refuse(v, "text, with quotes around it")
	default:
		d.refuse(v, r.use)
	}
	return v.node.Value
}

func (d *decoder) texts(v value, r rule) []string {
	return collect(d, v, "a list, each of it "+r.use, func(v value) string { return d.text(v, r) })
}

func (d *decoder) duration(v value, least time.Duration) time.Duration {
	parsed, err := time.ParseDuration(v.node.Value)
	if v.node.ShortTag() != tagStr || err != nil || parsed < least {
		use := "a duration with its unit, such as 500ms, 30s or 5m"
		if least > time.Nanosecond {
			use += ", and at least " + least.String()
		} else if least > 0 {
			use += ", and more than 0"
		}
		d.refuse(v, use)
	}
	return parsed
}

func (d *decoder) integer(v value, least, most int64) int {
	if v.node.ShortTag() == tagInt {
		if n, err := jsonNumber(v.node); err == nil {
			if whole, ok := n.(int64); ok && whole >= least && whole <= min(most, math.MaxInt) {
				return int(whole)
			}
		}
	}
	d.refuse(v, fmt.Sprintf("a whole number from %d to %d", least, most))
	return 0
}

func (d *decoder) boolean(v value) bool {
	if v.node.ShortTag() != tagBool {
		d.refuse(v, "true or false")
	}
	return v.node.Value == "true" || v.node.Value == "True" || v.node.Value == "TRUE"
}

// number gives the text of a number as an answer in JSON would have it.
func (d *decoder) number(v value) string {
	n, err := jsonNumber(v.node)
	if err != nil {
		d.refuse(v, err.Error())
		return ""
	}
	text, _ := json.Marshal(n) // a number that jsonNumber accepts is one in JSON
	return string(text)
}

// operator reads a block whose keys others know.
func (d *decoder) operator(v value) any {
	if !isMapping(v.node) {
		d.refuse(v, "a mapping, as operator of an API registration")
		return nil
	}
	return d.json(v)
}

// json reads a tree of values as encoding/json takes it.
func (d *decoder) json(v value) any {
	switch v.node.ShortTag() {
	case tagMap:
		object := map[string]any{}
		d.members(v, "", func(name string, child value) { object[name] = d.json(child) })
		return object
	case tagSeq:
		return collect(d, v, "", d.json)
	case tagBool:
		return d.boolean(v)
	case tagInt, tagFloat:
		n, err := jsonNumber(v.node)
		if err != nil {
			d.refuse(v, err.Error())
		}
		return n
	case tagStr:
		return v.node.Value
	}
	return nil
}
