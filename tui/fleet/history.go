package fleet

import "time"

// HistoryInterval is what one number of an [API]'s History covers, and HistoryLength is how many of them there are.
const (
	HistoryInterval = 5 * time.Second
	HistoryLength   = 60
)

// succeeded counts a sync that was seen to end well.
func (a *API) succeeded(at time.Time) {
	a.advance(at)
	a.History[HistoryLength-1]++
}

// advance has the time pass. It does not run backwards.
func (a *API) advance(now time.Time) {
	slot := now.UnixNano() / int64(HistoryInterval)
	if a.History == nil {
		a.History, a.slot, a.watched = make([]int, HistoryLength), slot, now
	}
	if n := int(min(slot-a.slot, HistoryLength)); n > 0 {
		copy(a.History, a.History[n:])
		clear(a.History[HistoryLength-n:])
		a.slot = slot
	}
	a.RatePerMinute = a.rate(now)
}

// rate is over the last minute, or over the time since syncs are counted if that is shorter.
func (a *API) rate(now time.Time) float64 {
	const slots = int(time.Minute / HistoryInterval)
	sum := 0
	for _, n := range a.History[HistoryLength-slots:] {
		sum += n
	}
	within := time.Duration(now.UnixNano() % int64(HistoryInterval))
	over := min(time.Minute-HistoryInterval+within, max(now.Sub(a.watched), HistoryInterval))
	return float64(sum) * float64(time.Minute) / float64(over)
}
