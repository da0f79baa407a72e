package catalog_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"kayra/store"
	"kayra/store/catalog"
)

// stored are keys of every kind of record.
func stored() []string {
	return []string{
		"registrations/a.b", "namespaces/n", "subscriptions/a.b/n", "specs/a.b", "boot", "reconcilers/u", "roles/admin", "rolebindings/sre-admin",
		"locks/specs/a.b", "locks/subscriptions/a.b/n", "shortnames/s", "by-namespace/n/a.b", "", "/", "registrations/", "subscriptions//", "boot/x",
	}
}

// decode reads a record as its key says, and gives what it would be written back as.
func decode(key string, value []byte) (rewritten []byte, err error) {
	e := store.Entry{Key: home().Prefix() + key, Value: value, ModRevision: 7}
	into := func(decode func() error, encode func() ([]byte, error)) ([]byte, error) {
		if err := decode(); err != nil {
			return nil, err
		}
		return encode()
	}
	switch home().ParseKey(e.Key).Kind {
	case catalog.KindRegistration:
		var v catalog.Registration
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindNamespace:
		var v catalog.Namespace
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindSubscription:
		var v catalog.Subscription
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindSpec:
		var v catalog.Spec
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindBoot:
		var v catalog.Boot
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindReconciler:
		var v catalog.Reconciler
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindRole:
		var v catalog.Role
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindRoleBinding:
		var v catalog.RoleBinding
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindSubscriptionLock, catalog.KindSpecLock:
		var v catalog.Lock
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindKonductor:
		var v catalog.Konductor
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindHealth:
		var v catalog.Health
		return into(func() error { return catalog.Decode(e, &v) }, func() ([]byte, error) { return catalog.Encode(&v) })
	case catalog.KindIndex:
	}
	return nil, nil
}

// FuzzStored reads records from a damaged store. What is no record is refused with its key; what is taken is written back
// as JSON that is read as the same again.
func FuzzStored(f *testing.F) {
	for i := range stored() {
		f.Add(uint(i), []byte(`{"name":"a.b","api":"a.b","namespace":"n","attempt":{"phase":"running","new":1},"depends_on":[{"name":"c.d","new":[]}]}`))
	}
	for _, value := range []string{
		"", "null", "[]", "{}", "1", `"x"`, "{", `{"name":"a.b"} x`, `{"name":"a.b"}{}`, `{"name":"a.b","":{"a":1},"-":2}`, `{"name":"a.b","Name":"x","NAME":"y"}`,
		`{"name":"a.b","generation":1e999}`, `{"name":"a.b","x":1e999}`, `{"name":"a.b","created_at":"now"}`, `{"name":"a.b","depends_on":{}}`,
		`{"name":"a.b","depends_on":[null,{"x":1},{"x":2},[]]}`, "\xff", `{"name":"a.b","owner":"` + "\xff" + `"}`, strings.Repeat("[", 20_000), `{"name":"a.b","x":{"y":{"z":{}}}}`,
		`{"name":"c.d"}`, `{"name":""}`,
	} {
		f.Add(uint(0), []byte(value))
		f.Add(uint(2), []byte(strings.ReplaceAll(value, `"name":"a.b"`, `"api":"a.b","namespace":"n"`)))
	}
	f.Fuzz(func(t *testing.T, at uint, value []byte) {
		key := stored()[at%uint(len(stored()))]
		first, err := decode(key, value)
		switch {
		case err != nil && !strings.Contains(err.Error(), key):
			t.Fatalf("%q: %v", key, err)
		case err != nil || first == nil:
			return
		case !json.Valid(value):
			t.Fatalf("%q was read from what is no JSON: %q", key, value)
		}
		second, err := decode(key, first)
		if err != nil || !sameJSON(t, first, second) {
			t.Fatalf("%q: %q is written back as %s, and that as %s: %v", key, value, first, second, err)
		}
	})
}

// sameJSON compares what is encoded, whatever the order of its keys.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var values [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}

// FuzzKeys makes keys of any text that is taken for a name: each stays below its prefix, has no part more than its kind
// has, and is read as what it was made of. Of any key at all, something is made.
func FuzzKeys(f *testing.F) {
	for _, name := range []string{"a.b", "a", "..", "a/b", "", "a\x00b.c", "a.b/../c", strings.Repeat("a.", 126) + "a"} {
		f.Add(name, name, name)
	}
	f.Add("a.b", "n", "1:2._-")
	f.Fuzz(func(t *testing.T, api, namespace, id string) {
		parsed := home().ParseKey(api)
		if strings.Contains(parsed.API+parsed.Namespace+parsed.Name, "/") {
			t.Fatalf("%q is read as %+v", api, parsed)
		}
		if !catalog.ValidLongName(api) || !catalog.ValidLabel(namespace) || !catalog.ValidSyncID(id) {
			return
		}
		for prefix, key := range catalog.Keys(home(), api, namespace, id) {
			if rest, ok := strings.CutPrefix(key, prefix); !ok || rest == "" || strings.ContainsAny(rest, "/\x00") {
				t.Fatalf("%q leaves %q", key, prefix)
			}
			if got := home().ParseKey(key); got.API != "" && got.API != api || got.Namespace != "" && got.Namespace != namespace {
				t.Fatalf("%q is read as %+v", key, got)
			}
		}
	})
}
