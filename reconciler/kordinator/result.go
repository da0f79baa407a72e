package kordinator

import (
	"strings"
	"time"
)

// Result is how an attempt ended.
type Result struct {
	OK       bool
	Void     bool          // it has no outcome, since it was cut off or had nothing to do: its worker is free, and nothing is counted
	Message  string        // of a failure: one redacted sentence
	Took     time.Duration // how long its steps took
	Panicked bool          // it is a failure then, whatever OK says
	Stack    string        // of a panic, as [runtime/debug.Stack] gives it in the function that recovers
}

func (r Result) succeeded() bool { return r.OK && !r.Panicked }

// Counts are the attempts of this process.
type Counts struct {
	Attempts    int64
	Failed      int64
	Consecutive int64     // failures since the last success
	Panics      int64     // each is a failure too
	LastAttempt time.Time // when the last one ended; zero: there was none
	LastError   Failure   // it stays when others succeed; zero: there was none
	LastPanic   Failure   // zero: there was none
}

// Failure is what is kept of an attempt that failed.
type Failure struct {
	At      time.Time
	Message string // at most 1 KiB
	Stack   string // of a panic, by [TrimStack]
}

// maxMessage bounds, in bytes, a message that is kept.
const maxMessage = 1 << 10

// ErrorRate is the part of all attempts that failed, from 0 to 1; 0 if there were none.
func (c *Counts) ErrorRate() float64 { return ratio(c.Failed, c.Attempts) }

func (c *Counts) count(at time.Time, r Result) {
	c.Attempts++
	c.LastAttempt = at
	if r.succeeded() {
		c.Consecutive = 0
		return
	}
	c.Failed++
	c.Consecutive++
	c.LastError = Failure{At: at, Message: shorten(r.Message, maxMessage)}
	if r.Panicked {
		c.Panics++
		c.LastPanic = c.LastError
		c.LastPanic.Stack = TrimStack([]byte(r.Stack))
	}
}

// shorten cuts off what is beyond so many bytes.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}
