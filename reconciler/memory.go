package reconciler

import (
	"slices"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"kayra/reconciler/katalog"
	"kayra/reconciler/pipeline"
)

// Bounds of what is remembered of runs.
const (
	maxRuns  = 10_000
	maxSteps = 50_000 // of all of them together
)

// memory keeps the last run of each subscription that this process has made one of, of those that were made last.
type memory struct {
	mu    sync.Mutex
	runs  *simplelru.LRU[job, *lastRun]
	steps int
}

// lastRun is a run, and whether it goes on.
type lastRun struct {
	katalog.Run

	ended, forgotten bool
}

func newMemory() *memory {
	m := &memory{}
	m.runs, _ = simplelru.NewLRU(maxRuns, func(_ job, r *lastRun) { // fails for a size that is not positive only
		m.steps -= len(r.Steps)
		r.forgotten = true
	})
	return m
}

// begin notes that an attempt begins.
func (m *memory) begin(j job, run string, attempt int) *lastRun {
	r := &lastRun{Run: katalog.Run{Name: run, Attempt: attempt, StartedAt: time.Now()}}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.Remove(j) // so that its steps are counted no more
	m.runs.Add(j, r)
	return r
}

// observe notes how a step goes. The late end of an async one may come when the run has ended, and is forgotten.
func (m *memory) observe(r *lastRun, p pipeline.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.forgotten {
		return
	}
	r.Total = p.Steps
	for len(r.Steps) <= p.Index {
		r.Steps = append(r.Steps, katalog.Step{})
		m.steps++
	}
	r.Steps[p.Index] = katalog.Step{
		Name: p.Name, Method: p.Method, Endpoint: p.Endpoint, State: string(p.State), Calls: p.Calls, Code: p.Status,
		StartedAt: p.StartedAt, Took: p.Took, Reason: p.Reason,
	}
	for m.steps > maxSteps && m.runs.Len() > 1 {
		m.runs.RemoveOldest()
	}
}

// end notes how an attempt has ended.
func (m *memory) end(r *lastRun, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r.ended, r.Ready, r.Took = true, ok, time.Since(r.StartedAt)
}

// last is the last run of a subscription, or nil, and whether it goes on.
func (m *memory) last(j job) (run *katalog.Run, running bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.runs.Peek(j)
	if !ok {
		return nil, false
	}
	seen := r.Run
	seen.Steps = slices.Clone(r.Steps)
	if !r.ended {
		seen.Took = time.Since(r.StartedAt)
		if n := len(seen.Steps); n > 0 && seen.Steps[n-1].State == string(pipeline.StateRunning) {
			seen.Steps[n-1].Took = time.Since(seen.Steps[n-1].StartedAt)
		}
	}
	return &seen, !r.ended
}

// forget drops the run of a subscription that is no more.
func (m *memory) forget(j job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs.Remove(j)
}
