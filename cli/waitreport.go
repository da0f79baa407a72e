package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"kayra/cli/term"
)

// report tells somebody who waits how far it has come: in a line that is written anew at a terminal, else in a line for
// each change, and one now and then that says that nothing has changed. Its methods may be called from any number of
// goroutines.
type report struct {
	env   *env
	quiet bool   // only a line that is written anew may be shown
	goal  string // what those who are waited for become, in a word
	began time.Time

	mutex  sync.Mutex
	parts  map[string]tally // by what is waited for
	bar    bool             // the last line is one that is written anew
	said   time.Time        // when something was said last
	line   string           // that was said last
	excuse map[string]string
}

// tally is how many of those who are waited for are there.
type tally struct{ total, there, failed, running, held, idle int }

func newReport(e *env, goal string, quiet bool) *report {
	now := e.now()
	return &report{env: e, quiet: quiet, goal: goal, began: now, said: now, parts: map[string]tally{}, excuse: map[string]string{}}
}

// update takes over how far it has come with one of the things that are waited for. News are sentences.
func (r *report) update(of string, t tally, news ...string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	before, known := r.parts[of]
	r.parts[of] = t
	for _, one := range news {
		r.tell("%s: %s", of, one)
	}
	if width := r.env.streams.ErrWidth(); width > 0 {
		r.draw(width)
		return
	}
	if line := r.sentence(); (!known || before != t) && line != r.line {
		r.tell("%s", line)
		r.line = line
	}
}

// note says once why something is as it is, and again when that changes.
func (r *report) note(of, why string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.excuse[of] == why {
		return
	}
	r.excuse[of] = why
	if why == "" {
		return
	}
	r.tell("%s: %s", of, why)
}

// tell tells in a line of its own.
func (r *report) tell(format string, args ...any) {
	if r.quiet {
		return
	}
	r.clear()
	r.env.tell("%s", term.Escape(fmt.Sprintf(format, args...)))
	r.said = r.env.now()
}

// beat says that nothing has changed, if nothing was said for a while.
func (r *report) beat() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if width := r.env.streams.ErrWidth(); width > 0 {
		r.draw(width)
		return
	}
	if now := r.env.now(); now.Sub(r.said) >= heartbeat {
		r.tell("%s, after %s", r.sentence(), now.Sub(r.began).Round(time.Second))
	}
}

// end leaves the line for what comes below it.
func (r *report) end() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.bar {
		r.env.tell("")
		r.bar = false
	}
}

func (r *report) sum() tally {
	var sum tally
	for _, t := range r.parts {
		sum.total += t.total
		sum.there += t.there
		sum.failed += t.failed
		sum.running += t.running
		sum.held += t.held
		sum.idle += t.idle
	}
	return sum
}

// sentence is how far it has come.
func (r *report) sentence() string {
	t := r.sum()
	parts := []string{fmt.Sprintf("%d/%d %s", t.there, t.total, r.goal)}
	for _, p := range []struct {
		n    int
		word string
	}{{t.failed, "failed"}, {t.running, "running"}, {t.held, "held"}, {t.idle, "not active yet"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return strings.Join(parts, ", ")
}

// draw writes the line anew.
func (r *report) draw(width int) {
	const cells, around = 20, 3
	text := fmt.Sprintf("%s  %s", r.sentence(), r.env.now().Sub(r.began).Round(time.Second))
	if t := r.sum(); len(text)+cells+around < width {
		full := 0
		if t.total > 0 {
			full = t.there * cells / t.total
		}
		text = "[" + strings.Repeat("#", full) + strings.Repeat(".", cells-full) + "] " + text
	}
	_, _ = fmt.Fprintf(r.env.streams.Err, "\r\x1b[K%s", text[:min(len(text), width-1)]) // as tell
	r.bar = true
}

// clear takes the line away that is written anew.
func (r *report) clear() {
	if r.bar {
		_, _ = fmt.Fprint(r.env.streams.Err, "\r\x1b[K") // as tell
		r.bar = false
	}
}
