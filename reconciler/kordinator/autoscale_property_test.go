package kordinator_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// look is one evaluation: what it saw, and whether there were conditions at all.
type look struct {
	at         time.Time
	holds, any bool
}

// active tells from all evaluations what the last one should have decided: the conditions were true once, and since they
// last were there have always been some, and a cooldown has not passed since they were first seen false.
func active(looks []look, cooldown time.Duration) bool {
	for i, l := range slices.Backward(looks) {
		switch {
		case !l.any:
			return false
		case !l.holds:
			continue
		case i == len(looks)-1:
			return true
		}
		now, firstFalse := looks[len(looks)-1].at, looks[i+1].at
		return now.Sub(firstFalse) < cooldown
	}
	return false
}

func TestActivityIsTheHistory(t *testing.T) {
	t.Parallel()
	condition := rapid.SampledFrom([]catalog.ScaleCondition{
		{Metric: "queueDepth", Op: ">", Value: 5},
		{Metric: "queueDepth", Op: "<=", Value: 2},
		{Metric: "errorRatePercent", Op: ">=", Value: 3},
		{Metric: "errorRatePercent", Op: "!=", Value: 7},
	})
	conditions := rapid.SliceOfN(condition, 0, 2)
	holds := func(m kordinator.Metrics, c catalog.ScaleCondition) bool {
		switch c.Op {
		case ">":
			return m.QueueDepth > 5
		case "<=":
			return m.QueueDepth <= 2
		case ">=":
			return m.ErrorRatePercent >= 3
		}
		return m.ErrorRatePercent != 7
	}
	rapid.Check(t, func(t *rapid.T) {
		s := (*catalog.Operator)(nil).Settings(nil)
		s.Workers.Value, s.ScaleWorkers.Value = 1, 2
		s.ScaleCooldown.Value = time.Duration(rapid.IntRange(0, 5).Draw(t, "cooldown")) * time.Second
		a, at := kordinator.NewAutoscaler(pool), newWatch().now()
		var looks []look
		was, scaledAt := false, time.Time{}
		for i := range rapid.IntRange(1, 40).Draw(t, "evaluations") {
			at = at.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "time")) * time.Second)
			if rapid.IntRange(0, 9).Draw(t, "other conditions") == 0 || i == 0 {
				s.ScaleWhen.Value, s.ScaleOr.Value = conditions.Draw(t, "when"), conditions.Draw(t, "or")
			}
			m := kordinator.Metrics{QueueDepth: float64(rapid.IntRange(0, 8).Draw(t, "depth")), ErrorRatePercent: float64(rapid.IntRange(0, 8).Draw(t, "errors"))}
			all, some := true, len(s.ScaleOr.Value) == 0
			for _, c := range s.ScaleWhen.Value {
				all = all && holds(m, c)
			}
			for _, c := range s.ScaleOr.Value {
				some = some || holds(m, c)
			}
			exist := len(s.ScaleWhen.Value)+len(s.ScaleOr.Value) > 0
			looks = append(looks, look{at: at, holds: exist && all && some, any: exist})
			want := active(looks, s.ScaleCooldown.Value)
			if want != was {
				scaledAt = at
			}
			limits, changed, _ := a.Evaluate(at, m, s)
			workers := 1
			if want {
				workers = 2
			}
			if r := a.Report(0); limits.Workers != workers || changed != (want != was || i == 0) || r.OverrideActive != want || !r.LastScaleAt.Equal(scaledAt) {
				t.Fatalf("%+v: got %+v %t, want %t; last scale at %s, want %s", looks, limits, changed, want, r.LastScaleAt, scaledAt)
			}
			was = want
		}
	})
}
