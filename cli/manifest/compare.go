package manifest

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Covers tells whether a thing is as an object wants it, so that writing it would change nothing. Of an object only the keys
// that are wanted count, at any depth; a list is what it is as a whole. What is wanted to be null or empty may as well not be
// there. Durations of an operator block are compared as such.
func Covers(is Object, wanted Object) bool {
	for _, m := range wanted {
		if !same(is.Get(m.Key), m.Value, compared{durations: m.Key == "operator"}) {
			return false
		}
	}
	return true
}

// compared says how values are compared.
type compared struct {
	durations bool // texts may be durations
	whole     bool // keys count that are not wanted
}

func same(is, wanted json.RawMessage, by compared) bool {
	is, wanted = bytes.TrimSpace(is), bytes.TrimSpace(wanted)
	if isEmpty(is) || isEmpty(wanted) {
		return isEmpty(is) && isEmpty(wanted) && (isNull(is) || isNull(wanted) || is[0] == wanted[0])
	}
	if is[0] != wanted[0] {
		return isNumber(is) && isNumber(wanted) && sameNumber(string(is), string(wanted))
	}
	switch is[0] {
	case '{':
		return sameObject(is, wanted, by)
	case '[':
		return sameList(is, wanted, by)
	case '"':
		return sameText(is, wanted, by)
	}
	return bytes.Equal(is, wanted) || isNumber(is) && sameNumber(string(is), string(wanted))
}

func sameObject(is, wanted json.RawMessage, by compared) bool {
	have, err := ParseObject(is)
	if err != nil {
		return false
	}
	want, err := ParseObject(wanted)
	if err != nil {
		return false
	}
	if by.whole {
		for _, m := range have {
			if !want.Has(m.Key) && !isEmpty(m.Value) {
				return false
			}
		}
	}
	for _, m := range want {
		if !same(have.Get(m.Key), m.Value, by) {
			return false
		}
	}
	return true
}

func sameList(is, wanted json.RawMessage, by compared) bool {
	by.whole = true
	var have, want []json.RawMessage
	if json.Unmarshal(is, &have) != nil || json.Unmarshal(wanted, &want) != nil || len(have) != len(want) {
		return false
	}
	for i := range want {
		if !same(have[i], want[i], by) {
			return false
		}
	}
	return true
}

func sameText(is, wanted json.RawMessage, by compared) bool {
	var have, want string
	if json.Unmarshal(is, &have) != nil || json.Unmarshal(wanted, &want) != nil {
		return false
	}
	if have == want || !by.durations {
		return have == want
	}
	a, err := time.ParseDuration(have)
	if err != nil {
		return false
	}
	b, err := time.ParseDuration(want)
	return err == nil && a == b
}

func isNumber(value json.RawMessage) bool {
	return len(value) > 0 && (value[0] == '-' || value[0] >= '0' && value[0] <= '9')
}

// sameNumber compares whole numbers by their digits: as floats, large ones would be the same as their neighbours.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.ContainsAny(a+b, ".eE") {
		return false
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}

func isNull(value json.RawMessage) bool { return len(value) == 0 || string(value) == "null" }

// isEmpty tells what a server makes of nothing.
func isEmpty(value json.RawMessage) bool {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return len(bytes.TrimSpace(value)) == 0
	}
	switch b.String() {
	case "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// Merge is the thing after a change of it has been applied as RFC 7396 says, except that a key that is null stays, as null.
func Merge(is Object, change Object) Object {
	out := is.Without() // a copy
	for _, m := range change {
		i := out.index(m.Key)
		if i < 0 {
			out = append(out, m)
			continue
		}
		have, err := ParseObject(out[i].Value)
		inner, wrong := ParseObject(m.Value)
		if err == nil && wrong == nil {
			m.Value = Merge(have, inner).JSON()
		}
		out[i].Value = m.Value
	}
	return out
}

// Difference is the change that makes a thing what is wanted: of an object the keys that differ, at any depth. One that is not
// wanted any more is null.
func Difference(is Object, wanted Object) Object {
	change := Object{}
	for _, m := range wanted {
		have := is.Get(m.Key)
		if same(have, m.Value, compared{durations: m.Key == "operator", whole: true}) {
			continue
		}
		inner, err := ParseObject(have)
		other, wrong := ParseObject(m.Value)
		if err == nil && wrong == nil {
			m.Value = Difference(inner, other).JSON()
		}
		change = append(change, m)
	}
	for _, m := range is {
		if !wanted.Has(m.Key) && !isEmpty(m.Value) {
			change = append(change, Member{Key: m.Key, Value: json.RawMessage("null")})
		}
	}
	return change
}

// Patch is the thing after a change of it has been applied as RFC 7396 says.
func Patch(is Object, change Object) Object {
	out := is.Without() // a copy
	for _, m := range change {
		if isNull(m.Value) {
			out = out.Without(m.Key)
			continue
		}
		if inner, err := ParseObject(m.Value); err == nil {
			have, _ := ParseObject(out.Get(m.Key)) // none: all of it is new
			m.Value = Patch(have, inner).JSON()
		}
		if i := out.index(m.Key); i >= 0 {
			out[i].Value = m.Value
		} else {
			out = append(out, m)
		}
	}
	return out
}
