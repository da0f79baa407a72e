package reconciler

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"kayra/reconciler/pipeline"
	"kayra/store/catalog"
)

// run makes the attempt that a subscription is entitled to and, if that fails, its immediate retry, under one lock.
func (w *worker) run(ctx context.Context, p pending) error {
	attempt, err := w.begun(p.attempt)
	if err != nil {
		return err
	}
	claim, err := w.repo.Begin(ctx, p.reg, p.sub, attempt, w.session)
	if err != nil {
		return w.unclaimed(err)
	}
	w.runs.takeUncertain(w.job)
	if attempt.Retries > p.sub.Attempt.Retries {
		w.metrics.retry(w.job.api)
	}
	outcome, decided := w.attempts(ctx, claim, func() ending { return outcomeOf(w.try(ctx, p.mode, claim)) })
	if decided {
		w.finish(ctx, claim, outcome)
	}
	return nil
}

// try makes one attempt.
func (w *worker) try(ctx context.Context, mode string, claim *catalog.SubscriptionClaim) error {
	sub, reg, a := &claim.Record, &claim.Registration, claim.Record.Attempt
	defer w.metrics.took(reg.Name, time.Now())
	steps := &progress{record: w.note(ctx, claim)}
	defer steps.end()
	seen := w.memory.begin(w.job, a.Run, a.N)
	in := pipeline.Input{
		Subscription: pipeline.Subscription{
			Api: sub.API, ShortName: reg.ShortName, Namespace: sub.Namespace,
			Platform: reg.Platform, Region: reg.Region,
			CurrentSyncID: sub.CurrentSyncID, ExpectedSyncID: a.SyncID,
		},
		RunID: a.Run, Attempt: a.N,
		Logger: w.log, Observe: func(p pipeline.Progress) {
			w.memory.observe(seen, p)
			steps.observe(p)
		},
	}
	run := func() error { return w.guard(func() error { return w.opts.Pipeline.Run(ctx, mode, in) }) }
	err := w.measure(run, func() bool { return ended(ctx.Done()) })
	w.memory.end(seen, err == nil)
	return err
}

// finish records how the trigger ended.
func (w *worker) finish(ctx context.Context, claim *catalog.SubscriptionClaim, o catalog.Outcome) {
	was := claim.Record.Active
	err := w.persist(ctx, func() error { return w.repo.Finish(ctx, claim, o) })
	if err != nil {
		w.abandon(ctx, claim)
		return
	}
	switch o.Phase {
	case catalog.PhaseSuccess:
		w.succeeded(was, &claim.Record)
	case catalog.PhaseFailed:
		w.metrics.attempt(w.job.api, "retry_owed")
		w.log.Warn("the attempt failed; its retry is made later", slog.String("error", o.Message))
	case catalog.PhaseError, catalog.PhaseNone, catalog.PhaseRunning:
		w.failed(o)
	}
}

// outcomeOf is the end of an attempt as it is recorded.
func outcomeOf(err error) ending {
	if err == nil {
		return ending{Outcome: catalog.Outcome{Phase: catalog.PhaseSuccess}}
	}
	o := catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonStepFailed, Message: err.Error()}
	failure, ok := errors.AsType[*pipeline.Error](err)
	if !ok {
		return ending{Outcome: o}
	}
	o.Reason, o.Message = catalog.Reason(failure.Reason), failure.Message
	return ending{Outcome: o, retryAfter: failure.RetryAfter}
}
