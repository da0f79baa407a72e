package reconciler

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"kayra/store/catalog"
)

// rollBack takes a registration's sync id back when too many subscriptions have failed at it.
func (c *Controller) rollBack(ctx context.Context, lease catalog.Office, s survey) error {
	if !s.failing || s.reg.Paused || s.reg.Reverting {
		return nil
	}
	log := c.log.With(slog.String("api", s.name), slog.String("sync_id", s.reg.SyncID))
	to := s.reg.RollbackTarget()
	if to == "" {
		if c.office.says(s.name, s.reg.SyncID) {
			log.Warn("too many subscriptions failed, but there is no earlier sync id to go back to",
				slog.Int("consecutive_failures", s.settings.RollbackFailures.Value))
		}
		return nil
	}
	if _, err := c.repo.RollBack(ctx, lease, *s.reg, to); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	log.Warn("rolled back, since too many subscriptions failed", slog.String("to", to),
		slog.Int("consecutive_failures", s.settings.RollbackFailures.Value),
		slog.Duration("within", s.settings.RollbackWithin.Value))
	return nil
}

// says tells whether something has not been said of the id yet.
func (o *office) says(api, syncID string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	said := o.said[api] == syncID
	o.said[api] = syncID
	return !said
}

func (o *office) forget(api string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.said, api)
}

// failing tells whether so many different subscriptions have ended in error at the registration's sync id one after
// another, the last of them within a time (0: ever) after the first, and none has succeeded at it in between. When this
// is asked makes no difference: what has succeeded after them does not undo it.
func (a *api) failing(limit int, within time.Duration) bool {
	if limit == 0 || a.tally.erred < limit {
		return false
	}
	ends := a.ends()
	first := 0 // of the errors that follow one another
	for i, e := range ends {
		if e.succeeded {
			first = i + 1
			continue
		}
		if last := i - limit + 1; last >= first && (within == 0 || e.at.Sub(ends[last].at) <= within) {
			return true
		}
	}
	return false
}

// end is how a subscription's last trigger ended at the registration's sync id.
type end struct {
	mark      int64 // the store's revision of that
	at        time.Time
	succeeded bool
}

// ends are in the order in which they were recorded. That there is no mode is no fault of the id.
func (a *api) ends() []end {
	var ends []end
	for _, s := range a.subscribers {
		if s.sub == nil || s.sub.Attempt.SyncID != a.reg.SyncID {
			continue
		}
		switch at := s.sub.Attempt; {
		case at.Phase == catalog.PhaseSuccess:
			ends = append(ends, end{s.sub.Succeeded, at.EndedAt, true})
		case at.Phase == catalog.PhaseError && at.Reason != catalog.ReasonNoMode && len(s.sub.Failures) > 0:
			ends = append(ends, end{s.sub.Failures[len(s.sub.Failures)-1], at.EndedAt, false})
		}
	}
	slices.SortFunc(ends, func(x, y end) int { return cmp.Compare(x.mark, y.mark) })
	return ends
}
