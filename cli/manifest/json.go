package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// jsonFile takes a file of JSON apart.
type jsonFile struct {
	file, text string
	found      []raw
	wrong      []error
}

// splitJSON reads one value after the other. What follows a mistake in one cannot be told from it.
func splitJSON(file, text string) ([]raw, error) {
	f := &jsonFile{file: file, text: text}
	d := json.NewDecoder(strings.NewReader(text))
	for {
		start := beginning(text, d.InputOffset())
		if start == len(text) {
			return f.found, errors.Join(f.wrong...)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			f.refuse(f.wrongAt(err), "is not JSON: %s", strings.TrimPrefix(err.Error(), "json: "))
			return f.found, errors.Join(f.wrong...)
		}
		f.take(value, start)
	}
}

// beginning is where the next value begins, behind what stands between values.
func beginning(text string, offset int64) int {
	rest := text[offset:]
	return len(text) - len(strings.TrimLeft(rest, " \t\r\n,:"))
}

func (f *jsonFile) wrongAt(err error) int {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return int(syntax.Offset) - 1
	}
	return len(strings.TrimRight(f.text, " \t\r\n"))
}

func (f *jsonFile) refuse(offset int, format string, args ...any) {
	f.wrong = append(f.wrong, &Error{Place: Place{File: f.file, Line: lineOf(f.text, offset)}, Text: fmt.Sprintf(format, args...)})
}

// take takes a value that stands at the offset: an object, or a list of them.
func (f *jsonFile) take(value json.RawMessage, at int) {
	switch value[0] {
	case '[':
		f.each(value, at)
	case '{':
		if key, offset := twice(value); offset > 0 {
			f.refuse(at+offset, "%q is there twice", key)
			return
		}
		o, err := ParseObject(value)
		if err != nil { // the decoder has read it already
			f.refuse(at, "%v", err)
			return
		}
		if !isList(o) {
			f.found = append(f.found, raw{lineOf(f.text, at), o})
			return
		}
		items := o[o.index("items")]
		f.each(items.Value, at+items.at)
	default:
		f.refuse(at, "%s", noObject(value))
	}
}

// each takes the items of an array.
func (f *jsonFile) each(array json.RawMessage, at int) {
	d := json.NewDecoder(strings.NewReader(string(array)))
	_, _ = d.Token() // the bracket
	for d.More() {
		start := beginning(string(array), d.InputOffset())
		var item json.RawMessage
		if err := d.Decode(&item); err != nil { // the decoder has read it already
			f.refuse(at+start, "%v", err)
			return
		}
		f.take(item, at+start)
	}
}

// twice finds a key that an object, or one in it, has twice, and where it stands; 0: there is none.
func twice(value json.RawMessage) (key string, offset int) {
	d := json.NewDecoder(strings.NewReader(string(value)))
	d.UseNumber()
	return twiceIn(d)
}

func twiceIn(d *json.Decoder) (key string, offset int) {
	open, _ := d.Token()
	if open != json.Delim('{') && open != json.Delim('[') {
		return "", 0
	}
	seen := map[string]bool{}
	for d.More() {
		if open == json.Delim('{') {
			name, _ := d.Token()
			text, _ := name.(string)
			if seen[text] {
				return text, int(d.InputOffset())
			}
			seen[text] = true
		}
		if key, offset := twiceIn(d); offset > 0 {
			return key, offset
		}
	}
	_, _ = d.Token() // the closing bracket
	return "", 0
}

// isList tells a list as Kayra answers one, or as it is written for Kubernetes, from an object.
func isList(o Object) bool {
	items := o.Get("items")
	if len(items) == 0 || items[0] != '[' {
		return false
	}
	for _, m := range o.Without("items", "continue", "apiVersion", "metadata") {
		if m.Key != "kind" || string(m.Value) != `"List"` {
			return false
		}
	}
	return true
}

func noObject(value json.RawMessage) string {
	what := "a number"
	switch value[0] {
	case '"':
		what = "a text"
	case 't', 'f':
		what = "a truth value"
	case 'n':
		what = "null"
	}
	return "is " + what + ", and no object with keys such as kind and name"
}
