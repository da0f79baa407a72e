package kordinator

// Windowed tells whether the vitals take memory for windows.
func (v *Vitals) Windowed() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.recent != nil || v.scaling != nil
}
