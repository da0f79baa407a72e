package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"kayra/store"
)

// Meta is what every stored record has beside its own fields.
type Meta struct {
	Revision int64 `json:"-"` // the store revision of the last write; 0: not stored yet

	unknown map[string]any // fields of a newer version, kept for the next write
}

type record interface{ meta() *Meta }

func (m *Meta) meta() *Meta { return m }

// Decode reads a stored record into v, which is a pointer to one of this package's record types.
func Decode(e store.Entry, v record) error {
	strict := json.NewDecoder(bytes.NewReader(e.Value))
	strict.DisallowUnknownFields()
	if strict.Decode(v) != nil {
		if err := decodeNewer(e.Value, v); err != nil {
			return fmt.Errorf("decode record %q: %w", e.Key, err)
		}
	}
	v.meta().Revision = e.ModRevision
	return nil
}

// decodeNewer reads a record that has fields which this version does not know.
func decodeNewer(data []byte, v record) error {
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("unmarshal: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var all map[string]any
	if err := d.Decode(&all); err != nil {
		return fmt.Errorf("unmarshal: %w", err)
	}
	v.meta().unknown = unknownFields(all, reflect.TypeOf(v).Elem())
	return nil
}

// unknownFields is what remains of all without the fields of t, at every depth of nested objects.
func unknownFields(all map[string]any, t reflect.Type) map[string]any {
	rest := map[string]any{}
	for name, value := range all {
		field, known := jsonField(t, name)
		if !known {
			rest[name] = value
			continue
		}
		object, ok := value.(map[string]any)
		if ok && field.Kind() == reflect.Struct {
			if inner := unknownFields(object, field); len(inner) > 0 {
				rest[name] = inner
			}
		}
	}
	return rest
}

func jsonField(t reflect.Type, name string) (reflect.Type, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name {
			ft := f.Type
			if ft.Kind() == reflect.Pointer {
				ft = ft.Elem()
			}
			return ft, true
		}
	}
	return nil, false
}

// encode is the opposite of Decode.
func encode(v record) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	unknown := v.meta().unknown
	if len(unknown) == 0 {
		return data, nil
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var known map[string]any
	if err := d.Decode(&known); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	if data, err = json.Marshal(merge(known, unknown)); err != nil {
		return nil, fmt.Errorf("encode record: %w", err)
	}
	return data, nil
}

func merge(known, unknown map[string]any) map[string]any {
	for name, value := range unknown {
		inner, ok := value.(map[string]any)
		object, both := known[name].(map[string]any)
		if ok && both {
			value = merge(object, inner)
		}
		known[name] = value
	}
	return known
}

// put is the operation that stores v under key.
func put(key string, v record) (store.Op, error) {
	data, err := encode(v)
	if err != nil {
		return store.Op{}, err
	}
	return store.Put(key, data), nil
}
