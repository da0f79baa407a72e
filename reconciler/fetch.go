package reconciler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"kayra/reconciler/pipeline"
	"kayra/store"
	"kayra/store/catalog"
)

// fetch gets a registration's document for its sync id: one attempt and, if that fails, an immediate retry, for all
// subscribers and all processes together.
func (w *worker) fetch(ctx context.Context, p pending) error {
	if p.action == actSettle {
		spec := *p.spec
		spec.Covered = p.revision
		p.attempt.Holder = w.opts.Identity.ID
		return w.settled(w.repo.SettleFetch(ctx, p.reg, spec, p.attempt, p.outcome))
	}
	attempt, err := w.begun(p.attempt)
	if err != nil {
		return err
	}
	claim, err := w.repo.BeginFetch(ctx, p.reg, p.spec, attempt, w.session)
	if err != nil {
		return w.unclaimed(err)
	}
	w.runs.takeUncertain(w.job)
	var document []byte
	var resources []catalog.Resource
	outcome, decided := w.attempts(ctx, claim, func() ending {
		document, resources, err = w.document(ctx, p.reg.Name)
		return fetchOutcome(err)
	})
	if decided {
		w.fetched(ctx, claim, outcome, document, resources)
	}
	return nil
}

func fetchOutcome(err error) ending {
	if err == nil {
		return ending{Outcome: catalog.Outcome{Phase: catalog.PhaseSuccess}}
	}
	e := ending{Outcome: catalog.Outcome{Phase: catalog.PhaseError, Reason: catalog.ReasonSpecUnavailable, Message: err.Error()}}
	if failure, ok := errors.AsType[*pipeline.Error](err); ok {
		e.retryAfter = failure.RetryAfter
	}
	return e
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

// fetched records how the fetch ended.
func (w *worker) fetched(ctx context.Context, claim *catalog.SpecClaim, o catalog.Outcome, document []byte, resources []catalog.Resource) {
	var err error
	if o.Phase == catalog.PhaseSuccess {
		err = w.persist(ctx, func() error { return w.repo.FinishFetch(ctx, claim, document, resources) })
		if errors.Is(err, store.ErrTooLarge) {
			o = fetchOutcome(fmt.Errorf("the document of %s has %d bytes, with which the store does not take it: "+
				"raise etcd's --max-request-bytes, or have the app serve less", w.job.api, len(document))).Outcome
		}
	}
	if o.Phase != catalog.PhaseSuccess {
		err = w.persist(ctx, func() error { return w.repo.FailFetch(ctx, claim, o) })
	}
	switch {
	case err != nil:
		w.abandon(ctx, claim)
	case o.Phase == catalog.PhaseSuccess:
		w.metrics.fetch("success")
		w.log.Info("OpenAPI document fetched", slog.Int("bytes", len(document)), slog.Int("resources", len(resources)))
	default:
		w.metrics.fetch("error")
		w.log.Warn("the OpenAPI document could not be fetched: no subscription moves to this sync id",
			slog.String("error", o.Message))
	}
}
