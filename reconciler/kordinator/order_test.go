package kordinator_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"kayra/reconciler/kordinator"
)

// depsOf reads "a:b,c d" as a that depends on b and c, and d on none.
func depsOf(text string) map[string][]string {
	deps := map[string][]string{}
	for field := range strings.FieldsSeq(text) {
		name, list, has := strings.Cut(field, ":")
		deps[name] = nil
		if has {
			deps[name] = strings.Split(list, ",")
		}
	}
	return deps
}

func TestOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":            "",
		"c b a":       "a b c",
		"a:b b:c c":   "c b a",
		"a:c b c d:b": "b c a d",
		"top:left,right left:base right:base base": "base left right top",
		"a:elsewhere,b b:gone":                     "b a",
		"a:b,b,b b":                                "b a",
		"a:a b":                                    "b a",
		"z y:x x:y a:x":                            "z x y a",
		"c:b b:a a:c":                              "a b c",
		"d:c c:d b:c a:z z:b":                      "c d b z a",
		"a:b,m b:a m:n n:m":                        "m n a b",
		"p:q q:p r:p,s s r2:r":                     "s p q r r2",
		":x x:":                                    " x",
	} {
		if got := strings.Join(kordinator.Order(depsOf(text)), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// placing is the order, found by looking at all names for each place.
type placing struct {
	deps  map[string][]string
	order []string
}

// reaches tells whether a name depends on another one, at any distance.
func (p *placing) reaches(from, to string, seen map[string]bool) bool {
	for _, dep := range p.deps[from] {
		if dep == to {
			return true
		}
		if !seen[dep] {
			seen[dep] = true
			if p.reaches(dep, to, seen) {
				return true
			}
		}
	}
	return false
}

func (p *placing) cyclic(a, b string) bool {
	return p.reaches(a, b, map[string]bool{}) && p.reaches(b, a, map[string]bool{})
}

// cycle is a name and those that depend on it and that it depends on.
func (p *placing) cycle(name string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.deps)), func(other string) bool {
		return other != name && !p.cyclic(name, other)
	})
}

// ready tells whether all that a cycle depends on have their places.
func (p *placing) ready(cycle []string) bool {
	for _, name := range cycle {
		for _, dep := range p.deps[name] {
			if _, known := p.deps[dep]; known && !slices.Contains(cycle, dep) && !slices.Contains(p.order, dep) {
				return false
			}
		}
	}
	return true
}

// place gives the next ones their places, and tells whether it found any: those on cycles only when these may be taken.
func (p *placing) place(cyclic bool) bool {
	for _, name := range slices.Sorted(maps.Keys(p.deps)) {
		cycle := p.cycle(name)
		if (cyclic || len(cycle) == 1 && !p.cyclic(name, name)) && !slices.Contains(p.order, name) && p.ready(cycle) {
			p.order = append(p.order, cycle...)
			return true
		}
	}
	return false
}

func TestOrderOfAnything(t *testing.T) {
	t.Parallel()
	name := rapid.SampledFrom(strings.Split("abcdefgh", ""))
	graph := rapid.MapOfN(name, rapid.SliceOfN(name, 0, 3), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		p := &placing{deps: graph.Draw(t, "deps")}
		for p.place(false) {
		}
		for p.place(true) {
		}
		if got := kordinator.Order(p.deps); !slices.Equal(got, p.order) {
			t.Fatalf("%v: got %v, want %v", p.deps, got, p.order)
		}
	})
}

// layered is so many registrations, so deep, of which each depends on three of the layer before.
func layered(n, deep int) map[string][]string {
	deps := make(map[string][]string, n)
	wide := n / deep
	named := func(layer, i int) string { return fmt.Sprintf("api-%02d-%03d.example.com", deep-layer, i%wide) }
	for layer := range deep {
		for i := range wide {
			var list []string
			for k := range 3 * min(layer, 1) {
				list = append(list, named(layer-1, i+k))
			}
			deps[named(layer, i)] = list
		}
	}
	return deps
}

// A ring of all with all, which no write allows, is as quick as any other graph.
func TestOrderOfOneGreatCycle(t *testing.T) {
	t.Parallel()
	deps := layered(1_000, 20)
	all := slices.Sorted(maps.Keys(deps))
	for name := range deps {
		deps[name] = all
	}
	if got := kordinator.Order(deps); !slices.Equal(got, all) {
		t.Error("the order is not by name")
	}
}

func BenchmarkOrder(b *testing.B) {
	deps := layered(1_000, 20)
	b.ReportAllocs()
	for b.Loop() {
		kordinator.Order(deps)
	}
}
