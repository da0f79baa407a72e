package catalog

// Condition is what a dependency must be for its dependents to begin new runs.
type Condition string

// The conditions. None of them is latched: each is judged by what is so now.
const (
	ConditionStarted Condition = "started" // its workers run
	ConditionHealthy Condition = "healthy" // its health, which follows from its subscriptions' records, is healthy
	ConditionSynced  Condition = "synced"  // the same namespace's subscription to it, if there is one, is synced
)

// Dependency is a registration that another one needs.
type Dependency struct {
	Ref

	Condition Condition `json:"condition,omitempty"` // "": ConditionStarted
}

// Needs is the condition that must hold.
func (d Dependency) Needs() Condition {
	if d.Condition == "" {
		return ConditionStarted
	}
	return d.Condition
}
