package kordinator

import (
	"math"
	"strconv"
	"strings"

	"kayra/store/catalog"
)

// judge tells whether other limits hold: or is empty or one of it is true, and when is empty or all of it is true, and
// not both are empty. why names the conditions that decided, with what they saw.
func judge(m Metrics, when, or []catalog.ScaleCondition) (holds bool, why string) {
	if len(when)+len(or) == 0 {
		return false, ""
	}
	var seen []string
	for _, c := range when {
		is, told := test(m, c)
		if !is {
			return false, told
		}
		seen = append(seen, told)
	}
	var unmet []string
	for _, c := range or {
		is, told := test(m, c)
		if is {
			return true, strings.Join(append(seen, told), ", ")
		}
		unmet = append(unmet, told)
	}
	if len(or) > 0 {
		return false, strings.Join(unmet, ", ")
	}
	return true, strings.Join(seen, ", ")
}

// test tells whether a condition is true, and what it saw. One that this process does not know is false.
func test(m Metrics, c catalog.ScaleCondition) (is bool, told string) {
	value, known := m.value(c.Metric)
	if !known {
		return false, "metric " + strconv.Quote(shorten(c.Metric, maxQuoted)) + " is not known"
	}
	is, known = compare(value, c.Op, c.Value)
	if !known {
		return false, "comparison " + strconv.Quote(shorten(c.Op, maxQuoted)) + " is not known"
	}
	not := ""
	if !is {
		not = "not "
	}
	return is, c.Metric + " is " + figure(value) + ", " + not + c.Op + " " + figure(c.Value)
}

// maxQuoted bounds, in bytes, what is quoted of a record.
const maxQuoted = 40

// figure is a number with at most two decimals.
func figure(v float64) string {
	const hundredths = 100
	return strconv.FormatFloat(math.Round(v*hundredths)/hundredths, 'f', -1, 64)
}

// compare compares two figures. All but < and > take them for equal when they differ by at most a millionth, since a
// mean that should be 100 may be off by its last bits.
func compare(is float64, op string, than float64) (holds, known bool) {
	const tolerance = 1e-6
	equal := math.Abs(is-than) <= tolerance
	switch op {
	case ">":
		return is > than, true
	case ">=":
		return is > than || equal, true
	case "<":
		return is < than, true
	case "<=":
		return is < than || equal, true
	case "==":
		return equal, true
	case "!=":
		return !equal, true
	}
	return false, false
}

// value is a metric by its name.
func (m Metrics) value(name string) (value float64, known bool) {
	switch name {
	case "workersBusyPercent":
		return m.WorkersBusyPercent, true
	case "workersIdlePercent":
		return m.WorkersIdlePercent, true
	case "queueDepth":
		return m.QueueDepth, true
	case "reconcileDurationP95Ms":
		return m.ReconcileDurationP95Ms, true
	case "errorRatePercent":
		return m.ErrorRatePercent, true
	}
	return 0, false
}
