package reconciler

import (
	"context"
	"errors"
	"sync"
)

// Why a run is cancelled.
var (
	errSessionLost = errors.New("the process's lease in the store is lost")
	errDeleted     = errors.New("the subscription has been deleted")
)

// runs knows what this process is doing, and under which session. It does nothing without one.
type runs struct {
	mu        sync.Mutex
	session   string // "": there is none
	running   map[job]context.CancelCauseFunc
	uncertain map[job]bool // the store did not say whether the claim was made
}

func newRuns() *runs {
	return &runs{running: map[job]context.CancelCauseFunc{}, uncertain: map[job]bool{}}
}

// open lets runs begin, under the session.
func (r *runs) open(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session = session
}

// close cancels all runs, and lets none begin.
func (r *runs) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.session = ""
	for _, cancel := range r.running {
		cancel(errSessionLost)
	}
}

func (r *runs) opened() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session != ""
}

// begin notes that a job is being done, under the session that it returns: "" when there is none. The context ends with
// the session. end must be called when the job is done.
func (r *runs) begin(ctx context.Context, j job) (run context.Context, session string, end func()) {
	run, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.session != "" {
		r.running[j] = cancel
	}
	return run, r.session, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.running, j)
		cancel(nil)
	}
}

// cancel cancels the run of a subscription that is no more.
func (r *runs) cancel(j job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.running[j]; cancel != nil {
		cancel(errDeleted)
	}
}

func (r *runs) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.running)
}

// setUncertain notes that a lock may stand in the store which no run here knows of.
func (r *runs) setUncertain(j job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.uncertain[j] = true
}

func (r *runs) isUncertain(j job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.uncertain[j]
}

// takeUncertain tells whether setUncertain was called, and forgets it.
func (r *runs) takeUncertain(j job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.uncertain[j]
	delete(r.uncertain, j)
	return was
}
