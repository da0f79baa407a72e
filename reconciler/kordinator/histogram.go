package kordinator

import (
	"math/bits"
	"time"
)

// A bucket's width is an eighth of the power of two that it begins at, or a unit where that is more.
const (
	bucketUnit    = 1 << 16 // ns
	bucketsOctave = 8
	bucketOctaves = 23 // of units beyond the first eight: up to 73 minutes
	bucketCount   = bucketsOctave * (bucketOctaves + 1)
)

// histogram counts durations. What it tells of one is its bucket's middle: at most a sixteenth, or 33 µs, beside the
// truth up to 73 minutes, which stand for all that is longer.
//
// A Summary of Prometheus has one window, writes each value to several streams and takes 20 KiB from the start; this one
// takes 768 bytes for each part of a window in which something ended.
type histogram [bucketCount]uint32

func (h *histogram) observe(took time.Duration) { h[bucketOf(took)]++ }

func (h *histogram) merge(other *histogram) {
	for i, n := range other {
		h[i] += n
	}
}

func bucketOf(took time.Duration) int {
	units := uint64(max(0, took)) / bucketUnit
	if units < bucketsOctave {
		return int(units)
	}
	octave := bits.Len64(units / bucketsOctave)
	return min(bucketCount-1, bucketsOctave*octave+int(units>>(octave-1))-bucketsOctave)
}

// middleOf is the middle of a bucket.
func middleOf(bucket int) time.Duration {
	low, width := uint64(bucket), uint64(1)
	if octave := bucket / bucketsOctave; octave > 0 {
		width <<= octave - 1
		low = uint64(bucketsOctave+bucket%bucketsOctave) * width
	}
	return time.Duration(low*bucketUnit + width*bucketUnit/2) //nolint:gosec // it is some minutes
}

// quantiles are the smallest durations that at least these parts, in ascending order, of all are not longer than; 0 when there is none.
func (h *histogram) quantiles(parts ...float64) []time.Duration {
	total, seen, bucket := uint64(0), uint64(0), -1
	for _, n := range h {
		total += uint64(n)
	}
	out := make([]time.Duration, len(parts))
	for i, part := range parts {
		for float64(seen) < part*float64(total) {
			bucket++
			seen += uint64(h[bucket])
		}
		if bucket >= 0 {
			out[i] = middleOf(bucket)
		}
	}
	return out
}
