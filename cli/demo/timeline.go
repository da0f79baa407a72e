package demo

import (
	"fmt"
	"io"
	"time"
)

// timeline shows what happens when it happens. Nobody may be looking any more, which is no reason to stop.
type timeline struct {
	out   io.Writer
	now   func() time.Time
	began time.Time
}

func newTimeline(out io.Writer, now func() time.Time) *timeline {
	return &timeline{out: out, now: now, began: now()}
}

// event says what has happened, and to which namespace.
func (t *timeline) event(namespace, format string, args ...any) {
	_, _ = fmt.Fprintf(t.out, "%6.2fs  %-5s %s\n", t.now().Sub(t.began).Seconds(), namespace, fmt.Sprintf(format, args...))
}

// note says something beside the story.
func (t *timeline) note(format string, args ...any) { _, _ = fmt.Fprintf(t.out, format+"\n", args...) }
