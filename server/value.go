package server

import (
	"bytes"
	"encoding/json"
	"fmt"

	"kayra/store/catalog"
)

// kindOf names the kind of a JSON value, for an error.
func kindOf(value json.RawMessage) string {
	for _, c := range value {
		switch c {
		case ' ', '\t', '\r', '\n':
		case '{':
			return "an object"
		case '[':
			return "an array"
		case '"':
			return "a string"
		case 't', 'f':
			return "a boolean"
		case 'n':
			return "null"
		default:
			return "a number"
		}
	}
	return "empty"
}

// text is the string under a key: nil when it is left out, empty when it is null.
func (o *object) text(key string) *string {
	value, ok := o.take(key)
	if !ok {
		return nil
	}
	var text string // null leaves it empty
	if json.Unmarshal(value, &text) != nil {
		o.refuse(key, "is %s; a string is allowed, or null", kindOf(value))
	}
	return &text
}

// boolean is the boolean under a key: nil when it is left out, and when it is null, what is the default.
func (o *object) boolean(key string, byDefault bool) *bool {
	value, ok := o.take(key)
	if !ok {
		return nil
	}
	is := byDefault // null leaves it so
	if json.Unmarshal(value, &is) != nil {
		o.refuse(key, "is %s; true and false are allowed, or null", kindOf(value))
	}
	return &is
}

// must tells whether a key is there. It can only be true.
func (o *object) must(key string) bool {
	value, ok := o.take(key)
	if ok && string(value) != "true" {
		o.refuse(key, "can only be true: leave it out instead")
	}
	return ok
}

// identity is the string under a key that has to be there.
func (o *object) identity(key string) string {
	value, ok := o.take(key)
	var text *string
	switch {
	case !ok:
		o.refuse(key, "is missing")
	case json.Unmarshal(value, &text) != nil || text == nil:
		o.refuse(key, "is %s; a string is allowed", kindOf(value))
	default:
		return *text
	}
	return ""
}

// same refuses a key that says something else than the path.
func (o *object) same(key, path string) {
	if _, ok := o.values[key]; !ok {
		return
	}
	if text := o.identity(key); len(o.wrong) == 0 && text != path {
		o.refuse(key, "is %q, but the path says %q: leave it out, or send the same", clip(text), path)
	}
}

// array is the array under a key, and whether the key is there. null is an empty one.
func (o *object) array(key string) ([]json.RawMessage, bool) {
	value, ok := o.take(key)
	if !ok {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(value))
	var items []json.RawMessage
	switch open, _ := d.Token(); open {
	case nil:
		return nil, true
	case json.Delim('['):
	default:
		o.refuse(key, "is %s; an array is allowed, or null", kindOf(value))
		return nil, false
	}
	for d.More() {
		if len(items) == maxItems {
			o.refuse(key, "has more than %d entries", maxItems)
			return nil, false
		}
		var item json.RawMessage
		_ = d.Decode(&item) // the body is JSON
		items = append(items, item)
	}
	return items, true
}

// names is an array of strings under a key, which cannot be empty.
func (o *object) names(key string) []string {
	before := len(o.wrong)
	names := o.texts(key)
	if names != nil && len(names) == 0 && len(o.wrong) == before {
		o.refuse(key, "is empty: name one at least, or leave it out")
	}
	return names
}

// texts is an array of strings under a key: nil when it is left out.
func (o *object) texts(key string) []string {
	items, ok := o.array(key)
	if !ok {
		return nil
	}
	names := make([]string, len(items))
	for i, item := range items {
		if kindOf(item) != "a string" {
			o.refuseAt(fmt.Sprintf("%s/%s/%d", o.at, key, i), "is %s; a string is allowed", kindOf(item))
			continue
		}
		_ = json.Unmarshal(item, &names[i]) // a string always fits
	}
	return names
}

// list is an array of strings under a key: nil when it is left out, empty when it is null.
func (o *object) list(key string) *[]string {
	if !o.has(key) {
		return nil
	}
	return new(o.texts(key))
}

// raw is what stands under a key, as it is: nil when it is left out.
func (o *object) raw(key string) json.RawMessage {
	value, _ := o.take(key)
	return value
}

// objects is an array of at most so many objects under a key, each read by its own call: nil when it is left out.
func objects[T any](o *object, key string, most int, read func(*object) T) *[]T {
	items, ok := o.array(key)
	if !ok {
		return nil
	}
	if len(items) > most {
		o.refuse(key, "has %d entries; at most %d are allowed", len(items), most)
		return nil
	}
	out := make([]T, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s/%s/%d", o.at, key, i)
		inner, err := parseObject(at, item)
		switch {
		case err != nil && kindOf(item) == "an object":
			o.refuseAt(at, "has more than %d keys", maxKeys)
			continue
		case err != nil:
			o.refuseAt(at, "is %s; an object is allowed", kindOf(item))
			continue
		}
		out[i] = read(inner)
		inner.refuseRest()
		o.wrong = append(o.wrong, inner.wrong...)
	}
	return &out
}

func dependency(o *object) catalog.Dependency {
	d := catalog.Dependency{Ref: catalog.Ref{Name: o.identity("name")}}
	set(&d.Platform, o.text("platform"))
	set(&d.Region, o.text("region"))
	if condition := o.text("condition"); condition != nil {
		d.Condition = catalog.Condition(*condition)
	}
	return d
}

func set(field, value *string) {
	if value != nil {
		*field = *value
	}
}

func (o *object) has(key string) bool {
	_, ok := o.values[key]
	return ok
}

// filled is the string under a key that has to be there and to say something.
func (o *object) filled(key string) string {
	before := len(o.wrong)
	text := o.identity(key)
	if text == "" && len(o.wrong) == before {
		o.refuse(key, "is empty; it must say something")
	}
	return text
}

// needed is an array of strings under a key that has to be there.
func (o *object) needed(key string) []string {
	if !o.has(key) {
		o.refuse(key, "is missing")
		return nil
	}
	return o.names(key)
}
