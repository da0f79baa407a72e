package reconciler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// worker does one job, in one slot of the pool.
type worker struct {
	*Controller

	job      job
	settings catalog.Settings
	number   int    // of the registration's workers
	staff    *staff // of the registration; nil: it has none
	session  string
	stopping <-chan struct{} // closed when no new attempt may begin
	log      *slog.Logger
}

// do carries out a decision. An error means that the store did not take it, and that the job must be looked at again.
func (w *worker) do(ctx context.Context, p pending) error {
	stray := p.lock.holder == w.session && w.runs.takeUncertain(w.job)
	if p.action == actNothing && !stray {
		return nil
	}
	w.identify(p.reg)
	switch {
	case stray:
		return w.unlock(ctx, p.lock)
	case w.job.kind == jobNamespace:
		return w.activate(ctx, *p.ns)
	case w.job.kind == jobGood:
		return w.settled(w.repo.MarkGood(ctx, *p.reg))
	case w.job.kind == jobSpec:
		return w.fetch(ctx, p)
	case p.action == actFetch:
		w.add(kordinator.Live, job{kind: jobSpec, api: w.job.api})
		return nil
	}
	if p.action == actSettle {
		return w.settle(ctx, p)
	}
	return w.run(ctx, p)
}

// identify puts on the log's lines what the job is about. The id that it works toward is on all of them, empty where a
// job has none.
func (w *worker) identify(reg *catalog.Registration) {
	syncID := ""
	if reg != nil {
		syncID = reg.SyncID
	}
	w.log = w.log.With(slog.String("sync_id", syncID))
	if w.job.api != "" {
		w.log = w.log.With(slog.String("api", w.job.api))
	}
	if w.job.namespace != "" {
		w.log = w.log.With(slog.String("namespace", w.job.namespace))
	}
}

// settled takes a write that lost to another one for done: the other one brings the job back.
func (w *worker) settled(err error) error {
	if errors.Is(err, catalog.ErrStale) {
		w.metrics.stale.Inc()
		w.log.Debug("another write came first")
		return nil
	}
	return err
}

// unlock gives up a lock of this process's own that no run knows of, since the store did not answer when it was claimed
// or given up.
func (w *worker) unlock(ctx context.Context, l lock) error {
	id := catalog.ID{Kind: catalog.KindSubscriptionLock, API: w.job.api, Namespace: w.job.namespace}
	if w.job.kind == jobSpec {
		id.Kind = catalog.KindSpecLock
	}
	w.log.Warn("a lock that no run here knows of is given up")
	if err := w.repo.Unlock(ctx, id, l.revision); err != nil {
		w.runs.setUncertain(w.job)
		return fmt.Errorf("give up lock: %w", err)
	}
	return nil
}

func (w *worker) activate(ctx context.Context, ns catalog.Namespace) error {
	err := w.repo.ActivateNamespace(ctx, ns)
	if err == nil {
		w.log.Info("namespace activated")
	}
	return w.settled(err)
}

// settle records the outcome of a trigger for which there is nothing to send.
func (w *worker) settle(ctx context.Context, p pending) error {
	spec := p.spec
	if !p.onSpec {
		spec = nil
	}
	defer w.attempted(p.outcome)
	p.attempt.Holder = w.opts.Identity.ID
	sub, err := w.repo.Settle(ctx, p.reg, *p.sub, spec, p.attempt, p.outcome)
	if err != nil {
		return w.settled(err)
	}
	if p.outcome.Phase == catalog.PhaseError {
		w.failed(p.outcome)
		return nil
	}
	w.log.Warn("the mode is configured nowhere: nothing is sent, and the sync counts as done", slog.String("mode", p.mode))
	w.succeeded(p.sub.Active, &sub)
	return nil
}

func (w *worker) succeeded(was bool, sub *catalog.Subscription) {
	w.metrics.attempt(sub.API, "success")
	if was {
		w.log.Info("reconciled")
	} else {
		w.log.Info("activated")
	}
}

func (w *worker) failed(o catalog.Outcome) {
	w.metrics.attempt(w.job.api, "error")
	w.log.Warn("sync failed", slog.String("reason", string(o.Reason)), slog.String("error", o.Message))
}

// ended tells whether a context's channel, or any other that is closed to say so, says that it has ended.
func ended(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
