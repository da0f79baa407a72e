package widget

import (
	"fmt"
	"strconv"
	"time"
)

// Age is a time that has passed, in four cells at most: 8s, 12m, 3h, 5d, 2y. A negative one is 0s.
func Age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(max(d, 0)/time.Second)) + "s"
	case d < time.Hour:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 2*day:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d < 1000*day:
		return strconv.Itoa(int(d/day)) + "d"
	}
	return strconv.Itoa(int(d/(365*day))) + "y"
}

// Since is the age of a moment; of none it is empty.
func Since(now, then time.Time) string {
	if then.IsZero() {
		return ""
	}
	return Age(now.Sub(then))
}

// Took is how long something took, in six cells at most: 250µs is 0ms, then 12ms, 1.2s, 42s, and on as Age.
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.Itoa(int(max(d, 0)/time.Millisecond)) + "ms"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	}
	return Age(d)
}

// Count is a number with its thousands set apart.
func Count(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Short is a number in five cells at most: 9,999 is the last in full, then 12k, 1.2M.
func Short(n float64) string {
	const thousand, million = 1e3, 1e6
	switch {
	case n < 10 && n != float64(int(n)):
		return fmt.Sprintf("%.1f", n)
	case n < 10*thousand:
		return strconv.Itoa(int(n))
	case n < million:
		return strconv.Itoa(int(n/thousand)) + "k"
	}
	return fmt.Sprintf("%.1fM", n/million)
}
