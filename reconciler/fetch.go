package reconciler

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"kayra/store/catalog"
)

// fetch gets a registration's document for its sync id: one attempt and, if that fails, an immediate retry, for all
// subscribers and all processes together.
func (w *worker) fetch(ctx context.Context, p pending) error {
	if p.action == actSettle {
		spec := *p.spec
		spec.Covered = p.revision
		return w.settled(w.repo.SettleFetch(ctx, p.reg, spec, p.attempt, p.outcome))
	}
	attempt, err := begun(p.attempt)
	if err != nil {
		return err
	}
	claim, err := w.repo.BeginFetch(ctx, p.reg, p.spec, attempt, w.session)
	if err != nil {
		if !errors.Is(err, catalog.ErrStale) {
			w.runs.setUncertain(w.job)
		}
		return w.settled(err)
	}
	w.runs.takeUncertain(w.job)
	for {
		document, resources, failure := w.document(ctx, p.reg.Name)
		if ctx.Err() != nil {
			w.abandon(ctx, claim.Abandon)
			return nil
		}
		if failure == nil {
			return w.fetched(ctx, claim, document, resources)
		}
		if again, phase := w.fetchAgain(ctx, claim, failure); !again {
			return w.fetchFailed(ctx, claim, catalog.Outcome{
				Phase: phase, Reason: catalog.ReasonSpecUnavailable, Message: failure.Error(),
			})
		}
	}
}

func (w *worker) document(ctx context.Context, api string) (document []byte, resources []catalog.Resource, err error) {
	defer w.metrics.fetchTook(time.Now())
	err = w.guard(func() error {
		if document, err = w.opts.Gateway.Document(ctx, api); err != nil {
			return err //nolint:wrapcheck // it is the sentence that the subscribers will show
		}
		resources, err = deriveResources(api, document)
		return err
	})
	return document, resources, err
}

// fetchAgain is again for a fetch.
func (w *worker) fetchAgain(ctx context.Context, claim *catalog.SpecClaim, failure error) (bool, catalog.Phase) {
	if claim.Record.Attempt.N > 1 {
		return false, catalog.PhaseError
	}
	if w.isStopping() {
		return false, catalog.PhaseFailed
	}
	err := w.persist(ctx, func() error { return claim.Retry(ctx) })
	switch {
	case err == nil:
		w.log.Warn("the OpenAPI document could not be fetched and is fetched again right away", slog.Any("error", failure))
		return true, ""
	case errors.Is(err, catalog.ErrDropped) && !claim.Moved():
		return false, catalog.PhaseFailed
	}
	return false, catalog.PhaseError
}

func (w *worker) fetched(ctx context.Context, claim *catalog.SpecClaim, document []byte, resources []catalog.Resource) error {
	err := w.persist(ctx, func() error { return w.repo.FinishFetch(ctx, claim, document, resources) })
	if err != nil {
		w.abandon(ctx, claim.Abandon)
		return nil
	}
	w.metrics.fetch("success")
	w.log.Info("OpenAPI document fetched", slog.Int("bytes", len(document)), slog.Int("resources", len(resources)))
	return nil
}

func (w *worker) fetchFailed(ctx context.Context, claim *catalog.SpecClaim, o catalog.Outcome) error {
	if err := w.persist(ctx, func() error { return w.repo.FailFetch(ctx, claim, o) }); err != nil {
		w.abandon(ctx, claim.Abandon)
		return nil
	}
	w.metrics.fetch("error")
	w.log.Warn("the OpenAPI document could not be fetched: no subscription moves to this sync id", slog.String("error", o.Message))
	return nil
}
