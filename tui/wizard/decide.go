package wizard

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

// menu is a page where one of a few ways is chosen.
type menu struct {
	is   step
	head string
	tone theme.Tone // of the head
	ways []way
	at   int

	about *watch // what it is decided about; nil: what was found pending
}

// way is a way to go on.
type way struct {
	key, name, about string
	do               func(m *Model) tea.Cmd
}

func (p *menu) step() step { return p.is }

func (p *menu) key(m *Model, k tea.KeyMsg) tea.Cmd {
	switch s := k.String(); s {
	case "up", "k":
		p.at = max(p.at-1, 0)
		return nil
	case "down", "j", "tab":
		p.at = min(p.at+1, len(p.ways)-1)
		return nil
	case "enter":
		return p.ways[p.at].do(m)
	default:
		for _, w := range p.ways {
			if w.key == s {
				return w.do(m)
			}
		}
	}
	cmd, _ := m.leaving(k)
	return cmd
}

func (p *menu) body(m *Model, width, height int) []string {
	lines := p.lines(m, width, true)
	if len(lines) > height {
		lines = p.lines(m, width, false)
	}
	return lines
}

// lines draws the menu, with what there is to say about all ways or the one that is pointed at alone.
func (p *menu) lines(m *Model, width int, all bool) []string {
	th := m.theme
	var lines []string
	for _, line := range widget.Wrap(term.Escape(th.Mark(p.tone)+" "+p.head), width) {
		lines = append(lines, th.Of(p.tone).Bold(true).Render(line))
	}
	lines = append(lines, "")
	for i, w := range p.ways {
		pointer, style := "  ", th.Text
		if i == p.at {
			pointer, style = th.Pointer+" ", th.Selected
		}
		lines = append(lines, style.Render(widget.Pad(widget.Fit(pointer+w.key+"  "+w.name, width, th.Ellipsis), width)))
		if !all && i != p.at {
			continue
		}
		for _, line := range widget.Wrap(term.Escape(w.about), width-len("     ")) {
			lines = append(lines, th.Dim.Render("     "+line))
		}
	}
	return lines
}

func (p *menu) keys(*Model) []hint {
	return usual([]hint{{"Enter", "take"}}, hint{"↑↓", "move"})
}

// newDecide is the page where it is decided what becomes of a canary.
func newDecide(m *Model, p *watch) *menu {
	m.judge(p)
	now := &p.progress
	d := &menu{is: stepDecide, about: p, head: p.verdict(), tone: theme.ToneOK}
	if !p.over {
		d.head, d.tone = fmt.Sprintf("%d of %d are there, and it goes on", now.There, now.Total), theme.ToneRunning
	}
	leave := way{"l", "leave it pending", "nothing more happens until somebody releases or aborts it", func(m *Model) tea.Cmd { return m.end(false) }}
	name := p.goal.API
	switch now.Verdict {
	case rollout.Superseded, rollout.Gone:
		d.tone = theme.ToneBad
		leave.name, leave.about = "leave", "nothing more is done from here"
		d.ways = []way{{"o", "look again", "at what is so now", func(m *Model) tea.Cmd { return m.lookAgain(name) }}, leave}
		return d
	case rollout.Broken:
		d.tone = theme.ToneBad
	case rollout.Going, rollout.Reached:
	}
	d.ways = []way{releaseWay(name, now.Verdict == rollout.Reached), leave, abortWay(name, p.released)}
	if d.at = 1; now.Verdict == rollout.Going {
		d.ways = append([]way{{"w", "go on watching", "the canaries", (*Model).back}}, d.ways...)
		d.at = 0
	}
	return d
}

func releaseWay(name string, proven bool) way {
	w := way{key: "p", name: "release", about: "to everyone: what that does is shown first", do: func(m *Model) tea.Cmd {
		return m.plan(name, (*rollout.State).Release)
	}}
	if !proven {
		w.name, w.about = "release (disabled)", "the canary has not succeeded: it takes the name of the API, typed"
	}
	return w
}

func abortWay(name, released string) way {
	about := "back to the sync id that was released last"
	if released != "" {
		about = "back to " + short(released)
	}
	return way{"a", "abort", about + ": what that does is shown first", func(m *Model) tea.Cmd {
		return m.plan(name, (*rollout.State).Abort)
	}}
}

// plan shows what would end the rollout, by what there is then.
func (m *Model) plan(name string, plan func(*rollout.State) (rollout.Plan, error)) tea.Cmd {
	return m.read(name, func(r reading) tea.Cmd {
		p, err := plan(r.state)
		if err != nil {
			return m.fail(err, func() tea.Cmd { return m.lookAgain(name) })
		}
		m.push(newPreview(p, r.document))
		return nil
	})
}

// newPending is the page for an API whose rollout is pending already.
func newPending(r reading) *menu {
	reg := &r.state.Registration
	p := &menu{is: stepDecide, tone: theme.ToneHeld}
	p.head = fmt.Sprintf("A rollout of %s to %s is pending, for %s", reg.Name, short(reg.SyncID), rollout.Names(reg.CanaryNamespaces))
	there := 0
	for _, t := range r.state.Canaries() {
		if t.Standing == rollout.There {
			there++
		}
	}
	name, goal, released := reg.Name, r.state.Canary(), reg.ReleasedSyncID
	leave := way{"l", "leave it pending", "nothing more happens until somebody releases or aborts it", func(m *Model) tea.Cmd { return m.end(false) }}
	p.ways = []way{
		{"w", "watch the canaries", fmt.Sprintf("%d of %d are there", there, len(reg.CanaryNamespaces)), func(m *Model) tea.Cmd {
			return m.watch(newWatch(m, rollout.Start, goal, released))
		}},
		releaseWay(name, there == len(reg.CanaryNamespaces)), leave, abortWay(name, released),
		{"n", "start another canary", "which replaces this one", func(m *Model) tea.Cmd {
			m.push(newTenants(r))
			return nil
		}},
	}
	return p
}
