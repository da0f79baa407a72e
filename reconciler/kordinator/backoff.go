package kordinator

import (
	"math"
	"time"
)

// Backoff is the delay before the n-th retry, counted from 1: a random time of at most initial, doubled for each retry
// before it, and of at most limit ("full jitter"), after floor. floor is what the other side asked for (Retry-After), or
// 0; it is added, so that those who were all told the same do not all come back at the same time. rnd gives a number in
// [0, n), such as [math/rand/v2.Int64N].
func Backoff(initial, limit time.Duration, n int, floor time.Duration, rnd func(int64) int64) time.Duration {
	floor = max(0, floor)
	bound := min(initial, limit)
	for i := 1; i < n && 0 < bound && bound < limit; i++ {
		bound += min(bound, limit-bound)
	}
	bound = min(bound, math.MaxInt64-1-floor)
	if bound <= 0 {
		return floor
	}
	return floor + time.Duration(rnd(int64(bound)+1))
}
