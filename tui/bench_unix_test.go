//go:build !windows

package tui_test

import (
	"testing"
)

// BenchmarkTopBytes counts what is written to a terminal of 80x24 for each update of a fan-out: a hundred subscriptions move, ten at a
// time, each for a second, and are watched. The floor is a line of text for each of the two rows that an update changes.
func BenchmarkTopBytes(b *testing.B) {
	const floor = 2 * 80
	var bytes int
	for range b.N {
		s := sit(b, fanOut)
		s.await(b, "queued")
		before := len(s.screen())
		if err := s.cmd.Process.Signal(poke); err != nil {
			b.Fatal(err)
		}
		s.await(b, "100/100")
		bytes += len(s.screen()) - before
	}
	each := float64(bytes) / float64(b.N*(fanned+fannedAtime))
	b.ReportMetric(each, "bytes")
	b.ReportMetric(floor, "floor-bytes")
	b.ReportMetric(each/floor, "ratio")
}
