package kordinator

import "time"

// WorkerState is what a worker does.
type WorkerState string

// The states of a worker.
const (
	WorkerIdle       WorkerState = "idle"
	WorkerProcessing WorkerState = "processing"
	WorkerStopped    WorkerState = "stopped" // there was one of this number, and now there is not
)

// Snapshot is all that [Vitals] know at one instant.
type Snapshot struct {
	Counts

	StartedAt time.Time     // zero: it is not started
	Workers   int           // that there may be; 0 when it is not started
	States    []WorkerState // of workers 0 and up
	Depth     int           // of the queue

	Recent  Recent  // over RecentSpan
	Metrics Metrics // over the interval of the autoscaler
}

// Recent are the figures of the attempts that ended lately; all are 0 when none did. The durations are at most a
// sixteenth, or 33 µs, beside the truth.
type Recent struct {
	Attempts         int
	ErrorRatePercent float64
	P50, P95, P99    time.Duration
}

// Metrics are what the conditions of an autoscaler compare. All are means over an interval, in which each state of the
// workers and of the queue weighs by its time, or concern the attempts that ended in it.
type Metrics struct {
	WorkersBusyPercent     float64 `json:"workersBusyPercent"`     // of those there may be; 100 while there are too many. 0 if there may be none
	WorkersIdlePercent     float64 `json:"workersIdlePercent"`     // the rest; 0 if there may be none
	QueueDepth             float64 `json:"queueDepth"`             // jobs
	ReconcileDurationP95Ms float64 `json:"reconcileDurationP95Ms"` // 0 if no attempt ended
	ErrorRatePercent       float64 `json:"errorRatePercent"`       // 0 if no attempt ended
}

// Processing is the number of workers that are in an attempt.
func (s *Snapshot) Processing() int { return s.count(WorkerProcessing) }

// Idle is the number of workers that could begin an attempt.
func (s *Snapshot) Idle() int { return s.count(WorkerIdle) }

func (s *Snapshot) count(state WorkerState) int {
	n := 0
	for _, is := range s.States {
		if is == state {
			n++
		}
	}
	return n
}

// Snapshot takes a time that depends on nothing but the number of workers.
func (v *Vitals) Snapshot() Snapshot {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, l := v.elapsed(), v.held()
	v.advance(now, l)
	s := Snapshot{Counts: v.counts, StartedAt: v.started, Workers: l.limit, States: v.states(l.limit), Depth: l.depth}
	s.Recent, s.Metrics = v.recent.recent(), v.scaling.metrics(l)
	if now-v.since > 2*max(RecentSpan, v.interval) && l.busy == 0 {
		v.recent, v.scaling = nil, nil
	}
	return s
}

func (v *Vitals) states(limit int) []WorkerState {
	states := make([]WorkerState, v.workers)
	for i := range states {
		switch {
		case v.working[i] > 0:
			states[i] = WorkerProcessing
		case i < limit:
			states[i] = WorkerIdle
		default:
			states[i] = WorkerStopped
		}
	}
	return states
}

func (w *window) recent() Recent {
	var took histogram
	all := w.sum(&took)
	q := took.quantiles(0.50, 0.95, 0.99)
	return Recent{
		Attempts:         all.ended,
		ErrorRatePercent: 100 * ratio(float64(all.failed), float64(all.ended)),
		P50:              q[0], P95: q[1], P99: q[2],
	}
}

// metrics takes the levels there are now for what has not been observed for any time yet.
func (w *window) metrics(now levels) Metrics {
	var took histogram
	all := w.sum(&took)
	if all.seconds == 0 {
		all.hold(now, time.Second)
	}
	if all.limit == 0 {
		all.busy, all.limit = float64(min(now.busy, now.limit)), float64(now.limit)
	}
	m := Metrics{
		WorkersBusyPercent:     100 * ratio(all.busy, all.limit),
		QueueDepth:             ratio(all.depth, all.seconds),
		ReconcileDurationP95Ms: float64(took.quantiles(0.95)[0]) / float64(time.Millisecond),
		ErrorRatePercent:       100 * ratio(float64(all.failed), float64(all.ended)),
	}
	if all.limit > 0 {
		m.WorkersIdlePercent = 100 - m.WorkersBusyPercent
	}
	return m
}
