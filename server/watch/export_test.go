package watch

// Size is how many rows, and how many changes, a topic's feed keeps.
func (h *Hub) Size(t Topic) (rows, changes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[t]
	if f == nil {
		return 0, 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.rows), len(f.order)
}
