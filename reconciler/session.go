package reconciler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"kayra/store"
	"kayra/store/catalog"
)

// feed is whether the cache is being kept up to date.
type feed struct {
	mu      sync.Mutex
	running bool
	started chan struct{} // closed while running
}

func newFeed() *feed { return &feed{started: make(chan struct{})} }

// set tells whether that is a change.
func (f *feed) set(running bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running == running {
		return false
	}
	f.running = running
	if running {
		close(f.started)
	} else {
		f.started = make(chan struct{})
	}
	return true
}

func (f *feed) get() (running bool, started <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running, f.started
}

// firstSession waits for the store, but not for a place in one that takes a single reconciler. Without an error there is
// none only when ctx has ended.
func (c *Controller) firstSession(ctx context.Context) (store.Session, error) {
	for {
		s, err := c.opts.Locker.NewSession(ctx)
		switch {
		case err == nil:
			return s, nil
		case ended(ctx.Done()):
			return nil, nil //nolint:nilnil // the process was stopped, which is no error
		case errors.Is(err, store.ErrInUse):
			return nil, err //nolint:wrapcheck // it says that a session was to begin
		}
		c.log.Warn("no session with the store yet", slog.Any("error", err))
		if !pause(ctx) {
			return nil, nil //nolint:nilnil // as above
		}
	}
}

// keepSession has a session at all times until ctx ends, first the one given. It fails with [store.ErrInUse] when
// another process has taken the place of this one.
func (c *Controller) keepSession(ctx context.Context, s store.Session) error {
	counted := false
	for {
		if err := c.enter(ctx, s, &counted); err == nil {
			select {
			case <-s.Done():
				c.log.Warn("the lease in the store is lost: all attempts are cancelled, and a new lease is taken")
			case <-ctx.Done():
			}
		} else if ctx.Err() == nil {
			c.log.Warn("the session cannot be used", slog.Any("error", err))
			pause(ctx)
		}
		c.runs.close()
		c.office.set(catalog.Office{})
		c.leave(ctx, s)
		if ended(ctx.Done()) {
			return nil
		}
		next, err := c.firstSession(ctx)
		if err != nil || next == nil {
			return err
		}
		s = next
	}
}

// enter begins to work under a session: the process makes itself known and, once, counts its start, which is a trigger.
// Both wait until the cache is there, so that a start counts once the process is ready.
func (c *Controller) enter(ctx context.Context, s store.Session, counted *bool) error {
	_, started := c.feed.get()
	select {
	case <-started:
	case <-ctx.Done():
		return fmt.Errorf("wait for the first list: %w", ctx.Err())
	}
	if err := c.repo.Announce(ctx, c.opts.Identity, s.ID()); err != nil {
		return fmt.Errorf("announce: %w", err)
	}
	if !*counted {
		boot, err := c.repo.CountBoot(ctx)
		if err != nil {
			return fmt.Errorf("count start: %w", err)
		}
		c.cache.raiseBoot(boot)
		*counted = true
	}
	c.runs.open(s.ID())
	c.woken(c.cache.all())
	return nil
}

func (c *Controller) leave(ctx context.Context, s store.Session) {
	const patience = 3 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		c.log.Warn("the session was not closed; its locks go when its lease ends", slog.Any("error", err))
	}
}

// pause waits between two tries to reach the store, unless ctx ends.
func pause(ctx context.Context) bool {
	const between = 500 * time.Millisecond
	select {
	case <-ctx.Done():
		return false
	case <-time.After(between):
		return true
	}
}
