package kordinator_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kayra/reconciler/kordinator"
)

// history is all that happened to a registration, from which everything can be computed anew.
type history struct {
	moments []moment
	ends    []ended
}

// moment is what holds from a time on, since the origin.
type moment struct {
	at                 time.Duration
	started            bool
	busy, limit, depth int
}

type ended struct {
	at, took time.Duration
	ok       bool
}

func (h *history) last() moment { return h.moments[len(h.moments)-1] }

func (h *history) change(at time.Duration, change func(*moment)) {
	m := h.last()
	m.at = at
	change(&m)
	h.moments = append(h.moments, m)
}

// observed is the time from which on it is observed: the start, unless there was something to do before.
func (h *history) observed() time.Duration {
	for _, m := range h.moments {
		switch {
		case m.busy+m.depth > 0:
			return 0
		case m.started && m.limit > 0:
			return m.at
		}
	}
	return 0
}

// begin is where a window of the span begins that ends at a time.
func begin(span, at time.Duration) time.Duration {
	part := span / 20
	return max(0, at.Truncate(part)-20*part)
}

func (h *history) metrics(span, now time.Duration) kordinator.Metrics {
	var busy, limit, depth, seconds float64
	from := max(begin(span, now), h.observed())
	for i, m := range h.moments {
		until := now
		if i+1 < len(h.moments) {
			until = h.moments[i+1].at
		}
		s := max(0, until-max(m.at, from)).Seconds()
		seconds += s
		depth += s * float64(m.depth)
		if m.started {
			busy += s * float64(min(m.busy, m.limit))
			limit += s * float64(m.limit)
		}
	}
	m := kordinator.Metrics{ErrorRatePercent: h.errorRate(span, now), ReconcileDurationP95Ms: ms(h.quantile(0.95, span, now))}
	last := h.last()
	if seconds == 0 {
		depth, seconds = float64(last.depth), 1
	}
	m.QueueDepth = depth / seconds
	if limit == 0 && last.started { // it has just begun
		busy, limit = float64(min(last.busy, last.limit)), float64(last.limit)
	}
	if limit > 0 {
		m.WorkersBusyPercent = 100 * busy / limit
		m.WorkersIdlePercent = 100 - m.WorkersBusyPercent
	}
	return m
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (h *history) recent(span, now time.Duration) []ended {
	from := begin(span, now)
	return slices.DeleteFunc(slices.Clone(h.ends), func(e ended) bool { return e.at < from })
}

func (h *history) errorRate(span, now time.Duration) float64 {
	all, failed := h.recent(span, now), 0
	for _, e := range all {
		if !e.ok {
			failed++
		}
	}
	if len(all) == 0 {
		return 0
	}
	return 100 * float64(failed) / float64(len(all))
}

func (h *history) quantile(part float64, span, now time.Duration) time.Duration {
	all := h.recent(span, now)
	if len(all) == 0 {
		return 0
	}
	slices.SortFunc(all, func(a, b ended) int { return int(a.took - b.took) })
	for i, e := range all {
		if float64(i+1) >= part*float64(len(all)) {
			return e.took
		}
	}
	panic("no quantile")
}

// Whatever happens in which order, the figures are those that the whole history gives.
func TestVitalsAreTheHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWatch()
		v := kordinator.NewVitals(w.now)
		interval := rapid.SampledFrom([]time.Duration{20 * time.Millisecond, 15 * time.Second, 20 * time.Minute}).Draw(t, "interval")
		v.SetInterval(interval)
		h := &history{moments: []moment{{}}}
		var now time.Duration
		var running []func()
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 8).Draw(t, "what") {
			case 0:
				v.Started()
				h.change(now, func(m *moment) { m.started = true })
			case 1:
				v.Stopped()
				h.change(now, func(m *moment) { m.started = false })
			case 2:
				n := rapid.IntRange(0, 4).Draw(t, "limit")
				v.SetWorkers(n)
				h.change(now, func(m *moment) { m.limit = n })
			case 3:
				n := rapid.SampledFrom([]int{0, 0, 1, 1_000}).Draw(t, "depth")
				v.Depth(n)
				h.change(now, func(m *moment) { m.depth = n })
			case 4:
				end := v.Begin(len(running))
				h.change(now, func(m *moment) { m.busy++ })
				r := kordinator.Result{OK: rapid.Bool().Draw(t, "ok"), Took: time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "took"))}
				running = append(running, func() {
					end(r)
					h.ends = append(h.ends, ended{at: now, took: r.Took, ok: r.OK})
					h.change(now, func(m *moment) { m.busy-- })
				})
			case 5:
				if len(running) > 0 {
					running[len(running)-1]()
					running = running[:len(running)-1]
				}
			default:
				d := interval * time.Duration(rapid.IntRange(1, 100).Draw(t, "time")) / time.Duration(rapid.SampledFrom([]int{1, 7, 20, 100, 333}).Draw(t, "part"))
				now += d
				w.pass(d)
			}
			s := v.Snapshot()
			compare(t, s.Metrics, h.metrics(interval, now))
			if got := s.Recent; got.Attempts != len(h.recent(kordinator.RecentSpan, now)) ||
				!nearly(got.ErrorRatePercent, h.errorRate(kordinator.RecentSpan, now)) ||
				!middled(got.P50, h.quantile(0.5, kordinator.RecentSpan, now)) ||
				!middled(got.P95, h.quantile(0.95, kordinator.RecentSpan, now)) ||
				!middled(got.P99, h.quantile(0.99, kordinator.RecentSpan, now)) {
				t.Fatalf("recent: got %+v of %+v", got, h.recent(kordinator.RecentSpan, now))
			}
		}
	})
}

func compare(t *rapid.T, got, want kordinator.Metrics) {
	p95 := time.Duration(got.ReconcileDurationP95Ms * float64(time.Millisecond))
	if !nearly(got.WorkersBusyPercent, want.WorkersBusyPercent) || !nearly(got.WorkersIdlePercent, want.WorkersIdlePercent) ||
		!nearly(got.QueueDepth, want.QueueDepth) || !nearly(got.ErrorRatePercent, want.ErrorRatePercent) ||
		!middled(p95, time.Duration(want.ReconcileDurationP95Ms*float64(time.Millisecond))) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}
