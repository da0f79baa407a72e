package reconciler

import (
	"context"
	"sync"

	"kayra/store"
	"kayra/store/catalog"
)

// followAbroad follows what this scope's registrations depend on in other scopes, until ctx ends.
func (c *Controller) followAbroad(ctx context.Context) {
	following := map[string]func(){} // how to stop
	for {
		wanted := c.cache.foreignPrefixes()
		for prefix, stop := range following {
			if _, still := wanted[prefix]; !still || ctx.Err() != nil {
				stop()
				delete(following, prefix)
			}
		}
		if ctx.Err() != nil {
			return
		}
		for prefix, scope := range wanted {
			if following[prefix] == nil {
				following[prefix] = c.followOne(ctx, prefix, scope)
			}
		}
		select {
		case <-ctx.Done():
		case <-c.abroad:
		}
	}
}

// followOne follows one prefix until stop is called, which waits for its end.
func (c *Controller) followOne(ctx context.Context, prefix string, scope catalog.Scope) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var following sync.WaitGroup
	following.Go(func() { _ = store.Follow(ctx, c.opts.Store, prefix, &borders{c.cache, scope, prefix}) })
	return func() {
		cancel()
		following.Wait()
		c.cache.forgetAbroad(prefix, scope)
	}
}
