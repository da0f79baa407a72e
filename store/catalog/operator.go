package catalog

import (
	"strings"
	"time"
)

// Operator is how a registration is operated, as it was written: what is nil is left to the next source. See [Settings]
// for what it comes to, and [ReadOperator] for what is allowed.
type Operator struct {
	Workers          *int       `json:"workers,omitempty" minimum:"0" maximum:"10000" doc:"At most this many of the pool's slots; 0: all of them."`
	MaxDepth         *int       `json:"max_depth,omitempty" minimum:"0" maximum:"1000000" doc:"Of the queue; 0: no limit."`
	Resync           *Duration  `json:"resync,omitempty" doc:"Those that are behind get a trigger at this interval, 1s to 720h; 0s: none."`
	FailureThreshold *int       `json:"failure_threshold,omitempty" minimum:"1" maximum:"50" doc:"Failed attempts in a row until degraded."`
	Retry            *Retry     `json:"retry,omitempty"`
	Autoscale        *Autoscale `json:"autoscale,omitempty"`
	Rollback         *Rollback  `json:"rollback,omitempty"`
}

// Retry says how often, and how far apart, a trigger that has failed is tried again.
type Retry struct {
	MaxAttempts *int      `json:"max_attempts,omitempty" minimum:"0" maximum:"1000" doc:"Beyond the trigger's own two; 0: none."`
	Initial     *Duration `json:"initial,omitempty" doc:"Bound of the first delay, doubled for each further one; above 0s, at most 24h."`
	Max         *Duration `json:"max,omitempty" doc:"Bound of all delays; from initial to 24h."`
}

// Autoscale says when other limits hold. They do when Or is empty or one of it is true, and When is empty or all of it
// is true; never when both are empty. A list that is empty but not nil is a statement: it has no conditions, whatever the
// next source has.
type Autoscale struct {
	Interval *Duration         `json:"interval,omitempty" doc:"Between two looks at the metrics, which are those of this time; 1s to 1h."`
	Cooldown *Duration         `json:"cooldown,omitempty" doc:"For how long the conditions must be false until the limits are as before; 0s to 24h."`
	When     []ScaleCondition  `json:"when,omitzero" maxItems:"20" doc:"All of them must hold."`
	Or       []ScaleCondition  `json:"or,omitzero" maxItems:"20" doc:"One of them must hold."`
	Do       *ScaleAdjustments `json:"do,omitempty"`
}

// ScaleCondition compares a metric with a value.
type ScaleCondition struct {
	Metric string  `json:"metric" enum:"workersBusyPercent,workersIdlePercent,queueDepth,reconcileDurationP95Ms,errorRatePercent"`
	Op     string  `json:"op" enum:">,>=,<,<=,==,!="`
	Value  float64 `json:"value" minimum:"0"`
}

// ScaleMetrics are what a condition can look at.
func ScaleMetrics() []string {
	return []string{"workersBusyPercent", "workersIdlePercent", "queueDepth", "reconcileDurationP95Ms", "errorRatePercent"}
}

// ScaleOps are how a condition can compare it, with the metric on the left.
func ScaleOps() []string { return []string{">", ">=", "<", "<=", "==", "!="} }

// ScaleAdjustments are the limits that hold while a scale-up is active; 0: as before.
type ScaleAdjustments struct {
	Workers  *int      `json:"workers,omitempty" minimum:"0" maximum:"10000"`
	MaxDepth *int      `json:"max_depth,omitempty" minimum:"0" maximum:"1000000"`
	Resync   *Duration `json:"resync,omitempty" doc:"1s to 720h; 0s: as before."`
}

// Rollback says when a sync id is taken back.
type Rollback struct {
	ConsecutiveFailures *int      `json:"consecutive_failures,omitempty" minimum:"0" maximum:"10000" doc:"Subscriptions that ended in error at it; 0: never."`
	Within              *Duration `json:"within,omitempty" doc:"In this time, at most 8760h; 0s: ever."`
}

// Duration is written as Go writes durations, such as "1m30s".
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String leaves out the zeros that [time.Duration] ends with: "5m", not "5m0s".
func (d Duration) String() string {
	text := time.Duration(d).String()
	if d == 0 {
		return text
	}
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err //nolint:wrapcheck // it names what was given
}

// Source tells where a setting comes from.
type Source string

// The sources, the first that says something wins.
const (
	SourceRegistration Source = "registration"
	SourceConfig       Source = "kayra.yaml"
	SourceDefault      Source = "default"
)

// Setting is a value with its source.
type Setting[T any] struct {
	Value  T      `json:"value"`
	Source Source `json:"source"`
}

// Settings are what an operator block comes to with all that it leaves out.
type Settings struct {
	Workers          Setting[int]
	MaxDepth         Setting[int]
	Resync           Setting[time.Duration]
	FailureThreshold Setting[int]
	RetryMaxAttempts Setting[int]
	RetryInitial     Setting[time.Duration]
	RetryMax         Setting[time.Duration]
	ScaleInterval    Setting[time.Duration]
	ScaleCooldown    Setting[time.Duration]
	ScaleWhen        Setting[[]ScaleCondition]
	ScaleOr          Setting[[]ScaleCondition]
	ScaleWorkers     Setting[int]
	ScaleMaxDepth    Setting[int]
	ScaleResync      Setting[time.Duration]
	RollbackFailures Setting[int]
	RollbackWithin   Setting[time.Duration]
}

// MaxFailureThreshold is the largest failure_threshold: a subscription's record keeps that many failures.
const MaxFailureThreshold = 50

// Settings is what the block comes to, with defaults (reconciler.operator of kayra.yaml) for what it leaves out. Two sources
// can contradict each other where neither does so by itself: a retry's bound of all delays that is less than that of the
// first is raised to it, and has its source.
func (o *Operator) Settings(defaults *Operator) Settings {
	s := o.settings(defaults)
	if s.RetryMax.Value < s.RetryInitial.Value {
		s.RetryMax = s.RetryInitial
	}
	return s
}

func (o *Operator) settings(defaults *Operator) Settings {
	return Settings{
		Workers:          pick(o, defaults, 0, func(o *Operator) *int { return o.Workers }),
		MaxDepth:         pick(o, defaults, 0, func(o *Operator) *int { return o.MaxDepth }),
		Resync:           pickTime(o, defaults, 0, func(o *Operator) *Duration { return o.Resync }),
		FailureThreshold: pick(o, defaults, 5, func(o *Operator) *int { return o.FailureThreshold }),

		RetryMaxAttempts: pick(o, defaults, 0, func(o *Operator) *int { return orZero(o.Retry).MaxAttempts }),
		RetryInitial:     pickTime(o, defaults, time.Second, func(o *Operator) *Duration { return orZero(o.Retry).Initial }),
		RetryMax:         pickTime(o, defaults, 5*time.Minute, func(o *Operator) *Duration { return orZero(o.Retry).Max }),

		ScaleInterval: pickTime(o, defaults, 15*time.Second, func(o *Operator) *Duration { return orZero(o.Autoscale).Interval }),
		ScaleCooldown: pickTime(o, defaults, 2*time.Minute, func(o *Operator) *Duration { return orZero(o.Autoscale).Cooldown }),
		ScaleWhen:     pick(o, defaults, nil, func(o *Operator) *[]ScaleCondition { return orNil(orZero(o.Autoscale).When) }),
		ScaleOr:       pick(o, defaults, nil, func(o *Operator) *[]ScaleCondition { return orNil(orZero(o.Autoscale).Or) }),
		ScaleWorkers:  pick(o, defaults, 0, func(o *Operator) *int { return orZero(orZero(o.Autoscale).Do).Workers }),
		ScaleMaxDepth: pick(o, defaults, 0, func(o *Operator) *int { return orZero(orZero(o.Autoscale).Do).MaxDepth }),
		ScaleResync:   pickTime(o, defaults, 0, func(o *Operator) *Duration { return orZero(orZero(o.Autoscale).Do).Resync }),

		RollbackFailures: pick(o, defaults, 0, func(o *Operator) *int { return orZero(o.Rollback).ConsecutiveFailures }),
		RollbackWithin:   pickTime(o, defaults, 0, func(o *Operator) *Duration { return orZero(o.Rollback).Within }),
	}
}

// pick is what the first source says of a setting.
func pick[T any](registration, config *Operator, otherwise T, get func(*Operator) *T) Setting[T] {
	if v := get(orZero(registration)); v != nil {
		return Setting[T]{*v, SourceRegistration}
	}
	if v := get(orZero(config)); v != nil {
		return Setting[T]{*v, SourceConfig}
	}
	return Setting[T]{otherwise, SourceDefault}
}

func pickTime(registration, config *Operator, otherwise time.Duration, get func(*Operator) *Duration) Setting[time.Duration] {
	s := pick(registration, config, Duration(otherwise), get)
	return Setting[time.Duration]{time.Duration(s.Value), s.Source}
}

func orZero[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}

// orNil is a list that says nothing when it is left out.
func orNil[T any](list []T) *[]T {
	if list == nil {
		return nil
	}
	return &list
}
