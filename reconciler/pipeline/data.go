package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"
)

// node is a part of a step's data. It writes itself as JSON, its strings and constants in the form given.
type node interface {
	encode(sc *scope, form form, to *bytes.Buffer) error
}

// form is how the parts of a body are written.
type form interface {
	text(spans []span) ([]byte, error) // as JSON
	constant(encoded []byte) []byte
}

// sent is the form that is sent.
type sent struct{}

func (sent) text(spans []span) ([]byte, error) {
	return json.Marshal(plain(spans)) //nolint:wrapcheck // a string can always be encoded
}

func (sent) constant(encoded []byte) []byte { return encoded }

type (
	constant []byte // encoded already
	object   struct {
		keys   [][]byte // encoded, sorted
		values []node
	}
	list []node
)

func (c constant) encode(_ *scope, form form, to *bytes.Buffer) error {
	to.Write(form.constant(c))
	return nil
}

func (t *text) encode(sc *scope, form form, to *bytes.Buffer) error {
	spans, err := t.render(sc)
	if err != nil {
		return err
	}
	encoded, err := form.text(spans)
	to.Write(encoded)
	return err
}

func (o object) encode(sc *scope, form form, to *bytes.Buffer) error {
	to.WriteByte('{')
	for i, v := range o.values {
		if i > 0 {
			to.WriteByte(',')
		}
		to.Write(o.keys[i])
		to.WriteByte(':')
		if err := v.encode(sc, form, to); err != nil {
			return err
		}
	}
	to.WriteByte('}')
	return nil
}

func (l list) encode(sc *scope, form form, to *bytes.Buffer) error {
	to.WriteByte('[')
	for i, v := range l {
		if i > 0 {
			to.WriteByte(',')
		}
		if err := v.encode(sc, form, to); err != nil {
			return err
		}
	}
	to.WriteByte(']')
	return nil
}

// dataCompiler reports each mistake in a step's data with the field it stands in.
type dataCompiler struct {
	text   func(field, source string) *text
	report func(field string, err error)
}

func (d dataCompiler) compile(field string, v any) node {
	switch v := v.(type) {
	case string:
		return d.text(field, v)
	case map[string]any:
		return d.object(field, v)
	case []any:
		l := make(list, len(v))
		for i, item := range v {
			l[i] = d.compile(field+"["+strconv.Itoa(i)+"]", item)
		}
		return l
	}
	encoded, err := encodeScalar(v)
	d.check(field, err)
	return constant(encoded)
}

func (d dataCompiler) object(field string, v map[string]any) node {
	var o object
	for _, key := range slices.Sorted(maps.Keys(v)) {
		encoded, err := json.Marshal(key)
		d.check(field, err)
		o.keys = append(o.keys, encoded)
		o.values = append(o.values, d.compile(field+"."+key, v[key]))
	}
	return o
}

func (d dataCompiler) check(field string, err error) {
	if err != nil {
		d.report(field, err)
	}
}

// encodeScalar refuses other collections than those that compile walks, since their strings would not be rendered.
func encodeScalar(v any) ([]byte, error) {
	switch v.(type) {
	case nil, bool, json.Number, float32, float64, time.Time,
		int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		encoded, err := json.Marshal(v)
		if err != nil {
			return nil, errors.New("is not a number that JSON has")
		}
		return encoded, nil
	}
	return nil, fmt.Errorf("a %T is not allowed: use text, numbers, true, false, null, lists and objects", v)
}
