package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// field is a member of an object, or of one within it.
type field struct {
	name  string
	value json.RawMessage
}

// changes compares two objects. What is empty counts as what is not there.
func changes(before, after json.RawMessage) ([]Change, error) {
	was, err := flatten("", before)
	if err != nil {
		return nil, err
	}
	is, err := flatten("", after)
	if err != nil {
		return nil, err
	}
	out := []Change{}
	for _, f := range is {
		if old := valueOf(was, f.name); !bytes.Equal(old, f.value) {
			out = append(out, Change{f.name, old, f.value})
		}
	}
	for _, f := range was {
		if valueOf(is, f.name) == nil {
			out = append(out, Change{f.name, f.value, nil})
		}
	}
	return out, nil
}

func valueOf(fields []field, name string) json.RawMessage {
	i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return fields[i].value
}

// flatten lists what an object holds, in its order, and what the objects in it hold under names with dots.
func flatten(name string, value json.RawMessage) ([]field, error) {
	value = bytes.TrimSpace(value)
	if isEmpty(value) {
		return nil, nil
	}
	if value[0] != '{' {
		var b bytes.Buffer
		err := json.Compact(&b, value)
		return []field{{name, b.Bytes()}}, err //nolint:wrapcheck // New says what was read
	}
	if name != "" {
		name += "."
	}
	var all []field
	dec := json.NewDecoder(bytes.NewReader(value))
	if _, err := dec.Token(); err != nil {
		return nil, err //nolint:wrapcheck // New says what was read
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err //nolint:wrapcheck // New says what was read
		}
		var member json.RawMessage
		if err := dec.Decode(&member); err != nil {
			return nil, err //nolint:wrapcheck // New says what was read
		}
		inner, err := flatten(name+fmt.Sprint(key), member)
		if err != nil {
			return nil, err
		}
		all = append(all, inner...)
	}
	return all, nil
}

func isEmpty(value json.RawMessage) bool {
	switch string(value) {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}
