package cli

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"kayra/server/api"
)

// keysOf are the keys that the things of a resource of Kayra itself have, a.b for b of a; nil: it is not known.
func keysOf(resource string) []string {
	switch resource {
	case "namespaces":
		return keysIn[api.Namespace]()
	case "apiregistrations":
		return keysIn[api.Registration]()
	case "apiregistrations/status":
		return keysIn[api.Row]()
	case "subscriptions":
		return keysIn[api.Subscription]()
	case "roles":
		return keysIn[api.Role]()
	case "rolebindings":
		return keysIn[api.RoleBinding]()
	case "reconcilers":
		return keysIn[api.Reconciler]()
	}
	return nil
}

func keysIn[T any]() []string {
	keys := jsonKeys(reflect.TypeFor[T](), "")
	slices.Sort(keys)
	return keys
}

// jsonKeys are the keys that a type has in JSON, behind a prefix.
func jsonKeys(t reflect.Type, prefix string) []string {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	var keys []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" {
			continue
		}
		keys = append(append(keys, prefix+name), jsonKeys(f.Type, prefix+name+".")...)
	}
	return keys
}
