package reconciler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"kayra/store/catalog"
)

// office is the konductor's: of all reconcilers one holds it, and decides what must be decided once.
type office struct {
	mu     sync.Mutex
	lease  catalog.Office
	unseen map[string]bool   // registrations that have changed since they were last looked at
	knock  chan struct{}     // something is to be looked at, or the office is vacant
	said   map[string]string // by registration: the sync id that was reported last
}

func newOffice() *office {
	return &office{unseen: map[string]bool{}, knock: make(chan struct{}, 1), said: map[string]string{}}
}

// look has the konductor look at what has changed.
func (o *office) look(w wakeup) {
	if len(w.apis) == 0 && !w.office {
		return
	}
	o.mu.Lock()
	for _, name := range w.apis {
		o.unseen[name] = true
	}
	o.mu.Unlock()
	signal(o.knock)
}

// take returns what there is to look at, if this process holds the office.
func (o *office) take() (catalog.Office, []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	names := slices.Sorted(maps.Keys(o.unseen))
	clear(o.unseen)
	return o.lease, names
}

func (o *office) set(lease catalog.Office) {
	o.mu.Lock()
	o.lease = lease
	o.mu.Unlock()
}

func (o *office) held() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.lease.Held()
}

// konduct campaigns for the office whenever it is vacant and, while this process holds it, looks at every registration
// that has changed, until ctx ends.
func (c *Controller) konduct(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.office.knock:
		}
		if err := c.campaign(ctx); err != nil {
			c.retryOffice(ctx, nil, err)
			continue
		}
		lease, names := c.office.take()
		if !lease.Held() {
			continue
		}
		for i, name := range names {
			if err := c.conduct(ctx, lease, name); err != nil {
				c.retryOffice(ctx, names[i:], err)
				break
			}
		}
	}
}

// retryOffice waits before the konductor looks again at what the store did not take.
func (c *Controller) retryOffice(ctx context.Context, names []string, err error) {
	if ctx.Err() != nil {
		return
	}
	c.log.Warn("the store did not take what the konductor has decided; it is tried again", slog.Any("error", err))
	pause(ctx)
	c.office.look(wakeup{apis: names, office: true})
}

// campaign takes the office if nobody holds it. One who wins it looks at everything.
func (c *Controller) campaign(ctx context.Context) error {
	session, holder := c.runs.current(), c.cache.holder()
	switch {
	case session == "":
		return nil
	case holder != "" && holder != c.opts.Identity.ID:
		c.office.set(catalog.Office{}) // whatever this process believed
		return nil
	case holder != "" && c.office.held():
		return nil
	}
	was := c.office.held()
	lease, err := c.repo.Campaign(ctx, c.opts.Identity.ID, session)
	if err != nil {
		return fmt.Errorf("campaign: %w", err)
	}
	c.office.set(lease)
	if lease.Held() && !was {
		c.log.Info("this reconciler is the konductor now")
		c.office.look(wakeup{apis: c.cache.names()})
	}
	return nil
}

// conduct decides about one registration what must be decided once.
func (c *Controller) conduct(ctx context.Context, lease catalog.Office, name string) error {
	s := c.cache.survey(name)
	for _, decide := range []func(context.Context, catalog.Office, survey) error{c.rollBack, c.publish} {
		if err := decide(ctx, lease, s); err != nil && !errors.Is(err, catalog.ErrStale) {
			return err
		}
	}
	return nil
}

// survey is what the konductor decides about a registration from.
type survey struct {
	name      string
	reg       *catalog.Registration // nil: it is not registered
	needed    bool                  // others depend on it
	settings  catalog.Settings
	state     catalog.HealthState
	reason    string // of being degraded
	published *catalog.Health
	failing   bool // so many subscriptions have failed at the target that it is to be taken back

	subscribed, failed int // subscriptions, and those of them that have failed at the target
}

func (c *cache) survey(name string) survey {
	c.mu.RLock()
	defer c.mu.RUnlock()
	s := survey{name: name, needed: len(c.dependents[c.ref(name)]) > 0, state: catalog.HealthMissing}
	a := c.apis[name]
	if a == nil {
		return s
	}
	s.reg, s.settings, s.published = a.reg, a.settings, a.published
	if a.reg != nil {
		s.state, s.reason = c.stateOf(a), c.healthReason(a)
		s.subscribed, s.failed = a.tally.subscribed, a.tally.erred
		s.failing = a.failing(s.settings.RollbackFailures.Value, s.settings.RollbackWithin.Value)
	}
	return s
}

// stateOf is the state of a registration that is there, in this process.
func (c *cache) stateOf(a *api) catalog.HealthState {
	if !a.started {
		return catalog.HealthNotStarted
	}
	return c.healthOf(a)
}

// holder is the id of the reconciler that holds the konductor's lease, or "".
func (c *cache) holder() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.konductor
}

// names are those of all registrations, and of those that others depend on and are not there.
func (c *cache) names() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	names := slices.Collect(maps.Keys(c.apis))
	for ref := range c.dependents {
		if c.inScope(ref) && c.apis[ref.Name] == nil {
			names = append(names, ref.Name)
		}
	}
	return names
}
