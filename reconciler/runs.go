package reconciler

import (
	"context"
	"errors"
	"maps"
	"slices"
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
	last      bool         // an attempt runs that is given up if it is cut off once more
	waiting   map[job]bool // those that wait for its end to begin such an attempt themselves
}

func newRuns() *runs {
	return &runs{running: map[job]context.CancelCauseFunc{}, uncertain: map[job]bool{}, waiting: map[job]bool{}}
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

func (r *runs) opened() bool { return r.current() != "" }

// current is the session that there is, or "".
func (r *runs) current() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.session
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

// beginLast tells whether a job may begin an attempt that is given up if it is cut off once more. A process makes one of
// them at a time, so that a job which kills the process each time does not take those along that were cut off with it.
func (r *runs) beginLast(j job) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last {
		r.waiting[j] = true
		return false
	}
	r.last = true
	return true
}

// endLast returns the jobs that have waited for the end.
func (r *runs) endLast() []job {
	r.mu.Lock()
	defer r.mu.Unlock()
	waiting := slices.Collect(maps.Keys(r.waiting))
	clear(r.waiting)
	r.last = false
	return waiting
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
