package wizard

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/tui/theme"
	"kayra/tui/widget"
)

func (p *watch) body(m *Model, width, height int) []string {
	lines := []string{p.title(m, width), p.bar(m, width)}
	if text, bad := p.remark(); text != "" {
		style, mark := m.theme.Warn, m.theme.Alert
		if bad {
			style, mark = m.theme.Bad, m.theme.Cross
		}
		for _, line := range widget.Wrap(mark+" "+term.Escape(text), width) {
			lines = append(lines, style.Render(line))
		}
	}
	lines = append(lines, "")
	all := p.tenants()
	for i := range all {
		if len(lines) >= height-1 && i < len(all)-1 {
			return append(lines, m.theme.Dim.Render(widget.Fit(fmt.Sprintf("and %d more", p.progress.Total-i), width, m.theme.Ellipsis)))
		}
		lines = append(lines, p.tenant(m, &all[i], width)...)
	}
	return lines
}

func (p *watch) title(m *Model, width int) string {
	id := p.goal.SyncID
	text := map[rollout.Action]string{
		rollout.Start: "The canary on its way to ", rollout.Release: "The release of ", rollout.Abort: "Back to ",
	}[p.action] + short(id)
	return m.theme.Title.Render(widget.Fit(widget.Ends(term.Escape(text), widget.Age(p.now.Sub(p.began)), width, m.theme.Ellipsis), width, m.theme.Ellipsis))
}

// bar is how far it has come, in a bar and in words.
func (p *watch) bar(m *Model, width int) string {
	now := &p.progress
	word := "synced"
	if p.action == rollout.Abort {
		word = "back"
	}
	parts := []string{fmt.Sprintf("%d/%d %s", now.There, now.Total, word)}
	for _, part := range []struct {
		n    int
		word string
	}{{now.Failed, "failed"}, {now.Running, "running"}, {now.Held, "held"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	text := strings.Join(parts, ", ")
	const least, most = 4, 30
	if room := min(width-widget.Width(text)-1, most); room >= least && now.Total > 0 {
		return widget.Bar(m.theme, room, now.There, now.Failed, now.Total) + " " + text
	}
	return widget.Fit(text, width, m.theme.Ellipsis)
}

// remark is what there is to say about it all; bad: it does not go on.
func (p *watch) remark() (text string, bad bool) {
	now := &p.progress
	switch {
	case p.over && (p.failed != nil || now.Verdict != rollout.Reached):
		return p.verdict(), true
	case now.Offline != nil:
		return fmt.Sprintf("%v; trying again, and this is from before", now.Offline), false
	case now.Now.Paused && !p.over:
		return "it is paused: nothing is tried until paused is false", false
	}
	return "", false
}

// tenants are those who are shown: the canaries, or those who are not there yet.
func (p *watch) tenants() []rollout.Tenant {
	behind := p.progress.Behind
	if !p.canary() {
		return behind
	}
	all := slices.Clone(behind)
	if p.progress.Total == 0 {
		return all
	}
	for _, ns := range p.goal.Namespaces {
		if !slices.ContainsFunc(behind, func(t rollout.Tenant) bool { return t.Namespace == ns }) {
			there := rollout.Tenant{Standing: rollout.There}
			there.Namespace = ns
			all = append(all, there)
		}
	}
	return all
}

// tenant draws one, with its steps where they are known.
func (p *watch) tenant(m *Model, t *rollout.Tenant, width int) []string {
	th := m.theme
	tone, text := tone(t.Reason), string(t.Reason)
	if t.Standing == rollout.There {
		tone, text = theme.ToneOK, "synced"
	}
	run, known := p.runs[t.Namespace]
	if known && t.Standing == rollout.Running && len(run.Steps) > 0 {
		text = fmt.Sprintf("attempt %d", run.Attempt)
	} else if t.Message != "" && t.Standing != rollout.There {
		text = t.Message
	}
	const widest = 24
	cells := min(widest, max(width/3, 1)) //nolint:mnd // the reason has the rest
	head := th.Of(tone).Render(th.Mark(tone)) + " " + widget.Pad(widget.Fit(term.Escape(t.Namespace), cells, th.Ellipsis), cells)
	lines := []string{widget.Fit(head+"  "+th.Of(tone).Render(term.Escape(text)), width, th.Ellipsis)}
	if known && t.Standing == rollout.Running {
		for i, s := range run.Steps {
			lines = append(lines, p.stepLine(m, i, run.Of, &s, width))
		}
	}
	return lines
}

// stepLine draws a step of a run.
func (p *watch) stepLine(m *Model, i, of int, s *rollout.Step, width int) string {
	th := m.theme
	tone := map[string]theme.Tone{
		"ok": theme.ToneOK, "running": theme.ToneRunning, "pending": theme.ToneWaiting, "failed": theme.ToneBad, "interrupted": theme.ToneBad,
	}[s.State]
	took := s.Took
	if s.State == "running" && !s.Since.IsZero() {
		took = max(p.now.Sub(s.Since).Truncate(time.Second), 0)
	}
	text := fmt.Sprintf("step %d", i+1)
	if of > i {
		text += fmt.Sprintf(" of %d", of)
	}
	text += "  " + s.Name + "  " + s.State
	if took > 0 {
		text += "  " + widget.Took(took)
	}
	if s.Reason != "" {
		text += "  " + s.Reason
	}
	return widget.Fit("    "+th.Of(tone).Render(th.Mark(tone)+" "+term.Escape(text)), width, th.Ellipsis)
}
