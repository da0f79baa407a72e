package widget

import (
	"strings"

	"kayra/tui/theme"
)

// Bar draws a bar of so many cells: what is done, then what failed, then what is to come. What is there at all has a cell,
// and the bar is full only if all is done.
func Bar(th *theme.Theme, width, done, failed, total int) string {
	if width < 1 || total < 1 {
		return ""
	}
	full, broken := share(width, done, total), share(width, failed, total)
	if full+broken > width {
		full = width - broken
	}
	if full+broken == width && done+failed < total {
		if full > 1 || broken == 0 {
			full--
		} else {
			broken--
		}
	}
	return th.Bar.Render(strings.Repeat(th.Full, full)) + th.BarBad.Render(strings.Repeat(th.Broken, broken)) +
		th.BarRest.Render(strings.Repeat(th.Empty, width-full-broken))
}

// share is how many cells a part takes: at least one, if it is there.
func share(width, part, total int) int {
	if part <= 0 {
		return 0
	}
	return min(max(width*part/total, 1), width)
}

// Spark draws numbers as columns, the last one on the right. Where there are more of them than cells, a column is the sum of several.
func Spark(th *theme.Theme, width int, numbers []int) string {
	if width < 1 || len(numbers) == 0 {
		return ""
	}
	each := (len(numbers) + width - 1) / width
	sums := make([]int, (len(numbers)+each-1)/each)
	steps := len(th.Sparks) - 1
	most := steps // so that a few do not look like many
	for i, n := range numbers {
		at := len(sums) - 1 - (len(numbers)-1-i)/each
		sums[at] += n
		most = max(most, sums[at])
	}
	var b strings.Builder
	for _, n := range sums {
		b.WriteString(th.Sparks[share(steps, n, most)])
	}
	return th.Spark.Render(b.String())
}
