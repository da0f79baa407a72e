package tui

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
	"kayra/tui/theme"
)

// plannedMsg is what an action would do to an API, as it stands now.
type plannedMsg struct {
	from    *link
	dialog  *dialog
	engine  *rollout.Engine
	preview rollout.Preview
	err     error
}

// plan finds out how an API stands, and what an action would do to it.
func (l *link) plan(d *dialog, action rollout.Action, name string) tea.Cmd {
	return l.worker.do(func(ctx context.Context) tea.Msg {
		msg := plannedMsg{from: l, dialog: d}
		if msg.engine, msg.err = l.Rollouts(ctx); msg.err != nil {
			return msg
		}
		state, err := msg.engine.Load(ctx, name)
		if err != nil {
			msg.err = err
			return msg
		}
		var plan rollout.Plan
		switch action {
		case rollout.Release:
			plan, msg.err = state.Release()
		case rollout.Abort:
			plan, msg.err = state.Abort()
		case rollout.All, rollout.Start:
			plan, msg.err = state.All()
		}
		msg.preview = plan.Preview()
		return msg
	})
}

// apply carries a plan out, in one request.
func (l *link) apply(engine *rollout.Engine, p rollout.Preview) tea.Cmd {
	return l.worker.do(func(ctx context.Context) tea.Msg {
		now, err := engine.Apply(ctx, p.Plan)
		return actedMsg{l, done(p, now.SyncID), err}
	})
}

// done is a sentence for what was done.
func done(p rollout.Preview, id string) string {
	switch p.Action {
	case rollout.Release:
		return fmt.Sprintf("%s: released %s to everyone.", p.API, id)
	case rollout.Abort:
		return fmt.Sprintf("%s: aborted, back to %s.", p.API, id)
	case rollout.All, rollout.Start:
	}
	return fmt.Sprintf("%s: sync to %s.", p.API, id)
}

// rolloutDialog opens the dialog of an action that changes an API's sync id. What it says is found out first.
func (m *Model) rolloutDialog(action rollout.Action, name string) tea.Cmd {
	title := map[rollout.Action]string{
		rollout.All: "Sync %s for everyone?", rollout.Release: "Release the canary of %s to everyone?", rollout.Abort: "Abort the canary of %s?",
	}
	d := m.about(fmt.Sprintf(title[action], name), dialogLine{name: "API", text: name})
	d.state, m.dialog = dialogLoads, d
	return m.link.plan(d, action, name)
}

// planned fills the dialog that has waited for it.
func (m *Model) planned(msg plannedMsg) {
	d := m.dialog
	if msg.from != m.link || d != msg.dialog {
		return
	}
	if msg.err != nil {
		d.fail(msg.err)
		return
	}
	p := msg.preview
	d.lines = append(d.lines, m.foreseen(p)...)
	if m.wide(p) {
		d.word, d.input = p.API, newInput(m.options.Theme)
	}
	link := m.link
	d.send = func() tea.Cmd { return link.apply(msg.engine, p) }
	d.state = dialogAsks
}

// wide tells whether so much happens that a key pressed by mistake must not be enough.
func (m *Model) wide(p rollout.Preview) bool {
	const many = 10
	return m.link.Production || len(p.Moves)+len(p.Idle) > many
}

// foreseen is what would happen.
func (m *Model) foreseen(p rollout.Preview) []dialogLine {
	after := p.After
	if after == "" {
		after = "a fresh one, which the server mints"
	}
	lines := []dialogLine{{name: "sync id", text: p.Before}, {name: "then", text: after}}
	if p.Before == p.After {
		lines = []dialogLine{{name: "sync id", text: p.After + ", which the canaries have"}}
	}
	lines = append(lines, dialogLine{name: "reaches", text: namespaces(p.Moves)})
	if len(p.Stays) > 0 {
		lines = append(lines, dialogLine{name: "stays", text: namespaces(p.Stays)})
	}
	if len(p.Idle) > 0 {
		lines = append(lines, dialogLine{name: "and tries", text: namespaces(p.Idle) + ", not active yet"})
	}
	for _, note := range p.Notes {
		lines = append(lines, dialogLine{text: note, tone: theme.ToneWarn})
	}
	return append(lines, dialogLine{name: "the same", text: p.Command(m.link.Place), tone: theme.ToneOK, command: true})
}

// namespaces are so many of them that one can see who they are.
func namespaces(names []string) string {
	const few = 6
	switch n := len(names); {
	case n == 0:
		return "no namespace"
	case n <= few:
		return plural(n, "namespace") + ": " + strings.Join(names, ", ")
	default:
		return fmt.Sprintf("%s: %s and %d more", plural(n, "namespace"), strings.Join(names[:few], ", "), n-few)
	}
}
