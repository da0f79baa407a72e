package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
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

// placed is a record that has the names of its key.
type placed interface{ standsAt(key string) bool }

// Decode reads a stored record into v, which is a pointer to one of this package's record types. It fails for what is not
// one JSON object, and for the record of another key.
func Decode(e store.Entry, v record) error {
	strict := json.NewDecoder(bytes.NewReader(e.Value))
	strict.DisallowUnknownFields()
	if strict.Decode(v) != nil || strict.InputOffset() != int64(len(e.Value)) {
		if err := decodeNewer(e.Value, v); err != nil {
			return fmt.Errorf("decode record %q: %w", e.Key, err)
		}
	}
	if string(e.Value) == "null" {
		return fmt.Errorf("decode record %q: it is null", e.Key)
	}
	if p, ok := v.(placed); ok && !p.standsAt(e.Key) {
		return fmt.Errorf("decode record %q: it is the record of another key", e.Key)
	}
	stamp(v, e.ModRevision)
	return nil
}

// isNamed tells whether a key ends in the names, of which none may be given.
func isNamed(key string, names ...string) bool {
	end := strings.Join(names, "/")
	return strings.Trim(end, "/") == "" || strings.HasSuffix(key, "/"+end)
}

func (r *Registration) standsAt(key string) bool { return isNamed(key, r.Name) }

func (h *Health) standsAt(key string) bool { return isNamed(key, h.API) }

func (n *Namespace) standsAt(key string) bool { return isNamed(key, n.Name) }

func (r *Role) standsAt(key string) bool { return isNamed(key, r.Name) }

func (b *RoleBinding) standsAt(key string) bool { return isNamed(key, b.Name) }

func (s *Subscription) standsAt(key string) bool { return isNamed(key, s.API, s.Namespace) }

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

// unknownFields is what remains of all without the fields of t, at every depth of nested objects, and in the objects of
// an array.
func unknownFields(all map[string]any, t reflect.Type) map[string]any {
	rest := map[string]any{}
	for name, value := range all {
		field, known := jsonField(t, name)
		if !known {
			rest[name] = value
			continue
		}
		switch value := value.(type) {
		case map[string]any:
			if field.Kind() != reflect.Struct {
				continue
			}
			if inner := unknownFields(value, field); len(inner) > 0 {
				rest[name] = inner
			}
		case []any:
			if items := unknownItems(value, field); len(items) > 0 {
				rest[name] = items
			}
		}
	}
	return rest
}

// unknownItem is what is unknown of an object in an array. The object is found again by its known fields, since a write
// may move it.
type unknownItem struct {
	known, rest map[string]any
}

func unknownItems(list []any, t reflect.Type) []unknownItem {
	if t.Kind() != reflect.Slice || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	var items []unknownItem
	for _, value := range list {
		object, ok := value.(map[string]any)
		rest := unknownFields(object, t.Elem())
		if !ok || len(rest) == 0 {
			continue
		}
		known := maps.Clone(object)
		for name := range rest {
			delete(known, name)
		}
		items = append(items, unknownItem{known: known, rest: rest})
	}
	return items
}

// jsonField is the field that encoding/json takes a name for, whatever its case.
func jsonField(t reflect.Type, name string) (reflect.Type, bool) {
	for _, f := range reflect.VisibleFields(t) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag != "" && tag != "-" && strings.EqualFold(tag, name) {
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

// merge puts what was unknown back.
func merge(known, unknown map[string]any) map[string]any {
	for name, value := range unknown {
		switch value := value.(type) {
		case []unknownItem:
			mergeItems(known[name], value)
			continue
		case map[string]any:
			object, both := known[name].(map[string]any)
			if !both {
				object = map[string]any{}
			}
			if merge(object, value); !both && len(object) == 0 && len(value) > 0 {
				continue // all that was unknown of it stood in items of lists, which are gone
			}
			known[name] = object
			continue
		}
		known[name] = value
	}
	return known
}

func mergeItems(list any, unknown []unknownItem) {
	items, _ := list.([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		at := slices.IndexFunc(unknown, func(u unknownItem) bool { return u.isOf(object) })
		if at >= 0 {
			merge(object, unknown[at].rest)
		}
	}
}

// isOf tells whether the item was read as this object. One that leaves a field out has it empty.
func (u unknownItem) isOf(object map[string]any) bool {
	for name, value := range object {
		if was := u.known[name]; !reflect.DeepEqual(was, value) && (!isEmpty(was) || !isEmpty(value)) {
			return false
		}
	}
	return object != nil
}

func isEmpty(value any) bool {
	return value == nil || value == "" || value == false || value == json.Number("0")
}

// put is the operation that stores v under key.
func put(key string, v record) (store.Op, error) {
	data, err := encode(v)
	if err != nil {
		return store.Op{}, err
	}
	return store.Put(key, data), nil
}
