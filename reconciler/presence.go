package reconciler

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"kayra/store/catalog"
)

// tellQueues keeps what others know of this process's queues up to date, until ctx ends: nothing else tells them.
func (c *Controller) tellQueues(ctx context.Context) {
	const interval = time.Second
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var told map[string]catalog.QueueLength
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		session, lengths := c.runs.current(), c.lengths()
		if session == "" || maps.Equal(told, lengths) {
			continue
		}
		p := c.opts.Identity
		p.Queues = lengths
		if err := c.repo.Announce(ctx, p, session); err != nil {
			c.log.Debug("the lengths of the queues were not told", slog.Any("error", err))
			continue
		}
		told = lengths
	}
}

// lengths are those of the queues in which somebody waits, of some of them if there are many.
func (c *Controller) lengths() map[string]catalog.QueueLength {
	const most = 100
	var lengths map[string]catalog.QueueLength
	for _, name := range c.cache.names() {
		s := c.queues.Stats(name)
		if s.Depth == 0 {
			continue
		}
		if lengths == nil {
			lengths = map[string]catalog.QueueLength{}
		}
		lengths[name] = catalog.QueueLength{Waiting: s.Depth, Running: s.Running}
		if len(lengths) == most {
			break
		}
	}
	return lengths
}
