package manifest

import (
	"reflect"
	"slices"
	"strings"

	"kayra/server/api"
)

// Kind is a kind of Kayra's own things.
type Kind struct {
	Name     string // as documents name it
	Group    string // short name of its API
	Resource string
	Key      string // under which a thing's name stands

	keys []string // all that an answer has
}

// Kinds are Kayra's own, in the order in which things are made: each needs only what stands before it.
func Kinds() []Kind {
	const catalog, authorization = "catalog", "authorization"
	return []Kind{
		{"Namespace", catalog, "namespaces", "name", keysOf[api.Namespace]()},
		{"ApiRegistration", catalog, "apiregistrations", "name", keysOf[api.Registration]()},
		{"Role", authorization, "roles", "name", keysOf[api.Role]()},
		{"RoleBinding", authorization, "rolebindings", "name", keysOf[api.RoleBinding]()},
		{"Subscription", catalog, "subscriptions", "api", keysOf[api.Subscription]()},
	}
}

// keysOf are the keys of what the API answers, so that there is one place alone that has them.
func keysOf[T any]() []string {
	var keys []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// named finds a kind by its name, or by that of its resource.
func named(name string) (Kind, bool) {
	name = strings.ToLower(name)
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return name == strings.ToLower(k.Name) || name == k.Resource })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// infer finds the kind of an object that does not say it. It must have keys of the kind alone, and either all of them, as
// what `get` prints has, or one that no other kind has.
func infer(o Object) (Kind, bool) {
	kinds := Kinds()
	for _, k := range kinds {
		if k.covers(o) && (k.complete(o) || k.told(o, kinds)) {
			return k, true
		}
	}
	return Kind{}, false
}

// covers tells that the object has keys of the kind alone.
func (k Kind) covers(o Object) bool {
	return o.Has(k.Key) && !slices.ContainsFunc(o, func(m Member) bool { return !slices.Contains(k.keys, m.Key) })
}

// complete tells that the object has every key of the kind.
func (k Kind) complete(o Object) bool {
	return !slices.ContainsFunc(k.keys, func(key string) bool { return !o.Has(key) })
}

// told tells that the object has a key that no other kind has.
func (k Kind) told(o Object, among []Kind) bool {
	return slices.ContainsFunc(o, func(m Member) bool {
		return !slices.ContainsFunc(among, func(other Kind) bool { return other.Name != k.Name && slices.Contains(other.keys, m.Key) })
	})
}

// kindNames are those that messages list.
func kindNames() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}
