package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
)

// reader reads the value that stands at a JSON pointer. What is wrong with it goes to the check that it was made by.
type reader func(at string, value json.RawMessage)

// maxMembers bounds an object, and with it what can be wrong with one.
const maxMembers = 40

const null = "null"

// object reads an object, which is JSON, by its keys. A key with null counts as left out.
func (c *check) object(at string, data json.RawMessage, known map[string]reader) {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, _ := d.Token(); open != json.Delim('{') {
		c.refuse(at, "%s; write an object", unfit(data, "an object"))
		return
	}
	seen := map[string]bool{}
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		_ = d.Decode(&value) // it is JSON
		name, _ := key.(string)
		read, ok := known[name]
		switch pointer := at + "/" + escape(name); {
		case len(seen) == maxMembers:
			c.refuse(at, "has more than %d keys", maxMembers)
			return
		case seen[name]:
			c.refuse(pointer, "is there twice: keep one of the two")
		case !ok:
			c.refuse(pointer, "is not a key that is known here: %s", instead(name, known))
		case string(value) != null:
			read(pointer, value)
		}
		seen[name] = true
	}
}

// escape makes a name part of a JSON pointer (RFC 6901).
func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(clip(name)) }

// instead says what to do about an unknown key.
func instead(name string, known map[string]reader) string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	slices.Sort(names)
	if near := nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "there are " + strings.Join(names, ", ")
}

// nearest is the word that a name is a likely misspelling of, or "".
func nearest(name string, words []string) string {
	const long = 40
	if len(name) > long {
		return ""
	}
	fold := strings.NewReplacer("-", "_", ".", "_")
	name = fold.Replace(strings.ToLower(name))
	best, least := "", max(1, len(name)/3)+1
	for _, word := range words {
		if d := levenshtein.ComputeDistance(name, strings.ToLower(word)); d < least {
			best, least = word, d
		}
	}
	return best
}

// array reads an array, which is JSON, of at most so many items. It returns nil for what is none, and otherwise a list.
func (c *check) array(at string, data json.RawMessage, most int) []json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(data))
	if open, _ := d.Token(); open != json.Delim('[') {
		c.refuse(at, "%s; write an array", unfit(data, "an array"))
		return nil
	}
	items := []json.RawMessage{}
	for d.More() {
		if len(items) == most {
			c.refuse(at, "has more than %d entries", most)
			return nil
		}
		var item json.RawMessage
		_ = d.Decode(&item) // it is JSON
		items = append(items, item)
	}
	return items
}

// unfit says what a value is that is not allowed, where a value of the kind is.
func unfit(value json.RawMessage, kind string) string {
	switch is := kindOf(value); is {
	case kind:
		return clip(string(value)) + " is not allowed"
	case "an object", "an array", null:
		return is + " is not allowed"
	default:
		return clip(string(value)) + " is " + is
	}
}

// kindOf names the kind of a JSON value.
func kindOf(value json.RawMessage) string {
	switch first := bytes.TrimLeft(value, " \t\r\n"); {
	case len(first) == 0:
		return "nothing"
	case first[0] == '{':
		return "an object"
	case first[0] == '[':
		return "an array"
	case first[0] == '"':
		return "a string"
	case first[0] == 't', first[0] == 'f':
		return "a boolean"
	case first[0] == 'n':
		return null
	}
	return "a number"
}

// whole reads a whole number within bounds.
func (c *check) whole(into **int, least, most int) reader {
	return func(at string, value json.RawMessage) {
		n, err := strconv.Atoi(string(value))
		if err != nil || n < least || n > most {
			c.refuse(at, "%s; write a whole number from %d to %d", unfit(value, "a number"), least, most)
			return
		}
		*into = &n
	}
}

// number reads a number that is not negative.
func (c *check) number(into **float64) reader {
	return func(at string, value json.RawMessage) {
		n, err := strconv.ParseFloat(string(value), 64)
		*into = &n // what is wrong with it is said here
		if kindOf(value) != "a number" || err != nil || n < 0 || math.IsInf(n, 0) {
			c.refuse(at, "%s; write a number from 0 to %g", unfit(value, "a number"), math.MaxFloat64)
		}
	}
}

// span is which durations are allowed.
type span struct {
	least, most time.Duration
	orZero      bool
}

func (s span) String() string {
	text := fmt.Sprintf("from %s to %s", Duration(s.least), Duration(s.most))
	if s.orZero {
		text += ", or 0s"
	}
	return text
}

func (s span) holds(d time.Duration) bool { return d >= s.least && d <= s.most || s.orZero && d == 0 }

// duration reads a text such as "1m30s".
func (c *check) duration(into **Duration, allowed span) reader {
	return func(at string, value json.RawMessage) {
		var text string
		err := json.Unmarshal(value, &text)
		d, parsing := time.ParseDuration(text)
		if err != nil || parsing != nil || !allowed.holds(d) {
			c.refuse(at, "%s; write a duration such as \"30s\", %s", unfit(value, "a string"), allowed)
			return
		}
		*into = new(Duration(d))
	}
}

// word reads one of several words. meant gives the one that another stands for, or "".
func (c *check) word(into *string, allowed []string, meant func(string) string) reader {
	return func(at string, value json.RawMessage) {
		var text string
		err := json.Unmarshal(value, &text)
		if err == nil && slices.Contains(allowed, text) {
			*into = text
			return
		}
		*into = allowed[0] // what is wrong with it is said here
		if near := meant(text); near != "" {
			c.refuse(at, "%s; did you mean %q?", unfit(value, "a string"), near)
			return
		}
		c.refuse(at, "%s; write one of %s", unfit(value, "a string"), strings.Join(allowed, ", "))
	}
}
