package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// path is a parsed dot path such as .items[0].id.
type path []hop

// hop is one step of a path: a field of an object, or an index of an array where field is empty.
type hop struct {
	field string
	index int
}

const errPath = plainError("is not a path: use object fields and [n] indices, such as .status or .items[0].id")

// parsePath reads fields and [n] indices. The dot at the beginning may be left out.
func parsePath(text string) (path, error) {
	var p path
	rest := strings.TrimPrefix(text, ".")
	for first := true; first || rest != ""; first = false {
		h, after, ok := nextHop(rest, first)
		if !ok {
			return nil, errPath
		}
		p, rest = append(p, h), after
	}
	return p, nil
}

func nextHop(rest string, first bool) (h hop, after string, ok bool) {
	if inner, found := strings.CutPrefix(rest, "["); found {
		digits, after, closed := strings.Cut(inner, "]")
		n, err := strconv.ParseUint(digits, 10, 31)
		return hop{index: int(n)}, after, closed && err == nil
	}
	if !first {
		if rest, ok = strings.CutPrefix(rest, "."); !ok {
			return hop{}, "", false
		}
	}
	end := strings.IndexAny(rest, ".[")
	if end < 0 {
		end = len(rest)
	}
	field := rest[:end]
	return hop{field: field}, rest[end:], field != "" && !strings.ContainsAny(field, "]{}()\"'*? \t\r\n")
}

// document is a decoded JSON answer whose numbers keep their text.
type document struct{ root any }

// parseDocument reports false for what is not exactly one JSON value.
func parseDocument(body []byte) (document, bool) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var d document
	if dec.Decode(&d.root) != nil {
		return document{}, false
	}
	_, err := dec.Token()
	return d, errors.Is(err, io.EOF)
}

// text gives the value at p: a string, number or boolean as it is, an object or array as compact JSON. It reports false
// where p leads nowhere or to null.
func (d document) text(p path) (string, bool) {
	at := d.root
	for _, h := range p {
		var ok bool
		if at, ok = h.from(at); !ok {
			return "", false
		}
	}
	switch v := at.(type) {
	case nil:
		return "", false
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return compact(at), true
}

func (h hop) from(at any) (any, bool) {
	if h.field != "" {
		object, _ := at.(map[string]any)
		v, ok := object[h.field]
		return v, ok
	}
	list, _ := at.([]any)
	if h.index >= len(list) {
		return nil, false
	}
	return list[h.index], true
}

func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // what was decoded from JSON can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
