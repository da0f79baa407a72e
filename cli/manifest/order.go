package manifest

import (
	"encoding/json"
	"slices"
)

// InOrder are the documents in the order in which they can be applied, whatever the order that the files have them in:
// namespaces, registrations with those first that others depend on, roles, bindings, subscriptions, and then what is an
// app's. Within that they stay as they are.
func InOrder(documents []Document) []Document {
	kinds := Kinds()
	rank := func(d Document) int {
		if d.Own == nil {
			return len(kinds)
		}
		return slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == d.Own.Name })
	}
	sorted := slices.Clone(documents)
	slices.SortStableFunc(sorted, func(a, b Document) int { return rank(a) - rank(b) })
	isRegistration := func(d Document) bool { return d.Own != nil && d.Own.Name == "ApiRegistration" }
	first := slices.IndexFunc(sorted, isRegistration)
	if first < 0 {
		return sorted
	}
	end := first
	for end < len(sorted) && isRegistration(sorted[end]) {
		end++
	}
	copy(sorted[first:end], dependenciesFirst(slices.Clone(sorted[first:end])))
	return sorted
}

// dependenciesFirst puts each registration behind those that it depends on. What depends on itself by any way is left for
// the server to refuse.
func dependenciesFirst(documents []Document) []Document {
	out := make([]Document, 0, len(documents))
	begun := make([]bool, len(documents))
	named := map[string][]int{}
	for i, d := range documents {
		named[d.Name] = append(named[d.Name], i)
	}
	var visit func(i int)
	visit = func(i int) {
		if begun[i] {
			return
		}
		begun[i] = true
		for _, name := range documents[i].Dependencies() {
			for _, j := range named[name] {
				visit(j)
			}
		}
		out = append(out, documents[i])
	}
	for i := range documents {
		visit(i)
	}
	return out
}

// Dependencies are the names of the registrations that a registration says it depends on.
func (d Document) Dependencies() []string {
	var deps []struct {
		Name string `json:"name"`
	}
	if d.Own == nil || json.Unmarshal(d.Body.Get("depends_on"), &deps) != nil {
		return nil // what is no list is refused by the server
	}
	var names []string
	for _, dep := range deps {
		names = append(names, dep.Name)
	}
	return names
}
