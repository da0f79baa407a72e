package reconciler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/hashicorp/go-uuid"

	"kayra/reconciler/kordinator"
	"kayra/store"
	"kayra/store/catalog"
)

// begun prepares an attempt of this process: a repeated one keeps its name, so that what it sends is known as a repetition.
func (w *worker) begun(a catalog.Attempt) (catalog.Attempt, error) {
	a.Holder = w.opts.Identity.ID
	if a.Run != "" {
		return a, nil
	}
	id, err := uuid.GenerateUUID()
	if err != nil {
		return a, fmt.Errorf("generate run id: %w", err)
	}
	a.Run = id
	return a, nil
}

// unclaimed is what becomes of a job that could not be claimed.
func (w *worker) unclaimed(err error) error {
	if !errors.Is(err, catalog.ErrStale) {
		w.runs.setUncertain(w.job)
	}
	return w.settled(err)
}

// count counts what became of an attempt.
func (w *worker) count(result string) {
	if w.job.kind == jobSpec {
		w.metrics.fetch(result)
	} else {
		w.metrics.attempt(w.job.api, result)
	}
}

// claim is a job that this worker holds the lock of.
type claim interface {
	Attempt() catalog.Attempt
	Retry(ctx context.Context) error
	Abandon(ctx context.Context) error
	Moved() bool
}

// attempts makes the attempt of a claim and, if that fails, its immediate retry, and tells how the trigger ended. decided
// is false when it was cut off; the lock is given up then, and there is nothing to record.
func (w *worker) attempts(ctx context.Context, c claim, try func() ending) (o catalog.Outcome, decided bool) {
	for {
		end := try()
		if ended(ctx.Done()) {
			w.abandon(ctx, c)
			return end.Outcome, false
		}
		again, phase := w.again(ctx, c, end.Outcome)
		if !again {
			end.Phase = phase
			end.RetryAt = w.retryAt(end, c.Attempt())
			return end.Outcome, true
		}
	}
}

// ending is how an attempt ended, and how long whoever failed it asks to be left alone.
type ending struct {
	catalog.Outcome

	retryAfter time.Duration
}

// retryAt is when operator.retry makes a further attempt of a trigger that has failed, or zero.
func (w *worker) retryAt(e ending, a catalog.Attempt) time.Time {
	s := w.settings
	if e.Phase != catalog.PhaseError || a.Retries >= s.RetryMaxAttempts.Value {
		return time.Time{}
	}
	delay := kordinator.Backoff(s.RetryInitial.Value, s.RetryMax.Value, a.Retries+1, e.retryAfter, rand.Int64N)
	return w.cache.now().Add(delay).UTC().Truncate(time.Millisecond)
}

// again begins the immediate retry of an attempt that has failed, if there is to be one. Otherwise it tells what becomes
// of the trigger: it ends in the outcome's phase, or its retry stays owed.
func (w *worker) again(ctx context.Context, c claim, o catalog.Outcome) (bool, catalog.Phase) {
	switch {
	case o.Phase == catalog.PhaseSuccess || c.Attempt().N > 1:
		return false, o.Phase
	case ended(w.stopping):
		return false, catalog.PhaseFailed
	}
	err := w.persist(ctx, func() error { return c.Retry(ctx) })
	switch {
	case err == nil:
		w.count("retried")
		w.log.Warn("the attempt failed and is retried right away", slog.String("error", o.Message))
		return true, ""
	case errors.Is(err, catalog.ErrDropped) && !c.Moved():
		return false, catalog.PhaseFailed
	}
	return false, o.Phase
}

// persist repeats a write that the store does not answer until it is taken, refused, or ctx ends: a result is worth
// waiting for as long as the lock is held. One that is too large for the store stays so.
func (w *worker) persist(ctx context.Context, write func() error) error {
	const least, spread = 50 * time.Millisecond, 200 * time.Millisecond
	for {
		err := write()
		if err == nil || ctx.Err() != nil || errors.Is(err, catalog.ErrLost) || errors.Is(err, catalog.ErrDropped) ||
			errors.Is(err, store.ErrTooLarge) {
			return err
		}
		w.log.Warn("the store did not take a result; it is tried again", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return err
		case <-time.After(least + rand.N(spread)):
		}
	}
}

// abandon gives up a lock without an outcome. ctx may have ended.
func (w *worker) abandon(ctx context.Context, c claim) {
	const patience = 2 * time.Second
	cause := context.Cause(ctx)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	w.count("interrupted")
	w.log.Warn("an attempt was cut off before its outcome", slog.Any("cause", cause))
	if err := c.Abandon(ctx); err != nil {
		w.runs.setUncertain(w.job)
		w.later(w.job, w.log, err)
	}
}

// panicked is what a panic has made of an attempt.
type panicked struct{ stack string }

func (*panicked) Error() string {
	return "the reconciler has a fault: the attempt panicked; its log has the details"
}

// guard makes a panic an error, so that it ends an attempt and not the process.
func (w *worker) guard(try func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			stack := string(debug.Stack())
			w.log.Error("an attempt panicked", slog.Any("panic", r), slog.String("stack", stack))
			err = &panicked{stack}
		}
	}()
	return try()
}
