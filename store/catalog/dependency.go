package catalog

import (
	"fmt"
	"slices"
)

// Condition is what a dependency must be for its dependents to begin new runs.
type Condition string

// The conditions. None of them is latched: each is judged by what is so now.
const (
	ConditionStarted Condition = "started" // its workers run
	ConditionHealthy Condition = "healthy" // its health, which follows from its subscriptions' records, is healthy
	ConditionSynced  Condition = "synced"  // the same namespace's subscription to it, if there is one, is synced
)

// Conditions are all of them.
func Conditions() []Condition {
	return []Condition{ConditionStarted, ConditionHealthy, ConditionSynced}
}

// Dependency is a registration that another one needs.
type Dependency struct {
	Ref

	Condition Condition `json:"condition,omitempty" enum:"started,healthy,synced"` // "": ConditionStarted
}

// Needs is the condition that must hold.
func (d Dependency) Needs() Condition {
	if d.Condition == "" {
		return ConditionStarted
	}
	return d.Condition
}

// distinct has each of the dependencies once, as it is first given, in their order.
func distinct(deps []Dependency) []Dependency {
	var out []Dependency
	for _, d := range deps {
		if !slices.ContainsFunc(out, func(o Dependency) bool { return o.Ref == d.Ref }) {
			out = append(out, d)
		}
	}
	return out
}

// dependencies refuses what cannot be among the dependencies, whose scopes are complete.
func (c *check) dependencies(deps []Dependency) {
	if n := len(deps); n > MaxDependencies {
		c.refuse("/depends_on", "has %d entries; at most %d are allowed", n, MaxDependencies)
	}
	first := map[Ref]Dependency{}
	for i, d := range deps {
		at := fmt.Sprintf("/depends_on/%d/", i)
		c.longName(at+"name", d.Name)
		c.label(at+"platform", d.Platform)
		c.label(at+"region", d.Region)
		if d.Condition != "" && !slices.Contains(Conditions(), d.Condition) {
			c.refuse(at+"condition", "%q is not allowed; write started, healthy or synced", clip(string(d.Condition)))
			continue
		}
		if before, twice := first[d.Ref]; !twice {
			first[d.Ref] = d
		} else if before.Needs() != d.Needs() {
			c.refuse(at+"condition", "%q is there twice, once to be %s and once to be %s: keep one of the two",
				clip(d.Name), before.Needs(), d.Needs())
		}
	}
}
