package reconciler

import (
	"context"
	"log/slog"
	"reflect"

	"kayra/reconciler/telling"
	"kayra/store/catalog"
)

// publish writes the state of a registration where others find it, and the account of what its team was told, when either
// has changed.
func (c *Controller) publish(ctx context.Context, lease catalog.Office, s survey) error {
	old := &catalog.Health{API: s.name}
	if s.published != nil {
		old = s.published
	}
	if s.reg == nil && !s.needed {
		return c.unpublish(ctx, lease, s, old)
	}
	next, moved := *old, old.State != s.state || old.Reason != s.reason
	if moved {
		next.State, next.Reason, next.Since = s.state, s.reason, c.cache.now().UTC()
	}
	var last *telling.Delivery
	var look telling.Look
	if c.courier != nil {
		last = c.courier.Last(s.name)
		look = c.look(s, old.Told, last)
		next.Told = look.Told
	}
	if !moved && reflect.DeepEqual(old.Told, next.Told) {
		c.recorded(s.name, last, 0)
		return nil
	}
	if err := c.repo.PublishHealth(ctx, lease, old, &next, s.reg != nil); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	c.recorded(s.name, last, next.Revision)
	c.countLook(s.name, look)
	if moved {
		level := slog.LevelInfo
		if old.State == next.State {
			level = slog.LevelDebug // for another reason than before
		}
		c.log.Log(ctx, level, "health changed", slog.String("api", s.name), slog.String("state", string(next.State)),
			slog.String("was", string(old.State)), slog.String("reason", next.Reason))
	}
	return nil
}

// unpublish deletes what was published of a registration that is no more, and that nobody needs.
func (c *Controller) unpublish(ctx context.Context, lease catalog.Office, s survey, old *catalog.Health) error {
	if s.published != nil {
		if err := c.repo.PublishHealth(ctx, lease, old, nil, false); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
	}
	if c.courier != nil {
		c.courier.Forget(s.name)
	}
	return nil
}
