package wizard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
	"kayra/store/catalog"
)

// watch is the page that shows how those who are waited for get on.
type watch struct {
	action   rollout.Action
	goal     rollout.Goal
	released string // the sync id that an abort would go back to
	began    time.Time

	progress rollout.Progress
	runs     map[string]rollout.Run // by namespace, of those that are on the way
	now      time.Time
	stop     context.CancelFunc
	over     bool  // the verdict is final
	failed   error // nothing more will be told, and why
}

func newWatch(m *Model, a rollout.Action, g rollout.Goal, released string) *watch {
	now := m.options.Now()
	return &watch{action: a, goal: g, released: released, began: now, now: now}
}

// How often those on the way are asked for their steps, how many of them, and how often the time is shown anew.
const (
	stepsPause = time.Second / 2
	mostRuns   = 8
	clockPause = time.Second
)

// watch opens a page that follows a goal. What came before it is over.
func (m *Model) watch(p *watch) tea.Cmd {
	m.begin(p)
	engine, goal := m.Engine, p.goal
	told := make(chan rollout.Progress, 1)
	var follow tea.Cmd
	follow, p.stop = background(m, func(ctx context.Context) answer[rollout.Progress] {
		defer close(told)
		last, err := engine.Watch(ctx, goal, func(now rollout.Progress) error {
			select {
			case told <- now:
				return nil
			case <-ctx.Done():
				return fmt.Errorf("watch %s: %w", goal.API, context.Cause(ctx))
			}
		})
		return answer[rollout.Progress]{last, err}
	}, func(a answer[rollout.Progress]) tea.Cmd { return m.watched(p, a.is, a.err) })
	return tea.Batch(follow, m.next(p, told), m.steps(p), m.clock(p))
}

// next waits for the next progress.
func (m *Model) next(p *watch, told <-chan rollout.Progress) tea.Cmd {
	cmd, _ := background(m, func(ctx context.Context) *rollout.Progress {
		select {
		case <-ctx.Done():
		case now, ok := <-told:
			if ok {
				return &now
			}
		}
		return nil
	}, func(now *rollout.Progress) tea.Cmd {
		if now == nil {
			return nil
		}
		if !p.over {
			p.progress, p.now = *now, m.options.Now()
		}
		return m.next(p, told)
	})
	return cmd
}

// watched goes on when nothing more will be told.
func (m *Model) watched(p *watch, last rollout.Progress, err error) tea.Cmd {
	if p.over {
		return nil
	}
	p.over, p.now = true, m.options.Now()
	if p.progress = last; err != nil {
		p.failed = err
	}
	if !p.shown(m) {
		return nil
	}
	m.judge(p)
	if p.canary() && p.failed == nil {
		m.decide(p)
	}
	return nil
}

// decide opens the page where it is decided about what was watched, or takes what is known now over to the one that is
// open. Pages above it stay.
func (m *Model) decide(p *watch) {
	for i, other := range m.stack {
		if d, ok := other.(*menu); ok && d.about == p {
			m.stack[i] = newDecide(m, p)
			return
		}
	}
	m.push(newDecide(m, p))
}

// judge notes what has become of it.
func (m *Model) judge(p *watch) {
	o := &m.outcome
	o.Verdict, o.Why = p.progress.Verdict, p.verdict()
	if p.progress.Now.Name != "" {
		o.Pending = len(p.progress.Now.CanaryNamespaces) > 0
	}
}

// shown tells whether the page is part of the way that is shown.
func (p *watch) shown(m *Model) bool {
	return slices.ContainsFunc(m.stack, func(other page) bool { return other == page(p) })
}

// canary tells whether it is about canaries, so that there is something to be decided.
func (p *watch) canary() bool { return p.action == rollout.Start }

// verdict says in a sentence what has become of it, or nothing while it goes on.
func (p *watch) verdict() string {
	now := &p.progress
	switch {
	case errors.Is(p.failed, catalog.ErrNotFound):
		return "The API registration is gone"
	case p.failed != nil:
		return p.failed.Error()
	}
	switch now.Verdict {
	case rollout.Broken:
		first := &now.Behind[0]
		return fmt.Sprintf("%s ended in error: %s", first.Namespace, why(&first.Row))
	case rollout.Superseded:
		return "Somebody has given it another sync_id meanwhile: " + now.Now.SyncID
	case rollout.Gone:
		return "Nobody who is waited for subscribes any more"
	case rollout.Reached:
		return fmt.Sprintf("%d of %d are there", now.There, now.Total)
	case rollout.Going:
	}
	return ""
}

// steps asks for the steps of those that are on the way, now and then.
func (m *Model) steps(p *watch) tea.Cmd {
	engine, name, target := m.Engine, p.goal.API, p.progress.Target
	var asked []string
	for i := range p.progress.Behind {
		if t := &p.progress.Behind[i]; t.Standing == rollout.Running && len(asked) < mostRuns {
			asked = append(asked, t.Namespace)
		}
	}
	pause := stepsPause
	if len(asked) == 0 {
		pause /= 4 // somebody may be on the way at any moment
	}
	cmd, _ := background(m, func(ctx context.Context) map[string]rollout.Run {
		runs := map[string]rollout.Run{}
		for _, ns := range asked {
			if run, err := engine.Run(ctx, name, ns); err == nil && run.SyncID == target {
				runs[ns] = run
			}
		}
		return runs
	}, func(runs map[string]rollout.Run) tea.Cmd {
		p.runs = runs
		return m.while(p, pause, (*Model).steps)
	})
	return cmd
}

// clock shows the time anew, now and then.
func (m *Model) clock(p *watch) tea.Cmd {
	p.now = m.options.Now()
	return m.while(p, clockPause, (*Model).clock)
}

// while does something after a pause, if the page goes on by then.
func (m *Model) while(p *watch, pause time.Duration, do func(*Model, *watch) tea.Cmd) tea.Cmd {
	cmd, _ := background(m, func(ctx context.Context) struct{} {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		return struct{}{}
	}, func(struct{}) tea.Cmd {
		if p.over || !p.shown(m) {
			return nil
		}
		return do(m, p)
	})
	return cmd
}

func (p *watch) step() step { return stepWatch }

func (p *watch) key(m *Model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "enter", "esc", "shift+tab", "q":
		if p.canary() && p.failed == nil {
			m.decide(p)
			return nil
		}
		m.judge(p)
		return m.end(false)
	}
	return nil
}

func (p *watch) keys(*Model) []hint {
	switch {
	case p.canary():
		return []hint{{"Enter", "decide"}, {"Ctrl-C", "detach"}}
	case p.over:
		return []hint{{"Enter", "close"}}
	}
	return []hint{{"Ctrl-C", "detach: it goes on"}}
}
