package reconciler

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"kayra/reconciler/kordinator"
)

// order starts and stops the workers of registrations, one at a time.
type order struct {
	mu   sync.Mutex
	open map[string]bool // registrations whose workers run
	shut bool            // none starts any more
}

// kordinate starts the workers of those of the registrations that their dependencies let start, in topological order, and
// what that lets start in turn, and has the workers of those end that are no more. It waits for nothing: what cannot
// start yet does when a change lets it.
func (c *Controller) kordinate(apis []string) {
	c.order.mu.Lock()
	defer c.order.mu.Unlock()
	for len(apis) > 0 && !c.order.shut {
		var next []string
		for _, name := range c.cache.inOrder(apis) {
			switch present, started := c.cache.stage(name); {
			case !present && c.order.open[name]:
				next = append(next, c.stopAPI(name)...)
			case started:
				c.limit(name)
			case present && c.cache.mayStartNow(name):
				next = append(next, c.startAPI(name)...)
			}
		}
		apis = next
	}
}

// startAPI returns the registrations that it may let start.
func (c *Controller) startAPI(name string) []string {
	c.order.open[name] = true
	c.staffs.hire(name, c.opts.MaxConcurrent).vitals.Started()
	c.limit(name)
	c.log.Info("workers started", slog.String("api", name))
	return c.switched(name, true)
}

// stopAPI ends the workers of a registration that is gone: what waits is forgotten, and what runs may end.
func (c *Controller) stopAPI(name string) []string {
	delete(c.order.open, name)
	c.queues.Close(name)
	c.staffs.dismiss(name)
	c.log.Info("workers stopped, since the API is no longer registered", slog.String("api", name))
	return c.switched(name, false)
}

func (c *Controller) switched(name string, started bool) []string {
	w := c.cache.setStarted(name, started)
	c.enqueue(kordinator.Bulk, slices.Concat(w.live, w.bulk))
	c.office.look(w)
	return w.apis
}

// stopAll has no queue begin anything any more, and tells of each registration when its workers have ended, those that
// depend on it first. It returns at once; the channel is closed when all have.
func (c *Controller) stopAll() (done <-chan struct{}) {
	c.order.mu.Lock()
	defer c.order.mu.Unlock()
	c.order.shut = true
	names := c.cache.inOrder(slices.Collect(maps.Keys(c.order.open)))
	slices.Reverse(names)
	idle := make([]<-chan struct{}, len(names))
	for i, name := range names {
		idle[i] = c.queues.Close(name)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i, name := range names {
			<-idle[i]
			c.cache.setStarted(name, false)
			c.log.Info("workers stopped", slog.String("api", name))
		}
	}()
	return ended
}

// inOrder has the registrations with dependencies before their dependents, and otherwise by name.
func (c *cache) inOrder(names []string) []string {
	graph := make(map[string][]string, len(names))
	c.mu.RLock()
	for _, name := range names {
		graph[name] = nil
		if a := c.apis[name]; a != nil && a.reg != nil {
			for _, d := range a.reg.DependsOn {
				if c.inScope(d.Ref) {
					graph[name] = append(graph[name], d.Name)
				}
			}
		}
	}
	c.mu.RUnlock()
	return kordinator.Order(graph)
}

// stage tells whether a registration is there, and whether its workers run.
func (c *cache) stage(name string) (present, started bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.apis[name]
	if a == nil || a.reg == nil {
		return false, false
	}
	return true, a.started
}

func (c *cache) mayStartNow(name string) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	a := c.apis[name]
	return a != nil && a.reg != nil && c.mayStart(a)
}
