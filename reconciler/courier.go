package reconciler

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"kayra/notice"
	"kayra/reconciler/kordinator"
	"kayra/reconciler/telling"
	"kayra/store/catalog"
)

const (
	couriers       = 4               // deliveries at the same time
	longestRepeat  = 5 * time.Minute // between two tries to deliver an event
	courierAtStop  = 5 * time.Second // how long a delivery may go on after the stop, unless attempts may not for as long
	notDelivered   = "failed"
	wasDelivered   = "delivered"
	wasThrottled   = "throttled"
	wasGivenUp     = "given_up"
	nobodyToBeTold = "no_channel"
)

// courier has the events delivered that are owed, beside all else that the konductor does.
type courier struct {
	*telling.Deliveries

	queue *kordinator.Queues[string] // of registrations
}

func newCourier(opts Options) *courier {
	return &courier{
		Deliveries: telling.NewDeliveries(opts.Identity.ID, opts.NotifyPause, longestRepeat),
		queue:      kordinator.NewQueues[string](couriers, nil),
	}
}

// startCourier begins to deliver, until ctx ends.
func (c *Controller) startCourier(ctx context.Context, background *sync.WaitGroup) {
	if c.courier == nil {
		return
	}
	c.courier.queue.Open(system, kordinator.Limits{})
	for range couriers {
		background.Go(func() { c.carry(ctx) })
	}
}

// stopCourier has no delivery begin any more, and waits a while for those that run to be on the record, so that nobody
// repeats them.
func (c *Controller) stopCourier() {
	if c.courier == nil {
		return
	}
	idle := c.courier.Stop()
	c.courier.queue.ShutDown()
	if !c.office.held() {
		return
	}
	timer := time.NewTimer(min(courierAtStop, c.opts.DrainTimeout))
	defer timer.Stop()
	select {
	case <-idle:
	case <-timer.C:
	}
}

func (c *Controller) carry(ctx context.Context) {
	for {
		turn, ok := c.courier.queue.Get()
		if !ok {
			return
		}
		c.deliver(ctx, turn.Job)
		c.courier.queue.Done(turn)
	}
}

// deliver makes the next delivery that is due for a registration, if this process is the konductor.
func (c *Controller) deliver(ctx context.Context, api string) {
	h := c.cache.publishedOf(api)
	if h == nil || !c.office.held() {
		return
	}
	owed, wait, ok := c.courier.Begin(h, c.cache.now())
	if !ok {
		if wait > 0 {
			c.courier.queue.AddAfter(system, kordinator.Live, api, wait)
		}
		return
	}
	answer, err := c.opts.Notifier.Send(ctx, telling.Request(api, owed))
	again := c.courier.End(api, answer, err, c.cache.now())
	c.report(api, owed, answer, err, again)
	c.office.look(wakeup{apis: []string{api}})
}

// report says how a delivery has ended.
func (c *Controller) report(api string, owed catalog.Owed, answer notice.Answer, err error, again time.Duration) {
	kind := notice.Kind(owed.Event)
	log := c.log.With(slog.String("api", api), slog.String("event", owed.Event), slog.String("team", owed.Team))
	switch {
	case err != nil:
		c.metrics.told(kind, notDelivered)
		log.Warn("a team was not told; it is tried again", slog.Duration("in", again), slog.Any("error", err))
	case len(answer.Failed) > 0:
		c.metrics.told(kind, notDelivered)
		for _, f := range answer.Failed {
			log.Warn("a team was not told by all its channels; it is tried again", slog.Duration("in", again),
				slog.String("channel", string(f.Channel)), slog.String("error", f.Error))
		}
	case len(answer.Delivered) == 0:
		c.metrics.told(kind, nobodyToBeTold)
		log.Warn("a team was not told: kayra serve knows no channel of it; its name under notification.teams must be the registration's owner")
	default:
		c.metrics.told(kind, wasDelivered)
		log.Info("a team was told", slog.Any("channels", answer.Delivered))
	}
}

// look has the konductor decide what a registration's team is to be told of.
func (c *Controller) look(s survey, told catalog.Told, last *telling.Delivery) telling.Look {
	return telling.Teller{
		Self: c.opts.Identity.ID, Interval: c.opts.NotifyWithin, Now: c.cache.now(),
		Sure: func(o catalog.Owed) bool { return c.courier.Sure(s.name, o) },
	}.Look(told, telling.Standing{
		Registration: s.reg, State: s.state, Reason: s.reason, Subscribed: s.subscribed, Failed: s.failed,
		Rollback: s.settings.RollbackFailures.Value,
	}, last)
}

// recorded tells that what the konductor has made of a registration is on its record, and has what is owed delivered.
func (c *Controller) recorded(api string, last *telling.Delivery, revision int64) {
	if c.courier == nil {
		return
	}
	c.courier.Recorded(api, last, revision)
	if h := c.cache.publishedOf(api); h != nil && len(h.Told.Owed) > 0 {
		c.courier.queue.Add(system, kordinator.Live, api)
	}
}

// countLook counts what nobody is told of.
func (c *Controller) countLook(api string, l telling.Look) {
	for _, kind := range l.Quiet {
		c.metrics.told(kind, wasThrottled)
		c.log.Info("a team was not told, since it was of the same event a short while ago",
			slog.String("api", api), slog.String("event", string(kind)), slog.Duration("interval", c.opts.NotifyWithin))
	}
	for _, kind := range slices.Compact(l.Late) {
		c.metrics.told(kind, wasGivenUp)
		c.log.Warn("a team could not be told for so long that it is given up", slog.String("api", api), slog.String("event", string(kind)))
	}
}

// publishedOf is what was published of a registration, or nil.
func (c *cache) publishedOf(name string) *catalog.Health {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if a := c.apis[name]; a != nil {
		return a.published
	}
	return nil
}
