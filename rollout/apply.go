package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"kayra/server/api"
	"kayra/store/catalog"
)

// ChangedError says that a plan was not carried out, since what it was made of is no longer so. It unwraps to
// catalog.ErrConflict.
type ChangedError struct {
	Plan Plan
	Now  State
	What string // what has become of it: part of a sentence

	err error // the server's refusal; nil: nothing was sent
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("nothing was changed by this %s of %s: %s", e.Plan.Action, e.Plan.API, e.What)
}

// Unwrap is the server's refusal, or the kind of it.
func (e *ChangedError) Unwrap() error {
	if e.err != nil {
		return e.err
	}
	return catalog.ErrConflict
}

// Apply carries a plan out in one request, and gives the registration as it is then. It fails with a [ChangedError] when
// the registration is no longer at the sync id that the plan was made of. An answer that did not come leaves open whether
// it was carried out: [Engine.Load] tells.
func (e *Engine) Apply(ctx context.Context, p Plan) (api.Registration, error) {
	var reg api.Registration
	body, err := e.client.Do(ctx, http.MethodPut, e.SyncPath(p.API), p.body())
	if errors.Is(err, catalog.ErrConflict) {
		now, again := e.Load(ctx, p.API)
		if again != nil || p.still(&now.Registration) {
			return reg, err //nolint:wrapcheck // is shown as it is
		}
		return reg, changed(p, *now, err)
	}
	if err != nil {
		return reg, err //nolint:wrapcheck // is shown as it is
	}
	if err := json.Unmarshal(body, &reg); err != nil {
		return reg, fmt.Errorf("read answer of %s: %w", p.Action, err)
	}
	return reg, nil
}

// still tells whether nothing has become of what the plan was made of, so that it was refused for something else.
func (p Plan) still(now *api.Registration) bool {
	return now.SyncID == p.SyncID && slices.Equal(now.CanaryNamespaces, p.seen.Registration.CanaryNamespaces)
}

// changed finds out what has become of what a plan was made of.
func changed(p Plan, now State, err error) error {
	return &ChangedError{Plan: p, Now: now, What: became(p, &now.Registration), err: err}
}

func became(p Plan, now *api.Registration) string {
	before := &p.seen.Registration
	rolling := len(before.CanaryNamespaces) > 0
	switch {
	case now.SyncID == p.SyncID && len(now.CanaryNamespaces) == 0:
		return fmt.Sprintf("the rollout to %s has been released already; it is everyone's target", p.SyncID)
	case now.SyncID == p.SyncID:
		return fmt.Sprintf("the rollout to %s is another one by now, for %s", p.SyncID, enumerate(now.CanaryNamespaces))
	case rolling && len(now.CanaryNamespaces) == 0 && now.SyncID == before.ReleasedSyncID:
		return fmt.Sprintf("the rollout to %s has been aborted; everyone's target is %s again", p.SyncID, now.SyncID)
	case rolling && slices.Equal(now.CanaryNamespaces, before.CanaryNamespaces):
		return fmt.Sprintf("the rollout to %s has been given another sync_id: %s", p.SyncID, now.SyncID)
	case len(now.CanaryNamespaces) > 0:
		return fmt.Sprintf("its sync_id is no longer %s: %s", p.SyncID, pendingNow(now))
	}
	return fmt.Sprintf("its sync_id is no longer %s, but %s, and everyone's target", p.SyncID, now.SyncID)
}

func pendingNow(now *api.Registration) string {
	return fmt.Sprintf("a rollout to %s is pending, for %s", now.SyncID, strings.TrimSpace(enumerate(now.CanaryNamespaces)))
}
