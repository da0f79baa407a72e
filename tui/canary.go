package tui

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
	"kayra/tui/theme"
	"kayra/tui/wizard"
)

// openedMsg is what rolls out through a link, for the wizard that has waited for it.
type openedMsg struct {
	from   *link
	dialog *dialog
	api    string
	engine *rollout.Engine
	err    error
}

// canaryDialog stands where the wizard will be, while what it needs is found out.
func (m *Model) canaryDialog(api string) tea.Cmd {
	d := m.about("Canary of "+api, dialogLine{name: "API", text: api})
	d.state, m.dialog = dialogLoads, d
	l := m.link
	return l.worker.do(func(ctx context.Context) tea.Msg {
		engine, err := l.Rollouts(ctx)
		return openedMsg{l, d, api, engine, err}
	})
}

// opened shows the wizard, unless it is no longer wanted.
func (m *Model) opened(msg openedMsg) tea.Cmd {
	if msg.from != m.link || msg.dialog != m.dialog {
		return nil
	}
	if msg.err != nil {
		m.dialog.fail(msg.err)
		return nil
	}
	m.dialog = nil
	o := wizard.Options{API: msg.api, Place: m.link.Place, Where: named(m.link.Connection), Label: m.link.Label, Production: m.link.Production}
	if m.options.Copy != nil {
		o.Copy = func(text string) tea.Cmd {
			return m.worker.do(func(context.Context) tea.Msg {
				_ = m.options.Copy(text) // the wizard has said already what it copies
				return nil
			})
		}
	}
	m.wizard = m.guide(msg.engine, o)
	m.place()
	return m.wizard.Init()
}

// guided hands a message on to the wizard. One that has ended leaves the screen, and what has come of it is said.
func (m *Model) guided(msg tea.Msg) tea.Cmd {
	if m.wizard == nil {
		return nil
	}
	_, cmd := m.wizard.Update(msg)
	if !m.wizard.Done() {
		return cmd
	}
	ended := m.wizard
	m.wizard = nil
	m.place()
	m.say(outcomeOf(ended.Outcome()))
	return m.worker.do(func(context.Context) tea.Msg {
		ended.Close()
		return nil
	})
}

// outcomeOf is what there is to say of a wizard that has ended.
func outcomeOf(o wizard.Outcome) (theme.Tone, string) {
	switch {
	case o.Unknown:
		return theme.ToneBad, o.Lines()[0]
	case !o.Wrote && o.Err != nil:
		return theme.ToneBad, o.Err.Error()
	case !o.Wrote:
		return theme.ToneNone, "Nothing was changed."
	}
	text, tone := o.Lines()[0], theme.ToneOK
	switch {
	case o.Verdict == rollout.Going:
		text += ", and it goes on"
	case o.Verdict != rollout.Reached:
		text, tone = fmt.Sprintf("%s: %s", text, o.Why), theme.ToneBad
	}
	if o.Pending {
		text += ". P releases it, A aborts it"
	}
	return tone, text + "."
}
