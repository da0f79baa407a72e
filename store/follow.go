package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Follower keeps a copy of a prefix. Its methods are called from one goroutine.
type Follower interface {
	// Reset replaces all that is known by the entries, as they are at the revision. The slice is the follower's to keep.
	Reset(entries []Entry, revision int64)
	// Apply brings what is known up to the batch's revision.
	Apply(batch Batch)
	// Live tells whether the copy is being kept up to date: err is nil once the watch runs, and why it broke otherwise.
	Live(err error)
}

// Pauses between two tries to reach the store again.
const (
	followPause    = 50 * time.Millisecond
	followPauseMax = 2 * time.Second
)

// Follow lists the prefix, watches it from the revision after, and goes on doing so until ctx ends: a watch that breaks
// is resumed where it stopped, and one that cannot be resumed (ErrCompacted, ErrFutureRevision) begins with a new list.
// It returns ctx's error.
func Follow(ctx context.Context, s Store, prefix string, f Follower) error {
	w := follow{store: s, prefix: prefix, follower: f}
	pause := followPause
	for {
		progressed, err := w.round(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("follow %q: %w", prefix, ctx.Err())
		}
		f.Live(err)
		if progressed {
			pause = followPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, followPauseMax)
	}
}

type follow struct {
	store    Store
	prefix   string
	follower Follower
	listed   bool
	revision int64 // of the last change that the follower has seen, which is where a broken watch is resumed
}

// round lists, unless the last watch can be resumed, and watches until the watch breaks.
func (w *follow) round(ctx context.Context) (progressed bool, err error) {
	if !w.listed {
		l, err := w.store.List(ctx, w.prefix, ListOptions{})
		if err != nil {
			return false, fmt.Errorf("list %q: %w", w.prefix, err)
		}
		w.follower.Reset(l.Entries, l.Revision)
		w.listed, w.revision = true, l.Revision
	}
	err = w.store.Watch(ctx, w.prefix, w.revision+1, func(b Batch) error {
		progressed = true
		if len(b.Events) > 0 {
			w.follower.Apply(b)
			w.revision = b.Revision
		}
		w.follower.Live(nil)
		return nil
	})
	if errors.Is(err, ErrCompacted) || errors.Is(err, ErrFutureRevision) {
		w.listed = false
	}
	return progressed, fmt.Errorf("watch %q: %w", w.prefix, err)
}
