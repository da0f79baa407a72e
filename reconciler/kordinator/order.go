package kordinator

import (
	"maps"
	"slices"
)

// Order is the order in which registrations start: each after those it depends on, and by name where that leaves a
// choice. deps has, for each registration, the names of those it depends on; names that are no keys do not matter.
// Registrations that depend on each other, which no write allows, come together, by name, once all have that depend on
// none of such. They stop in the reverse of this order.
func Order(deps map[string][]string) []string {
	names, edges := numbered(deps)
	out := make([]string, 0, len(names))
	for _, i := range ordered(edges) {
		out = append(out, names[i])
	}
	return out
}

// numbered gives the names in order, and for each the numbers of those that it depends on.
func numbered(deps map[string][]string) (names []string, edges [][]int) {
	names = slices.Sorted(maps.Keys(deps))
	numbers := make(map[string]int, len(names))
	for i, name := range names {
		numbers[name] = i
	}
	edges = make([][]int, len(names))
	for i, name := range names {
		for _, dep := range deps[name] {
			if number, known := numbers[dep]; known {
				edges[i] = append(edges[i], number)
			}
		}
	}
	return names, edges
}
