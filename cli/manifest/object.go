package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Object is a JSON object whose keys keep their order.
type Object []Member

// Member is a key of an object and what stands under it.
type Member struct {
	Key   string
	Value json.RawMessage

	at int // where the value stands in what was read
}

// Get is what stands under a key, or nil.
func (o Object) Get(key string) json.RawMessage {
	if i := o.index(key); i >= 0 {
		return o[i].Value
	}
	return nil
}

// Has tells whether there is such a key.
func (o Object) Has(key string) bool { return o.index(key) >= 0 }

func (o Object) index(key string) int {
	return slices.IndexFunc(o, func(m Member) bool { return m.Key == key })
}

// Without is the object without some keys.
func (o Object) Without(keys ...string) Object {
	return slices.DeleteFunc(slices.Clone(o), func(m Member) bool { return slices.Contains(keys, m.Key) })
}

// JSON is the object as JSON.
func (o Object) JSON() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(quoted(m.Key))
		b.WriteByte(':')
		b.Write(m.Value)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// text is the text under a key; ok tells whether it is one that says something.
func (o Object) text(key string) (text string, ok bool) {
	return text, json.Unmarshal(o.Get(key), &text) == nil && text != ""
}

// quoted leaves text as it was; json.Marshal would escape what HTML needs escaped.
func quoted(text string) []byte {
	if !strings.ContainsFunc(text, needsMore) {
		return []byte(`"` + text + `"`)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string always can be
	return bytes.TrimSpace(b.Bytes())
}

// needsMore tells a letter that does not stand for itself in JSON, or may not.
func needsMore(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }

// ParseObject reads a JSON object. It fails for anything else.
func ParseObject(data []byte) (Object, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	open, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if open != json.Delim('{') {
		return nil, errors.New("read JSON: it is no object")
	}
	o := Object{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("read JSON: %w", err)
		}
		name, _ := key.(string)
		o = append(o, Member{name, value, int(d.InputOffset()) - len(value)})
	}
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	return o, nil
}
