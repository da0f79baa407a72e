package katalog

import (
	"time"

	"kayra/store/catalog"
)

// Document is all registrations as a document: of [catalog.Registration] as they are stored, or of [EnrichedCRD].
type Document[T any] struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Metadata   Metadata        `json:"metadata"`
	Spec       DocumentSpec[T] `json:"spec"`
}

// Metadata names a Document.
type Metadata struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// DocumentSpec has the registrations of a Document.
type DocumentSpec[T any] struct {
	CRDs []T `json:"crds"` // by name
}

// EnrichedCRD is a registration with what follows from it in this process. What Registration has under the same names
// gives way.
type EnrichedCRD struct {
	*catalog.Registration

	Mode      string               `json:"mode"` // that holds for it; "": none
	DependsOn []catalog.Dependency `json:"depends_on"`
	Operator  EnrichedOperator     `json:"operator"`
	Steps     []any                `json:"steps"` // of the mode, masked
}

// EnrichedOperator is an operator block with all that holds, and where it comes from.
type EnrichedOperator struct {
	Workers          catalog.Setting[int]              `json:"workers"`
	MaxDepth         catalog.Setting[int]              `json:"max_depth"`
	Resync           catalog.Setting[catalog.Duration] `json:"resync"`
	FailureThreshold catalog.Setting[int]              `json:"failure_threshold"`
	Retry            EnrichedRetry                     `json:"retry"`
	Autoscale        EnrichedAutoscale                 `json:"autoscale"`
	Rollback         EnrichedRollback                  `json:"rollback"`
}

// EnrichedRetry is [catalog.Retry] so.
type EnrichedRetry struct {
	MaxAttempts catalog.Setting[int]              `json:"max_attempts"`
	Initial     catalog.Setting[catalog.Duration] `json:"initial"`
	Max         catalog.Setting[catalog.Duration] `json:"max"`
}

// EnrichedAutoscale is [catalog.Autoscale] so.
type EnrichedAutoscale struct {
	Interval catalog.Setting[catalog.Duration]         `json:"interval"`
	Cooldown catalog.Setting[catalog.Duration]         `json:"cooldown"`
	When     catalog.Setting[[]catalog.ScaleCondition] `json:"when"`
	Or       catalog.Setting[[]catalog.ScaleCondition] `json:"or"`
	Do       EnrichedAdjustments                       `json:"do"`
}

// EnrichedAdjustments is [catalog.ScaleAdjustments] so.
type EnrichedAdjustments struct {
	Workers  catalog.Setting[int]              `json:"workers"`
	MaxDepth catalog.Setting[int]              `json:"max_depth"`
	Resync   catalog.Setting[catalog.Duration] `json:"resync"`
}

// EnrichedRollback is [catalog.Rollback] so.
type EnrichedRollback struct {
	ConsecutiveFailures catalog.Setting[int]              `json:"consecutive_failures"`
	Within              catalog.Setting[catalog.Duration] `json:"within"`
}

// NewEnriched is how a registration is answered with all that holds. It must be registered, and have its details.
func NewEnriched(a API) EnrichedCRD {
	e := EnrichedCRD{
		Registration: a.Registration, Mode: a.Mode, DependsOn: make([]catalog.Dependency, len(a.Dependencies)),
		Operator: newOperator(a.Settings), Steps: a.Details.Steps,
	}
	for i, d := range a.Dependencies {
		e.DependsOn[i] = catalog.Dependency{Ref: d.Ref, Condition: d.Needs()}
	}
	if e.Steps == nil {
		e.Steps = []any{}
	}
	return e
}

func newOperator(s catalog.Settings) EnrichedOperator {
	return EnrichedOperator{
		Workers: s.Workers, MaxDepth: s.MaxDepth, Resync: text(s.Resync), FailureThreshold: s.FailureThreshold,
		Retry: EnrichedRetry{MaxAttempts: s.RetryMaxAttempts, Initial: text(s.RetryInitial), Max: text(s.RetryMax)},
		Autoscale: EnrichedAutoscale{
			Interval: text(s.ScaleInterval), Cooldown: text(s.ScaleCooldown),
			When: filled(s.ScaleWhen), Or: filled(s.ScaleOr),
			Do: EnrichedAdjustments{Workers: s.ScaleWorkers, MaxDepth: s.ScaleMaxDepth, Resync: text(s.ScaleResync)},
		},
		Rollback: EnrichedRollback{ConsecutiveFailures: s.RollbackFailures, Within: text(s.RollbackWithin)},
	}
}

// text is how a duration is answered.
func text(s catalog.Setting[time.Duration]) catalog.Setting[catalog.Duration] {
	return catalog.Setting[catalog.Duration]{Value: catalog.Duration(s.Value), Source: s.Source}
}

// filled is never null in an answer.
func filled[T any](s catalog.Setting[[]T]) catalog.Setting[[]T] {
	if s.Value == nil {
		s.Value = []T{}
	}
	return s
}

func newDocument[T any](p Process, crds []T) Document[T] {
	return Document[T]{
		APIVersion: "kayra/v1", Kind: "Katalog", Metadata: Metadata{Name: "kayra", Version: p.Version},
		Spec: DocumentSpec[T]{CRDs: crds},
	}
}
