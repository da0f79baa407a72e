package kordinator

import "time"

// levels are what holds until it changes.
type levels struct {
	busy, limit int // workers
	depth       int // of the queue
}

// windowBins is the number of parts that a window consists of, beside the one that now lies in.
const windowBins = 20

// window sums up what happened lately: in the part that now lies in and the windowBins before it. So it reaches back over
// its whole span, and over a part of it more. All times are since one common origin.
type window struct {
	width time.Duration // of a part
	at    time.Duration // up to when the levels are summed up
	bins  [windowBins + 1]bin
}

// bin is a part of a window.
type bin struct {
	busy, limit, depth float64 // the levels, each times the seconds that it held
	seconds            float64
	ended, failed      int
	took               *histogram // nil: nothing ended
}

// newWindow begins to sum up at a time.
func newWindow(span, at time.Duration) *window {
	return &window{width: max(1, span/windowBins), at: at}
}

// part is the number of the part that a time lies in, and begin the time that it begins at.
func (w *window) part(at time.Duration) int64 { return int64(at / w.width) }

func (w *window) begin(part int64) time.Duration { return time.Duration(part * int64(w.width)) }

func (w *window) head() *bin { return &w.bins[w.part(w.at)%int64(len(w.bins))] }

// advance sums up the levels, which have been these ones since the last call.
func (w *window) advance(to time.Duration, l levels) {
	if first := w.begin(w.part(to) - windowBins); w.at < first {
		w.bins, w.at = [windowBins + 1]bin{}, first // all that was summed up is too old, and so is the time until then
	}
	for w.at < to {
		next := w.begin(w.part(w.at) + 1)
		w.head().hold(l, min(to, next)-w.at)
		if w.at = min(to, next); w.at == next {
			*w.head() = bin{}
		}
	}
}

// hold sums up levels that held for a time. More workers than the limit, which end one by one, are as busy as can be.
func (b *bin) hold(l levels, d time.Duration) {
	s := d.Seconds()
	b.busy += float64(min(l.busy, l.limit)) * s
	b.limit += float64(l.limit) * s
	b.depth += float64(l.depth) * s
	b.seconds += s
}

// end counts an attempt that ends now.
func (w *window) end(ok bool, took time.Duration) {
	b := w.head()
	b.ended++
	if !ok {
		b.failed++
	}
	if b.took == nil {
		b.took = new(histogram)
	}
	b.took.observe(took)
}

// sum is all of the window, with the durations in an empty histogram that the caller gives. Of no window it is nothing.
func (w *window) sum(took *histogram) bin {
	all := bin{took: took}
	if w == nil {
		return all
	}
	for i := range w.bins {
		b := &w.bins[i]
		all.busy += b.busy
		all.limit += b.limit
		all.depth += b.depth
		all.seconds += b.seconds
		all.ended += b.ended
		all.failed += b.failed
		if b.took != nil {
			took.merge(b.took)
		}
	}
	return all
}

// ratio is part/whole, and 0 of nothing.
func ratio[T int64 | float64](part, whole T) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
