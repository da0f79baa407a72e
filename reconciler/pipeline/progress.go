package pipeline

import (
	"context"
	"time"
)

// State is what has become of a step.
type State string

// The states. A step is running first and in one of the others last; a pending one ends a second time.
const (
	StateRunning     State = "running"
	StatePending     State = "pending" // async: the run went on, and so does the call
	StateOK          State = "ok"
	StateFailed      State = "failed" // of an async step too, although the run goes on
	StateInterrupted State = "interrupted"
)

// Progress is how far a step of a run has come. The last one that was told of an Index is all that there is to know of that
// step. It has no secret, header value, query value or output in it.
type Progress struct {
	Index     int // of the step, from 0
	Steps     int // of the mode
	Name      string
	Method    string
	Endpoint  string // as in the log
	Async     bool
	State     State
	Calls     int // that were made; of a running step those that have been answered, or could not be
	Status    int // of the last answer; 0: there was none
	StartedAt time.Time
	Took      time.Duration // since StartedAt
	Reason    string        // why it failed or was interrupted, or why a running step is to be called again; ""
}

// tell lets the observer know, if there is one.
func (a *attempt) tell(state State, out outcome, reason string) {
	if a.in.Observe == nil {
		return
	}
	a.in.Observe(Progress{
		Index: a.step.index, Steps: a.p.Steps(a.mode), Name: a.step.name, Method: a.step.method, Endpoint: out.shown,
		Async: a.step.async, State: state, Calls: out.calls, Status: out.status,
		StartedAt: a.started, Took: time.Since(a.started), Reason: reason,
	})
}

// end logs and tells how a step, or an async call that went on, has ended.
func (a *attempt) end(ctx context.Context, out outcome) {
	a.log(ctx, out)
	switch {
	case out.pending:
		a.tell(StatePending, out, "")
	case out.fail == nil:
		a.tell(StateOK, out, "")
	case out.fail.interrupted:
		a.tell(StateInterrupted, out, out.fail.why)
	default:
		a.tell(StateFailed, out, out.fail.why)
	}
}
