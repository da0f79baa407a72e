package catalog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// Limits on an operator block. MaxFailureThreshold is one, too.
const (
	maxWorkers    = 10_000
	maxDepth      = 1_000_000
	maxRetries    = 1_000
	maxConditions = 20
	maxFailures   = 10_000

	day = 24 * time.Hour
)

// ReadOperator reads an operator block: a JSON object, or null for one that says nothing. at is the JSON pointer to the
// block, which begins the pointer to each field that is wrong. It fails with ErrInvalid.
func ReadOperator(at string, data []byte) (*Operator, error) {
	c := &check{}
	o := c.operator(at, data)
	return o, c.err()
}

// operator reads a block, or a merge patch of one: null says nothing in the one, and clears in the other. It is nil for
// one that says nothing.
func (c *check) operator(at string, data json.RawMessage) *Operator {
	if !json.Valid(data) {
		c.refuse(at, "is not JSON")
		return nil
	}
	if kindOf(data) == null {
		return nil
	}
	var o Operator
	c.object(at, data, map[string]reader{
		"workers":           c.whole(&o.Workers, 0, maxWorkers),
		"max_depth":         c.whole(&o.MaxDepth, 0, maxDepth),
		"resync":            c.duration(&o.Resync, resyncs()),
		"failure_threshold": c.whole(&o.FailureThreshold, 1, MaxFailureThreshold),
		"retry":             func(at string, value json.RawMessage) { o.Retry = c.retry(at, value) },
		"autoscale":         func(at string, value json.RawMessage) { o.Autoscale = c.autoscale(at, value) },
		"rollback":          func(at string, value json.RawMessage) { o.Rollback = c.rollback(at, value) },
	})
	return orNothing(o)
}

func resyncs() span { return span{least: time.Second, most: 30 * day, orZero: true} }

func (c *check) retry(at string, data json.RawMessage) *Retry {
	var r Retry
	delays := span{least: 1, most: day}
	c.object(at, data, map[string]reader{
		"max_attempts": c.whole(&r.MaxAttempts, 0, maxRetries),
		"initial":      c.duration(&r.Initial, delays),
		"max":          c.duration(&r.Max, delays),
	})
	if r.Initial != nil && r.Max != nil && *r.Max < *r.Initial {
		c.refuse(at+"/max", "%q is less than initial, %q: raise the one or lower the other", *r.Max, *r.Initial)
	}
	return orNothing(r)
}

func (c *check) autoscale(at string, data json.RawMessage) *Autoscale {
	var a Autoscale
	c.object(at, data, map[string]reader{
		"interval": c.duration(&a.Interval, span{least: time.Second, most: time.Hour}),
		"cooldown": c.duration(&a.Cooldown, span{most: day}),
		"when":     func(at string, value json.RawMessage) { a.When = c.conditions(at, value) },
		"or":       func(at string, value json.RawMessage) { a.Or = c.conditions(at, value) },
		"do":       func(at string, value json.RawMessage) { a.Do = c.adjustments(at, value) },
	})
	return orNothing(a)
}

func (c *check) conditions(at string, data json.RawMessage) []ScaleCondition {
	items := c.array(at, data, maxConditions)
	if items == nil {
		return nil
	}
	list := make([]ScaleCondition, len(items))
	for i, item := range items {
		list[i] = c.condition(fmt.Sprintf("%s/%d", at, i), item)
	}
	return list
}

func (c *check) condition(at string, data json.RawMessage) ScaleCondition {
	var s ScaleCondition
	var value *float64
	c.object(at, data, map[string]reader{
		"metric": c.word(&s.Metric, ScaleMetrics(), func(text string) string { return nearest(text, ScaleMetrics()) }),
		"op":     c.word(&s.Op, ScaleOps(), spelledOut),
		"value":  c.number(&value),
	})
	if kindOf(data) != "an object" {
		return s
	}
	for _, key := range []struct {
		name    string
		missing bool
	}{{"metric", s.Metric == ""}, {"op", s.Op == ""}, {"value", value == nil}} {
		if key.missing {
			c.refuse(at+"/"+key.name, "is missing")
		}
	}
	if value != nil {
		s.Value = *value
	}
	return s
}

// spelledOut is the operator that a word, or another sign, stands for elsewhere; "" if it stands for none.
func spelledOut(word string) string {
	switch strings.ToLower(word) {
	case "gt", "greaterthan", "greater_than", "above":
		return ">"
	case "ge", "gte", "=>", "≥":
		return ">="
	case "lt", "lessthan", "less_than", "below":
		return "<"
	case "le", "lte", "=<", "≤":
		return "<="
	case "eq", "=", "===", "equals":
		return "=="
	case "ne", "neq", "<>", "!==", "≠":
		return "!="
	}
	return ""
}

func (c *check) adjustments(at string, data json.RawMessage) *ScaleAdjustments {
	var a ScaleAdjustments
	c.object(at, data, map[string]reader{
		"workers":   c.whole(&a.Workers, 0, maxWorkers),
		"max_depth": c.whole(&a.MaxDepth, 0, maxDepth),
		"resync":    c.duration(&a.Resync, resyncs()),
	})
	return orNothing(a)
}

func (c *check) rollback(at string, data json.RawMessage) *Rollback {
	var r Rollback
	c.object(at, data, map[string]reader{
		"consecutive_failures": c.whole(&r.ConsecutiveFailures, 0, maxFailures),
		"within":               c.duration(&r.Within, span{most: 365 * day}),
	})
	return orNothing(r)
}

// orNothing is nil for what says nothing.
func orNothing[T any](said T) *T {
	if reflect.ValueOf(said).IsZero() {
		return nil
	}
	return &said
}

// merge is what a merge patch (RFC 7396) at a JSON pointer makes of the block. The patch by itself has been found right.
func (o *Operator) merge(at string, patch json.RawMessage) (*Operator, error) {
	if kindOf(patch) == null {
		return nil, nil //nolint:nilnil // a block that says nothing
	}
	before, err := json.Marshal(orZero(o))
	if err != nil {
		return nil, fmt.Errorf("encode operator block: %w", err)
	}
	after, err := jsonpatch.MergePatch(before, patch)
	if err != nil {
		return nil, fmt.Errorf("merge operator block: %w", err)
	}
	return ReadOperator(at, after)
}
