package reconciler

// Idle tells whether the process has seen the store's revision and has nothing to do.
func (c *Controller) Idle(revision int64) bool {
	c.cache.mu.RLock()
	seen := c.cache.revision >= revision
	c.cache.mu.RUnlock()
	return seen && c.queue.Len() == 0 && c.runs.count() == 0
}
