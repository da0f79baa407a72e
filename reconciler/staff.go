package reconciler

import (
	"context"
	"maps"
	"sync"
	"time"

	"kayra/reconciler/kordinator"
	"kayra/store/catalog"
)

// staff is what a registration's workers are watched and limited by.
type staff struct {
	vitals *kordinator.Vitals
	scaler *kordinator.Autoscaler
}

// staffs are those of all registrations whose workers have been started. One stays until its registration is gone.
type staffs struct {
	mu  sync.RWMutex
	all map[string]*staff
}

func (s *staffs) of(api string) *staff {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.all[api]
}

// hire is of, and makes one where there is none.
func (s *staffs) hire(api string, pool int) *staff {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.all[api]
	if one == nil {
		one = &staff{vitals: kordinator.NewVitals(time.Now), scaler: kordinator.NewAutoscaler(pool)}
		s.all[api] = one
	}
	return one
}

func (s *staffs) dismiss(api string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, api)
}

// limit gives a registration's workers and queue the limits that its settings and the load make of it.
func (c *Controller) limit(name string) {
	settings, ok := c.cache.settingsOf(name)
	s := c.staffs.of(name)
	if !ok || s == nil {
		return
	}
	s.vitals.SetInterval(settings.ScaleInterval.Value)
	limits, changed, reason := s.scaler.Evaluate(c.cache.now(), s.vitals.Snapshot().Metrics, settings)
	if c.cache.setResync(name, limits.Resync) {
		c.enqueue(kordinator.Bulk, c.cache.ofAPI(name))
	}
	if !changed {
		return
	}
	s.vitals.SetWorkers(limits.Workers)
	c.queues.Open(name, kordinator.Limits{Workers: limits.Workers, MaxDepth: limits.MaxDepth})
	c.logLimits(name, limits, reason)
}

// autoscale looks at the load of every registration at its interval, until ctx ends.
func (c *Controller) autoscale(ctx context.Context) {
	const grain = 250 * time.Millisecond
	tick := time.NewTicker(grain)
	defer tick.Stop()
	next := map[string]time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			scaling := c.cache.scaling()
			maps.DeleteFunc(next, func(name string, _ time.Time) bool { return scaling[name] == 0 })
			for name, interval := range scaling {
				if now.Before(next[name]) {
					continue
				}
				next[name] = now.Add(interval - grain/2) //nolint:mnd // the tick nearest to it
				c.order.mu.Lock()
				if c.order.open[name] {
					c.limit(name)
				}
				c.order.mu.Unlock()
			}
		}
	}
}

// scaling are the registrations that scale by themselves, with their intervals.
func (c *cache) scaling() map[string]time.Duration {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var found map[string]time.Duration
	for name, a := range c.apis {
		if s := a.settings; a.reg != nil && a.started && len(s.ScaleWhen.Value)+len(s.ScaleOr.Value) > 0 {
			if found == nil {
				found = map[string]time.Duration{}
			}
			found[name] = s.ScaleInterval.Value
		}
	}
	return found
}

func (c *cache) settingsOf(name string) (catalog.Settings, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if a := c.apis[name]; a != nil && a.reg != nil {
		return a.settings, true
	}
	return catalog.Settings{}, false
}

// setResync tells whether that is a change.
func (c *cache) setResync(name string, interval time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := c.apis[name]
	if a == nil || a.resync == interval {
		return false
	}
	a.resync = interval
	return true
}

// scale is what the autoscaler of a registration has decided last.
func (c *Controller) scale(name string) kordinator.ScaleReport {
	if s := c.staffs.of(name); s != nil {
		return s.scaler.Report(0)
	}
	return kordinator.ScaleReport{}
}
