package local

import (
	"context"
	"fmt"
	"time"

	"kayra/store"
)

// signOfLife is the time after which a watch without changes calls nonetheless.
const signOfLife = time.Second

// Watch follows a prefix.
func (s *Store) Watch(ctx context.Context, prefix string, from int64, fn func(store.Batch) error) error {
	w := watch{store: s, prefix: prefix, at: max(from, 1) - 1, fn: fn}
	return fmt.Errorf("watch %q from revision %d: %w", prefix, from, w.run(ctx))
}

type watch struct {
	store  *Store
	prefix string
	at     int64 // all changes up to this revision have been delivered
	fn     func(store.Batch) error
}

func (w *watch) run(ctx context.Context) error {
	if err := w.advance(ctx, true); err != nil {
		return err
	}
	life := time.NewTicker(signOfLife)
	defer life.Stop()
	for {
		state := w.store.poller.now()
		if err := state.alive(); err != nil {
			return w.store.explain(ctx, err)
		}
		if state.revision > w.at {
			if err := w.advance(ctx, false); err != nil {
				return err
			}
		}
		if state.revision > w.at {
			continue // that was a part
		}
		select {
		case <-ctx.Done():
			return ctx.Err() //nolint:wrapcheck // Watch does
		case <-w.store.closing:
			return errClosed
		case <-state.changed:
		case <-life.C:
			if err := w.fn(store.Batch{Revision: w.at}); err != nil {
				return err
			}
		}
	}
}

// advance delivers what is new, and an empty batch if nothing is and the call is to be made anyway.
func (w *watch) advance(ctx context.Context, anyway bool) error {
	b, err := w.store.reader.since(ctx, w.prefix, w.at)
	if err != nil {
		return w.store.explain(ctx, err)
	}
	w.at = b.Revision
	if len(b.Events) == 0 && !anyway {
		return nil
	}
	return w.fn(b)
}
