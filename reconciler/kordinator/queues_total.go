package kordinator

// Busy is how many jobs of all queues wait for a turn or have one, those that are delayed not counted. It takes time in
// the number of queues.
func (q *Queues[J]) Busy() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	busy := q.running
	for _, one := range q.queues {
		busy += one.arrived.n
	}
	return busy
}

// Waits tells whether a job waits for a turn. It takes the same time however many others do.
func (q *Queues[J]) Waits(name string, job J) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	one := q.queues[name]
	if one == nil {
		return false
	}
	it := one.items[job]
	return it != nil && it.waits
}
