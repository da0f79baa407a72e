// Package rows says which things of a list are shown, and in which order.
package rows

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/selection"
)

// Selector says which things of a list are meant: those for which all of its conditions hold. Its zero value means all.
type Selector struct{ conditions []condition }

type condition struct {
	key   string // a.b is b of a
	value string
	not   bool
}

// ParseSelector reads conditions such as state=error,synced!=true. What stands in a value and would end it has a backslash
// in front.
func ParseSelector(text string) (Selector, error) {
	parsed, err := fields.ParseSelector(text)
	if err != nil {
		return Selector{}, fmt.Errorf("read selector: %w: write KEY=VALUE or KEY!=VALUE, joined by commas", err)
	}
	var s Selector
	for _, r := range parsed.Requirements() {
		if strings.Trim(r.Field, " .") != r.Field || r.Field == "" || slices.Contains(strings.Split(r.Field, "."), "") {
			return Selector{}, fmt.Errorf("read selector: %q is not a key: write one such as state or operator.workers", r.Field)
		}
		s.conditions = append(s.conditions, condition{r.Field, r.Value, r.Operator == selection.NotEquals})
	}
	return s, nil
}

// Empty tells that all things are meant.
func (s Selector) Empty() bool { return len(s.conditions) == 0 }

// Keys are those that the conditions look at.
func (s Selector) Keys() []string {
	var keys []string
	for _, c := range s.conditions {
		keys = append(keys, c.key)
	}
	return keys
}

// Values are those that the conditions compare a key with.
func (s Selector) Values(key string) []string {
	var values []string
	for _, c := range s.conditions {
		if c.key == key {
			values = append(values, c.value)
		}
	}
	return values
}

// Take removes a condition that the key has a value, and gives the value. A second one for the key stays.
func (s *Selector) Take(key string) (value string, ok bool) {
	i := slices.IndexFunc(s.conditions, func(c condition) bool { return c.key == key && !c.not })
	if i < 0 {
		return "", false
	}
	value = s.conditions[i].value
	s.conditions = slices.Delete(slices.Clone(s.conditions), i, i+1)
	return value, true
}

// Matches tells whether a JSON object is meant. A value is compared as text; that of a key which is not there, or null, is
// empty. A list has each of its values.
func (s Selector) Matches(object []byte) bool {
	if s.Empty() {
		return true
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	var value any
	if dec.Decode(&value) != nil {
		return false
	}
	for _, c := range s.conditions {
		if slices.Contains(valuesAt(value, strings.Split(c.key, ".")), c.value) == c.not {
			return false
		}
	}
	return true
}

// Has tells whether a JSON object has something at a key.
func Has(object []byte, key string) bool {
	var value any
	if json.Unmarshal(object, &value) != nil {
		return false
	}
	return !slices.Equal(valuesAt(value, strings.Split(key, ".")), []string{""})
}

// valuesAt are the values at a path, and never none.
func valuesAt(value any, path []string) []string {
	var found []string
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			found = append(found, valuesAt(element, path)...)
		}
	case map[string]any:
		if len(path) > 0 {
			return valuesAt(v[path[0]], path[1:])
		}
	case nil:
	default:
		if len(path) == 0 {
			found = append(found, fmt.Sprint(v))
		}
	}
	if len(found) == 0 {
		return []string{""}
	}
	return found
}
