package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/store/catalog"
)

// waiting is a wait for a goal of the rollout engine.
type waiting struct {
	*env

	timeout time.Duration
	goal    string // what those who are waited for become, in a word
	quiet   bool   // standard error has failures alone
	back    string // the command line that comes back to what goes on after an interruption; "": nothing does
}

// watch waits until the goal is reached. It fails with the exit code of what has become of it instead.
func (w *waiting) watch(ctx context.Context, engine *rollout.Engine, g rollout.Goal) error {
	waitCtx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	r := newReport(w.env, w.goal, w.quiet)
	defer r.end()
	stop := r.beats(waitCtx)
	defer stop()
	p, err := w.follow(waitCtx, engine, g, r)
	stop()
	r.end()
	if ctx.Err() != nil && w.back != "" && !w.quiet {
		w.tell("it goes on; `%s` comes back to it", term.Escape(w.back))
	}
	return w.verdict(ctx, g, &p, err)
}

// beats says now and then that nothing has changed, until it is stopped.
func (r *report) beats(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				r.beat()
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// follow tells of a goal as it is being reached.
func (w *waiting) follow(ctx context.Context, engine *rollout.Engine, g rollout.Goal, r *report) (rollout.Progress, error) {
	return engine.Watch(ctx, g, func(p rollout.Progress) error { //nolint:wrapcheck // verdict does
		r.update(g.API, tally{p.Total, p.There, p.Failed, p.Running, p.Held, p.Idle}, news(&p, w.goal)...)
		r.note(g.API, excuse(&p))
		return nil
	})
}

// news are what has changed, in sentences.
func news(p *rollout.Progress, goal string) []string {
	const named = 5
	var there, said []string
	for _, t := range p.News {
		if t.Standing == rollout.Failed {
			said = append(said, fmt.Sprintf("%s ended in error: %s", t.Namespace, because(&t)))
		} else {
			there = append(there, t.Namespace)
		}
	}
	if len(there) > 0 {
		text := strings.Join(there[:min(named, len(there))], ", ")
		if more := len(there) - named; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		said = slices.Insert(said, 0, text+" "+goal)
	}
	return said
}

// excuse is why it will take a while, or "".
func excuse(p *rollout.Progress) string {
	switch {
	case p.Offline != nil:
		return fmt.Sprintf("%v; trying again", p.Offline)
	case p.Now.Paused && p.There < p.Total:
		return "it is paused: nothing is tried until paused is false"
	case p.Held > 0:
		return fmt.Sprintf("a rollout to %s is pending: %d held until it is released or aborted", p.Target, p.Held)
	}
	return ""
}

// because is why somebody stands as it stands.
func because(t *rollout.Tenant) string {
	if t.Message == "" {
		return string(t.Reason)
	}
	return fmt.Sprintf("%s (%s)", t.Message, t.Reason)
}

// verdict is the failure that a wait ends in, or nil.
func (w *waiting) verdict(ctx context.Context, g rollout.Goal, p *rollout.Progress, err error) error {
	late := ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded)
	short := fmt.Sprintf("%d of %d %s", p.There, p.Total, w.goal)
	switch {
	case late && p.Offline != nil:
		return &failure{code: codeTimeout, message: fmt.Sprintf("timed out after %s; nothing is known of %s at present: %v", w.timeout, g.API, p.Offline), err: err}
	case late:
		w.rows(p)
		return &failure{code: codeTimeout, message: fmt.Sprintf("timed out after %s: %s, %s", w.timeout, g.API, short), err: err}
	case errors.Is(err, catalog.ErrNotFound):
		return &failure{code: codeNotFound, message: fmt.Sprintf("API registration %q is gone", g.API), err: err}
	case err != nil:
		return ofRollout(err)
	}
	switch p.Verdict {
	case rollout.Broken:
		first := &p.Behind[0] // those in error come first
		if p.Failed > 1 {
			w.rows(p)
		}
		return &failure{
			code:    codeSyncFailed,
			message: fmt.Sprintf("the sync of %s to %s ended in error: %s; %s, %d failed", first.Namespace, g.API, because(first), short, p.Failed),
			hint:    fmt.Sprintf("`kayra why %s -n %s` tells more", g.API, first.Namespace),
		}
	case rollout.Superseded:
		return &failure{code: codeConflict, message: fmt.Sprintf("%s has been given another sync_id meanwhile: %s, not %s; %s", g.API, p.Now.SyncID, p.Target, short)}
	case rollout.Gone:
		return &failure{code: codeNotFound, message: "nobody who is waited for subscribes to " + g.API + " any more"}
	case rollout.Going, rollout.Reached:
	}
	return nil
}

// rows tells who is not there, and why.
func (w *waiting) rows(p *rollout.Progress) {
	const most = 20
	if w.quiet {
		return
	}
	for _, t := range p.Behind[:min(most, len(p.Behind))] {
		w.tell("  %s  %s", term.Escape(t.Namespace), term.Escape(because(&t)))
	}
	if more := p.Total - p.There - most; more > 0 {
		w.tell("  and %d more", more)
	}
}

// isCancelled tells the error of what was cut off, since something else has ended.
func isCancelled(err error) bool { return errors.Is(err, context.Canceled) }
