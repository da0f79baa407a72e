package kordinator_test

import (
	"strings"
	"testing"
	"time"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// scaler is an autoscaler with its settings, its metrics and its time.
type scaler struct {
	*kordinator.Autoscaler
	*testing.T

	at       time.Time
	metrics  kordinator.Metrics
	settings catalog.Settings
}

const pool = 30

func newScaler(t *testing.T) *scaler {
	t.Helper()
	s := (*catalog.Operator)(nil).Settings(nil)
	s.Workers.Value, s.MaxDepth.Value, s.Resync.Value = 2, 50, time.Hour
	s.ScaleWorkers.Value, s.ScaleMaxDepth.Value, s.ScaleResync.Value = 8, 500, time.Minute
	s.ScaleCooldown.Value = 2 * time.Minute
	s.ScaleWhen.Value = []catalog.ScaleCondition{{Metric: "queueDepth", Op: ">", Value: 100}}
	return &scaler{Autoscaler: kordinator.NewAutoscaler(pool), T: t, at: newWatch().now(), settings: s}
}

var (
	plain  = kordinator.ScaleLimits{Workers: 2, MaxDepth: 50, Resync: time.Hour}
	scaled = kordinator.ScaleLimits{Workers: 8, MaxDepth: 500, Resync: time.Minute}
)

// evaluate lets time pass and evaluates.
func (s *scaler) evaluate(after time.Duration, depth float64) (limits kordinator.ScaleLimits, changed bool, reason string) {
	s.at = s.at.Add(after)
	s.metrics.QueueDepth = depth
	return s.Evaluate(s.at, s.metrics, s.settings)
}

func (s *scaler) want(after time.Duration, depth float64, limits kordinator.ScaleLimits, changed bool, reason string) {
	s.Helper()
	l, c, r := s.evaluate(after, depth)
	if l != limits || c != changed || r != reason {
		s.Errorf("at %s with depth %g:\ngot  %+v %t %q\nwant %+v %t %q", s.at.Format(time.TimeOnly), depth, l, c, r, limits, changed, reason)
	}
}

func TestUpAtOnceDownAfterTheCooldown(t *testing.T) {
	t.Parallel()
	s := newScaler(t)
	s.want(0, 3, plain, true, "queueDepth is 3, not > 100")
	s.want(15*time.Second, 100, plain, false, "queueDepth is 100, not > 100")
	same(t, "last scale", s.Report(1).LastScaleAt.IsZero(), true)
	s.want(15*time.Second, 100.5, scaled, true, "queueDepth is 100.5, > 100")
	up := s.at
	s.want(time.Hour, 101, scaled, false, "queueDepth is 101, > 100")
	s.want(15*time.Second, 7, scaled, false, "queueDepth is 7, not > 100; the limits go back at 2026-11-30T13:02:45Z if that stays so")
	s.want(105*time.Second, 101, scaled, false, "queueDepth is 101, > 100")
	s.want(15*time.Second, 7, scaled, false, "queueDepth is 7, not > 100; the limits go back at 2026-11-30T13:04:45Z if that stays so")
	s.want(2*time.Minute-1, 8, scaled, false, "queueDepth is 8, not > 100; the limits go back at 2026-11-30T13:04:45Z if that stays so")
	same(t, "last scale", s.Report(1).LastScaleAt, up)
	s.want(1, 8, plain, true, "queueDepth is 8, not > 100")
	same(t, "last scale", s.Report(1).LastScaleAt, s.at)
	s.want(time.Second, 200, scaled, true, "queueDepth is 200, > 100")
	s.want(time.Second, 8, scaled, false, "queueDepth is 8, not > 100; the limits go back at 2026-11-30T13:06:47Z if that stays so")
}

func TestFirstEvaluationMayScale(t *testing.T) {
	t.Parallel()
	s := newScaler(t)
	s.want(0, 101, scaled, true, "queueDepth is 101, > 100")
	same(t, "last scale", s.Report(0).LastScaleAt, s.at)
}

func TestWithoutCooldown(t *testing.T) {
	t.Parallel()
	s := newScaler(t)
	s.settings.ScaleCooldown.Value = 0
	s.want(0, 101, scaled, true, "queueDepth is 101, > 100")
	s.want(0, 100, plain, true, "queueDepth is 100, not > 100")
}

func TestSettingsChangeWhileScaled(t *testing.T) {
	t.Parallel()
	s := newScaler(t)
	s.evaluate(0, 101)
	s.settings.ScaleWorkers.Value, s.settings.ScaleResync.Value = 0, 0
	s.want(time.Second, 101, kordinator.ScaleLimits{Workers: 2, MaxDepth: 500, Resync: time.Hour}, true, "queueDepth is 101, > 100")
	s.settings.ScaleWorkers.Value, s.settings.ScaleMaxDepth.Value, s.settings.ScaleResync.Value = 12, 0, time.Minute
	s.want(time.Second, 101, kordinator.ScaleLimits{Workers: 12, MaxDepth: 50, Resync: time.Minute}, true, "queueDepth is 101, > 100")
	same(t, "last scale", s.Report(0).LastScaleAt, s.at)
	changed := s.at
	s.settings.Workers.Value = 3 // which do.workers stands before
	s.want(time.Second, 101, kordinator.ScaleLimits{Workers: 12, MaxDepth: 50, Resync: time.Minute}, false, "queueDepth is 101, > 100")
	same(t, "configured", s.Report(0).Configured, 3)
	same(t, "last scale", s.Report(0).LastScaleAt, changed)
	s.settings.ScaleWhen.Value = []catalog.ScaleCondition{{Metric: "queueDepth", Op: ">", Value: 200}}
	s.want(time.Second, 101, kordinator.ScaleLimits{Workers: 12, MaxDepth: 50, Resync: time.Minute}, false,
		"queueDepth is 101, not > 200; the limits go back at 2026-11-30T12:02:04Z if that stays so")
	s.settings.ScaleCooldown.Value = time.Minute
	s.want(time.Second, 101, kordinator.ScaleLimits{Workers: 12, MaxDepth: 50, Resync: time.Minute}, false,
		"queueDepth is 101, not > 200; the limits go back at 2026-11-30T12:01:04Z if that stays so")
	s.settings.ScaleWhen.Value = nil
	s.want(time.Second, 101, kordinator.ScaleLimits{Workers: 3, MaxDepth: 50, Resync: time.Hour}, true, "")
	same(t, "last scale", s.Report(0).LastScaleAt, s.at)
	ended := s.at
	s.settings.Workers.Value = 4
	s.want(time.Second, 101, kordinator.ScaleLimits{Workers: 4, MaxDepth: 50, Resync: time.Hour}, true, "")
	same(t, "last scale, after a change by somebody else", s.Report(0).LastScaleAt, ended)
}

func TestPoolIsTheCeiling(t *testing.T) {
	t.Parallel()
	s := newScaler(t)
	s.settings.Workers.Value, s.settings.ScaleWorkers.Value = 0, 100
	s.want(0, 1, kordinator.ScaleLimits{Workers: pool, MaxDepth: 50, Resync: time.Hour}, true, "queueDepth is 1, not > 100")
	same(t, "configured", s.Report(0).Configured, pool)
	s.settings.Workers.Value = 2
	s.want(0, 101, kordinator.ScaleLimits{Workers: pool, MaxDepth: 500, Resync: time.Minute}, true, "queueDepth is 101, > 100")
	s.settings.ScaleWhen.Value, s.settings.Workers.Value = nil, 31
	s.want(0, 101, kordinator.ScaleLimits{Workers: pool, MaxDepth: 50, Resync: time.Hour}, true, "")
}

func TestScaleReport(t *testing.T) {
	t.Parallel()
	s := newScaler(t)
	s.evaluate(0, 101)
	same(t, "report", s.Report(3), kordinator.ScaleReport{
		Configured: 2, Effective: 8, Max: pool, InFlight: 3, Idle: 5, OverrideActive: true, LastScaleAt: s.at, Reason: "queueDepth is 101, > 100",
	})
	s.evaluate(0, 0)
	s.evaluate(2*time.Minute, 0)
	same(t, "report with surplus workers", s.Report(3), kordinator.ScaleReport{
		Configured: 2, Effective: 2, Max: pool, InFlight: 3, Idle: 0, LastScaleAt: s.at, Reason: "queueDepth is 0, not > 100",
	})
}

func TestWhenAndOr(t *testing.T) {
	t.Parallel()
	depth := func(op string, value float64) catalog.ScaleCondition {
		return catalog.ScaleCondition{Metric: "queueDepth", Op: op, Value: value}
	}
	yes, no := depth(">", 1), depth("<", 1)
	const yesText, noText = "queueDepth is 5, > 1", "queueDepth is 5, not < 1"
	type list = []catalog.ScaleCondition
	for _, c := range []struct {
		when, or list
		active   bool
		reason   string
	}{
		{nil, nil, false, ""},
		{list{}, list{}, false, ""},
		{list{yes}, nil, true, yesText},
		{list{no}, nil, false, noText},
		{list{yes, yes}, nil, true, yesText + ", " + yesText},
		{list{yes, no}, nil, false, noText},
		{list{no, yes}, nil, false, noText},
		{nil, list{yes}, true, yesText},
		{nil, list{no}, false, noText},
		{nil, list{no, yes}, true, yesText},
		{nil, list{yes, no}, true, yesText},
		{nil, list{no, no}, false, noText + ", " + noText},
		{list{yes}, list{yes}, true, yesText + ", " + yesText},
		{list{yes}, list{no}, false, noText},
		{list{no}, list{yes}, false, noText},
		{list{no}, list{no}, false, noText},
	} {
		s := newScaler(t)
		s.settings.ScaleWhen.Value, s.settings.ScaleOr.Value = c.when, c.or
		_, _, reason := s.evaluate(0, 5)
		if active := s.Report(0).OverrideActive; active != c.active || reason != c.reason {
			t.Errorf("when %v or %v: got %t %q, want %t %q", c.when, c.or, active, reason, c.active, c.reason)
		}
	}
}

// Whatever a registration may say, an autoscaler knows.
func TestAllConditionsAreKnown(t *testing.T) {
	t.Parallel()
	for _, metric := range catalog.ScaleMetrics() {
		for _, op := range catalog.ScaleOps() {
			s := newScaler(t)
			s.settings.ScaleWhen.Value = []catalog.ScaleCondition{{Metric: metric, Op: op, Value: 7}}
			if _, _, reason := s.Evaluate(s.at, s.metrics, s.settings); !strings.HasPrefix(reason, metric+" is 0, ") || !strings.HasSuffix(reason, op+" 7") {
				t.Errorf("%s %s: %s", metric, op, reason)
			}
		}
	}
}

func TestConditions(t *testing.T) {
	t.Parallel()
	m := kordinator.Metrics{
		WorkersBusyPercent: 99.9999999, WorkersIdlePercent: 1e-7, QueueDepth: 12, ReconcileDurationP95Ms: 1234.5678, ErrorRatePercent: 100.0 / 3,
	}
	for _, c := range []struct {
		condition catalog.ScaleCondition
		is        bool
		reason    string
	}{
		{catalog.ScaleCondition{Metric: "workersBusyPercent", Op: "==", Value: 100}, true, "workersBusyPercent is 100, == 100"},
		{catalog.ScaleCondition{Metric: "workersBusyPercent", Op: ">=", Value: 100}, true, "workersBusyPercent is 100, >= 100"},
		{catalog.ScaleCondition{Metric: "workersBusyPercent", Op: "!=", Value: 100}, false, "workersBusyPercent is 100, not != 100"},
		{catalog.ScaleCondition{Metric: "workersIdlePercent", Op: "<=", Value: 0}, true, "workersIdlePercent is 0, <= 0"},
		{catalog.ScaleCondition{Metric: "queueDepth", Op: "<", Value: 12}, false, "queueDepth is 12, not < 12"},
		{catalog.ScaleCondition{Metric: "queueDepth", Op: "<", Value: 12.01}, true, "queueDepth is 12, < 12.01"},
		{catalog.ScaleCondition{Metric: "queueDepth", Op: ">", Value: 12}, false, "queueDepth is 12, not > 12"},
		{catalog.ScaleCondition{Metric: "queueDepth", Op: ">=", Value: 12.1}, false, "queueDepth is 12, not >= 12.1"},
		{catalog.ScaleCondition{Metric: "queueDepth", Op: "<=", Value: 11.9}, false, "queueDepth is 12, not <= 11.9"},
		{catalog.ScaleCondition{Metric: "queueDepth", Op: "!=", Value: 11.99}, true, "queueDepth is 12, != 11.99"},
		{catalog.ScaleCondition{Metric: "reconcileDurationP95Ms", Op: ">", Value: 1000}, true, "reconcileDurationP95Ms is 1234.57, > 1000"},
		{catalog.ScaleCondition{Metric: "errorRatePercent", Op: ">", Value: 50}, false, "errorRatePercent is 33.33, not > 50"},
		{catalog.ScaleCondition{Metric: "load\n", Op: ">", Value: 0}, false, `metric "load\n" is not known`},
		{catalog.ScaleCondition{Metric: "queueDepth", Op: "gt", Value: 0}, false, `comparison "gt" is not known`},
	} {
		s := newScaler(t)
		s.settings.ScaleWhen.Value = []catalog.ScaleCondition{c.condition}
		_, _, reason := s.Evaluate(s.at, m, s.settings)
		if is := s.Report(0).OverrideActive; is != c.is || reason != c.reason {
			t.Errorf("%+v: got %t %q, want %t %q", c.condition, is, reason, c.is, c.reason)
		}
	}
}
