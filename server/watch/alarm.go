package watch

import (
	"container/heap"
	"time"
)

// alarms are when subscriptions are to be looked at again, since a retry becomes due. The soonest comes first.
type alarms []alarm

type alarm struct {
	at     time.Time
	tenant *tenant
}

// Len implements [heap.Interface].
func (a alarms) Len() int { return len(a) }

// Less implements [heap.Interface].
func (a alarms) Less(i, k int) bool { return a[i].at.Before(a[k].at) }

// Swap implements [heap.Interface].
func (a alarms) Swap(i, k int) { a[i], a[k] = a[k], a[i] }

// Push implements [heap.Interface].
func (a *alarms) Push(x any) { *a = append(*a, x.(alarm)) } //nolint:forcetypeassert // heap has it from set

// Pop implements [heap.Interface].
func (a *alarms) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}

// set has a subscription looked at when its retry becomes due.
func (a *alarms) set(t *tenant) {
	t.alarm = t.retryAt
	heap.Push(a, alarm{t.retryAt, t})
}

// next is how long it is until the soonest. The clock may be set, so that it is never long.
func (a alarms) next(now time.Time) time.Duration {
	const longest, least = time.Second, time.Millisecond
	if len(a) == 0 {
		return time.Hour
	}
	return min(max(a[0].at.Sub(now), least), longest)
}

// ring touches the subscriptions whose time has come.
func (h *Hub) ring(now time.Time) {
	for len(h.alarms) > 0 && !h.alarms[0].at.After(now) {
		due := heap.Pop(&h.alarms).(alarm) //nolint:forcetypeassert // from set
		if due.tenant.alarm.Equal(due.at) {
			due.tenant.alarm = time.Time{}
		}
		h.touch(due.tenant)
	}
}
