package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// Input is one run of a mode.
type Input struct {
	Subscription Subscription
	RunID        string       // with Attempt and the step it makes the Idempotency-Key; empty: none is sent
	Attempt      int          // the same when an interrupted attempt is repeated, another for a retry
	Logger       *slog.Logger // carries what identifies the job; nil: nothing is logged

	// Observe is told when a step begins, each time that a step with Wait is to be called once more, and when a step ends; nil:
	// nobody looks. It is called by what carries the step out, so it must return soon and must not panic. An async step that
	// goes on in the background is pending at first, and ends a second time when its call does: from another goroutine, maybe
	// while later steps run or after Run has returned, but before Close does. A step that the run did not get to is not told of.
	Observe func(Progress)
}

// Run sends the steps of mode. Its error is an [*Error] if a step failed. If ctx ended it is context.Canceled in the sense
// of errors.Is and no *Error: the run then has no outcome.
func (p *Pipelines) Run(ctx context.Context, mode string, in Input) error {
	if in.Logger == nil {
		in.Logger = slog.New(slog.DiscardHandler)
	}
	if !p.Has(mode) {
		return fmt.Errorf("run mode %q: it has no steps", mode)
	}
	var before previous
	counted := p.tallies.open(in.Subscription.Api)
	for _, s := range p.modes[mode] {
		a := &attempt{p: p, mode: mode, step: s, in: in, before: before, tally: counted, started: time.Now()}
		var err error
		if before, err = a.run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// attempt is one step within a run.
type attempt struct {
	p       *Pipelines
	mode    string
	step    *step
	in      Input
	before  previous
	tally   *tally // nil: calls are not counted
	started time.Time
}

// outcome is how a step went.
type outcome struct {
	shown   string // the endpoint as it may be shown
	calls   int
	status  int // of the last answer; 0: there was none
	outputs map[string]string
	giver   site
	pending bool     // an async call that goes on
	fail    *failure // nil: the step succeeded, or is pending
}

// failure says why a step failed, without anything secret.
type failure struct {
	reason      Reason
	why         string
	cut         bool // by the end of the step's context
	interrupted bool // by the end of the run's context, or of the process
	retryAfter  time.Duration
}

func (f *failure) interrupt(why string) { f.why, f.interrupted = why, true }

func failed(why string) *failure { return &failure{reason: StepFailed, why: why} }

func (a *attempt) run(ctx context.Context) (previous, error) {
	if ctx.Err() != nil {
		return previous{}, a.interrupted(ctx)
	}
	req, err := a.render()
	a.tell(StateRunning, outcome{shown: req.shown}, "")
	if err != nil {
		return previous{}, a.finish(ctx, outcome{shown: req.shown, fail: unsent(err)})
	}
	if !a.step.async {
		out := a.call(ctx, req)
		return previous{out.outputs, out.giver}, a.finish(ctx, out)
	}
	out := a.callAsync(ctx, req)
	if err := a.finish(ctx, out); err == nil || !isOutcome(err) {
		return previous{out.outputs, out.giver}, err
	}
	a.in.Logger.Warn("ignoring the failure of an async step", slog.String("mode", a.mode), slog.Int("index", a.step.index))
	return previous{}, nil
}

func isOutcome(err error) bool { return is[*Error](err) }

func unsent(err error) *failure { return failed(err.Error() + "; nothing was sent") }

// finish says how a step went and makes the run's error of it.
func (a *attempt) finish(ctx context.Context, out outcome) error {
	if out.fail != nil && out.fail.cut && ctx.Err() != nil {
		out.fail.interrupt("interrupted")
	}
	a.end(ctx, out)
	switch {
	case out.fail == nil:
		return nil
	case out.fail.interrupted:
		return a.interrupted(ctx)
	}
	return &Error{
		Mode: a.mode, Step: a.step.index, Name: a.step.name, Reason: out.fail.reason,
		Message: a.sentence(out), RetryAfter: out.fail.retryAfter,
	}
}

// sentence is such as "step 2 (poll): GET https://gitlab.local/pipelines/*** answered 500".
func (a *attempt) sentence(out outcome) string {
	at := ordinal(a.step.index, a.step.name) + ": "
	if out.calls == 0 {
		return at + out.fail.why
	}
	return at + a.step.method + " " + out.shown + " " + out.fail.why
}

func (a *attempt) interrupted(ctx context.Context) error {
	return fmt.Errorf("run mode %q: %s: %w", a.mode, ordinal(a.step.index, a.step.name), canceled(ctx))
}

// call sends a step that is waited for. The step's timeout spans all its polls.
func (a *attempt) call(ctx context.Context, req request) outcome {
	ctx, cancel := context.WithTimeout(ctx, a.step.timeout)
	defer cancel()
	if len(a.step.wait) > 0 {
		return a.poll(ctx, req)
	}
	return a.callOnce(ctx, req)
}

// callOnce sends a step once and judges the answer by its status.
func (a *attempt) callOnce(ctx context.Context, req request) outcome {
	out := outcome{shown: req.shown, calls: 1}
	got, err := a.exchange(ctx, req, len(a.step.outputs) > 0)
	out.status = got.status
	switch {
	case err != nil:
		out.fail = a.unanswered(ctx, err)
	case !got.ok():
		out.fail = failed(fmt.Sprintf("answered %d", got.status))
		out.fail.retryAfter = got.retryAfter
	case got.tooLarge:
		out.fail = failed("answered with more than 1 MiB, too much to take outputs from")
	default:
		out.outputs, out.giver = a.step.extract(got.body), got.giver
	}
	return out
}

// unanswered tells the end of the step's time from a transport error.
func (a *attempt) unanswered(ctx context.Context, err error) *failure {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &failure{reason: Timeout, why: fmt.Sprintf("timed out after %s", a.step.timeout), cut: true}
	case ctx.Err() != nil:
		return &failure{reason: StepFailed, why: "was cut off", cut: true}
	}
	return failed("failed: " + explainTransport(err))
}
