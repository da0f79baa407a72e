package kordinator_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"kayra/reconciler/kordinator"
)

func most(n int64) int64 { return n - 1 }
func least(int64) int64  { return 0 }
func half(n int64) int64 { return n / 2 }
func never(int64) int64  { panic("asked for a number without need") }

func TestBackoff(t *testing.T) {
	t.Parallel()
	const longest = time.Duration(math.MaxInt64)
	for _, c := range []struct {
		initial, limit time.Duration
		n              int
		floor          time.Duration
		rnd            func(int64) int64
		want           time.Duration
	}{
		{time.Second, 5 * time.Minute, 1, 0, most, time.Second},
		{time.Second, 5 * time.Minute, 2, 0, most, 2 * time.Second},
		{time.Second, 5 * time.Minute, 3, 0, half, 2 * time.Second},
		{time.Second, 5 * time.Minute, 9, 0, most, 256 * time.Second},
		{time.Second, 5 * time.Minute, 10, 0, most, 5 * time.Minute},
		{time.Second, 5 * time.Minute, math.MaxInt, 0, most, 5 * time.Minute},
		{time.Second, 5 * time.Minute, 10, 0, least, 0},
		{time.Second, 5 * time.Minute, 0, 0, most, time.Second},
		{time.Second, 5 * time.Minute, math.MinInt, 0, most, time.Second},
		{time.Minute, time.Second, 1, 0, most, time.Second},
		{time.Second, 5 * time.Minute, 2, time.Hour, least, time.Hour},
		{time.Second, 5 * time.Minute, 2, time.Hour, most, time.Hour + 2*time.Second},
		{time.Second, 5 * time.Minute, 2, -time.Hour, most, 2 * time.Second},
		{0, 5 * time.Minute, math.MaxInt, time.Second, never, time.Second},
		{time.Second, 0, math.MaxInt, 0, never, 0},
		{-time.Second, time.Minute, math.MaxInt, 0, never, 0},
		{time.Second, longest, math.MaxInt, 0, most, longest - 1},
		{longest, longest, 2, 0, most, longest - 1},
		{time.Second, longest, 100, time.Hour, most, longest - 1},
		{time.Second, time.Minute, 100, longest, never, longest},
		{time.Second, time.Minute, 100, longest - time.Second, most, longest - 1},
	} {
		if got := kordinator.Backoff(c.initial, c.limit, c.n, c.floor, c.rnd); got != c.want {
			t.Errorf("initial %s, limit %s, n %d, floor %s: got %s, want %s", c.initial, c.limit, c.n, c.floor, got, c.want)
		}
	}
}

func TestBackoffIsSpreadOverAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	const tenths = 10
	var seen [tenths]int
	for range 10_000 {
		d := kordinator.Backoff(time.Second, time.Minute, 4, time.Hour, r.Int64N) - time.Hour
		seen[min(tenths-1, int(d*tenths/(8*time.Second)))]++
	}
	for i, n := range seen {
		if n < 800 || n > 1_200 {
			t.Errorf("%d of 10,000 are in the tenth %d", n, i)
		}
	}
}

func TestBackoffStaysInItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		initial, limit := time.Duration(rapid.Int64().Draw(t, "initial")), time.Duration(rapid.Int64().Draw(t, "limit"))
		floor, n := time.Duration(rapid.Int64().Draw(t, "floor")), rapid.Int().Draw(t, "n")
		got := kordinator.Backoff(initial, limit, n, floor, func(n int64) int64 { return rapid.Int64Range(0, n-1).Draw(t, "random") })
		if low := max(0, floor); got < low || got-low > max(0, limit) {
			t.Fatalf("got %s", got)
		}
	})
}
