package kordinator

import (
	"sync"
	"time"

	"kayra/store/catalog"
)

// Autoscaler decides which limits hold for one registration. They are those of [catalog.Settings].ScaleWorkers and the
// like from the moment when the conditions are true until they have been false for the whole cooldown, and the plain ones
// otherwise. Its methods may be called at the same time.
type Autoscaler struct {
	pool int

	mu         sync.Mutex
	active     bool
	falseSince time.Time // while active; zero: the conditions are true
	configured int
	limits     ScaleLimits
	scaledAt   time.Time
	reason     string
}

// NewAutoscaler makes an autoscaler that gives at most so many workers, which is the size of the pool.
func NewAutoscaler(pool int) *Autoscaler { return &Autoscaler{pool: pool} }

// ScaleLimits are the limits that hold now.
type ScaleLimits struct {
	Workers  int           // from 1 to the size of the pool
	MaxDepth int           // of the queue; 0: none
	Resync   time.Duration // interval; 0: none
}

// ScaleReport is what [Autoscaler.Report] tells, with the JSON names of the kordinator's answers.
type ScaleReport struct {
	Configured     int       `json:"configured"` // workers without the autoscaler; the pool where all of it may be used
	Effective      int       `json:"effective"`  // workers that may be
	Max            int       `json:"max"`        // the pool
	InFlight       int       `json:"inFlight"`   // workers in an attempt; more than Effective until surplus ones have ended
	Idle           int       `json:"idle"`
	OverrideActive bool      `json:"overrideActive"`
	LastScaleAt    time.Time `json:"lastScaleAt,omitzero"` // when the autoscaler last changed the limits
	Reason         string    `json:"reason"`               // a sentence; empty without conditions
}

// Evaluate decides anew. It is to be called at each interval, and when the settings have changed; now must not go back.
//
// changed tells that the limits are others than the last time, and is true at the first time. reason is one sentence for
// people: which conditions decided and what they saw. Settings that change while a scale-up is active take effect at
// once: new values hold from now on, and without conditions it ends without a cooldown.
func (a *Autoscaler) Evaluate(now time.Time, m Metrics, s catalog.Settings) (limits ScaleLimits, changed bool, reason string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.active
	a.reason = a.decide(now, m, s)
	limits = a.plain(s)
	a.configured = limits.Workers
	if a.active {
		limits = a.scaled(limits, s)
	}
	changed = limits != a.limits // which have no workers at the first time
	if a.active != was || a.active && changed {
		a.scaledAt = now
	}
	a.limits = limits
	return limits, changed, a.reason
}

// decide says whether the other limits hold, and why.
func (a *Autoscaler) decide(now time.Time, m Metrics, s catalog.Settings) string {
	holds, why := judge(m, s.ScaleWhen.Value, s.ScaleOr.Value)
	switch {
	case holds:
		a.active, a.falseSince = true, time.Time{}
		return why
	case !a.active || len(s.ScaleWhen.Value)+len(s.ScaleOr.Value) == 0:
		a.active = false
		return why
	case a.falseSince.IsZero():
		a.falseSince = now
	}
	end := a.falseSince.Add(s.ScaleCooldown.Value)
	a.active = now.Before(end)
	if !a.active {
		return why
	}
	return why + "; the limits go back at " + end.UTC().Format(time.RFC3339) + " if that stays so"
}

// plain are the limits without the autoscaler.
func (a *Autoscaler) plain(s catalog.Settings) ScaleLimits {
	l := ScaleLimits{Workers: a.pool, MaxDepth: s.MaxDepth.Value, Resync: s.Resync.Value}
	if n := s.Workers.Value; n > 0 {
		l.Workers = min(n, a.pool)
	}
	return l
}

// scaled are the limits while a scale-up is active.
func (a *Autoscaler) scaled(l ScaleLimits, s catalog.Settings) ScaleLimits {
	if n := s.ScaleWorkers.Value; n > 0 {
		l.Workers = min(n, a.pool)
	}
	if n := s.ScaleMaxDepth.Value; n > 0 {
		l.MaxDepth = n
	}
	if d := s.ScaleResync.Value; d > 0 {
		l.Resync = d
	}
	return l
}

// Report tells what was decided last, for a registration so many of whose workers are in an attempt.
func (a *Autoscaler) Report(inFlight int) ScaleReport {
	a.mu.Lock()
	defer a.mu.Unlock()
	return ScaleReport{
		Configured: a.configured, Effective: a.limits.Workers, Max: a.pool,
		InFlight: inFlight, Idle: max(0, a.limits.Workers-inFlight),
		OverrideActive: a.active, LastScaleAt: a.scaledAt, Reason: a.reason,
	}
}
