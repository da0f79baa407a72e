package plan

import (
	"maps"
	"slices"

	"kayra/server/api"
	"kayra/store/catalog"
)

// graph is the registrations of a scope by name, one of them as it would be.
type graph struct {
	subject api.Registration
	byName  map[string]api.Registration
}

func newGraph(subject api.Registration, all []api.Registration) graph {
	g := graph{subject, make(map[string]api.Registration, len(all)+1)}
	for _, reg := range all {
		g.byName[reg.Name] = reg
	}
	g.byName[subject.Name] = subject
	return g
}

// named is what a dependency is called here, and whether it is of this scope.
func (g graph) named(d catalog.Dependency) (name string, own bool) {
	if d.Platform == g.subject.Platform && d.Region == g.subject.Region {
		return d.Name, true
	}
	return d.String(), false
}

// startOrder has what the subject needs, directly or not, each behind what it needs itself, ties by name.
func (g graph) startOrder() []Start {
	all := map[string]Start{}
	g.collect(g.subject.Name, all)
	missing, needing := map[string]int{}, map[string][]string{}
	var ready []string
	for name, start := range all {
		for _, n := range start.Needs {
			needing[n.Name] = append(needing[n.Name], name)
		}
		if missing[name] = len(start.Needs); missing[name] == 0 {
			ready = append(ready, name)
		}
	}
	slices.Sort(ready)
	order := make([]Start, 0, len(all))
	for len(ready) > 0 {
		name := ready[0]
		ready = ready[1:]
		order = append(order, all[name])
		for _, other := range needing[name] {
			if missing[other]--; missing[other] == 0 {
				at, _ := slices.BinarySearch(ready, other)
				ready = slices.Insert(ready, at, other)
			}
		}
	}
	return order
}

func (g graph) collect(name string, into map[string]Start) {
	start := Start{Name: name, Needs: []Need{}}
	into[name] = start
	for _, d := range g.byName[name].DependsOn {
		needed, own := g.named(d)
		start.Needs = append(start.Needs, Need{needed, string(d.Needs())})
		if _, known := into[needed]; known {
			continue
		}
		if own {
			g.collect(needed, into)
		} else {
			into[needed] = Start{Name: needed, External: true, Needs: []Need{}}
		}
	}
	into[name] = start
}

// Gating names the registrations whose rows decide when a tenant's turn comes: those that must be healthy, and those that
// must be synced, together with what these wait for in the same way.
func (f *Facts) Gating() ([]string, error) {
	subject, err := f.subject()
	if err != nil {
		return nil, err
	}
	g := newGraph(subject, f.Registrations)
	found := map[string]bool{}
	g.collectSynced(subject.Name, found)
	for _, d := range subject.DependsOn {
		if name, own := g.named(d); own && d.Needs() == catalog.ConditionHealthy {
			found[name] = true
		}
	}
	delete(found, subject.Name)
	return slices.Sorted(maps.Keys(found)), nil
}

func (g graph) collectSynced(name string, into map[string]bool) {
	for _, needed := range g.synced(name) {
		if !into[needed] {
			into[needed] = true
			g.collectSynced(needed, into)
		}
	}
}

// synced are the registrations of this scope that must be synced in a namespace before the one that is named is.
func (g graph) synced(name string) []string {
	var names []string
	for _, d := range g.byName[name].DependsOn {
		if needed, own := g.named(d); own && d.Needs() == catalog.ConditionSynced {
			names = append(names, needed)
		}
	}
	return names
}
