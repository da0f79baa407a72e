package wizard

import (
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/tui/widget"
)

// preview is the page that shows what a plan would do.
type preview struct {
	rollout.Preview

	document bool
	top      int // the first line that is in sight
	below    int // how many are not
}

func newPreview(plan rollout.Plan, document bool) *preview {
	return &preview{Preview: plan.Preview(), document: document}
}

func (p *preview) step() step { return stepPreview }

func (p *preview) key(m *Model, k tea.KeyMsg) tea.Cmd {
	if cmd, is := m.leaving(k); is {
		return cmd
	}
	switch k.String() {
	case "up", "k":
		p.top = max(p.top-1, 0)
	case "down", "j":
		p.top += min(p.below, 1)
	case "enter":
		m.push(newConfirm(m, p))
	case "y":
		return m.copy(p.Command(m.Place), "the command")
	case "Y":
		return m.copy(m.Engine.Curl(p.Plan, m.Place), "the request for curl")
	}
	return nil
}

// copy brings a text to the clipboard.
func (m *Model) copy(text, what string) tea.Cmd {
	if m.options.Copy == nil {
		return nil
	}
	m.notice = "copied " + what
	return m.options.Copy(text)
}

func (p *preview) body(m *Model, width, height int) []string {
	th := m.theme
	lines := []string{th.Title.Render(widget.Fit(p.question(), width, th.Ellipsis)), ""}
	text := p.text(m, width)
	room := max(height-len(lines), 1)
	p.top = max(min(p.top, len(text)-room), 0)
	p.below = max(len(text)-p.top-room, 0)
	lines = append(lines, text[p.top:min(p.top+room, len(text))]...)
	if p.below > 0 {
		lines[len(lines)-1] = th.Dim.Render(widget.Fit(fmt.Sprintf("%s %d more lines", th.Down, p.below+1), width, th.Ellipsis))
	}
	return lines
}

func (p *preview) question() string {
	return map[rollout.Action]string{
		rollout.Start: "What the canary does", rollout.Release: "What the release does", rollout.Abort: "What the abort does",
	}[p.Action]
}

// text is all of it.
func (p *preview) text(m *Model, width int) []string {
	th := m.theme
	var lines []string
	add := func(label, text string) {
		const indent = 11
		for i, line := range widget.Wrap(term.Escape(text), width-indent) {
			head := strings.Repeat(" ", indent)
			if i == 0 {
				head = th.Dim.Render(widget.Pad(label, indent))
			}
			lines = append(lines, head+line)
		}
	}
	add("API", p.API)
	if m.Where != "" {
		add("at", m.Where)
	}
	if p.Action == rollout.Release {
		add("released", p.Released)
	} else {
		add("sync_id", p.Before)
	}
	add("becomes", p.becomes())
	add("moves", rollout.Names(p.Moves))
	add("stays", rollout.Names(p.Stays))
	if len(p.Idle) > 0 {
		add("not active", rollout.Names(p.Idle))
	}
	notes := p.Notes
	if !p.document {
		notes = append(notes, withoutDocument)
	}
	for _, note := range notes {
		for _, line := range widget.Wrap(term.Escape(th.Alert+" "+note), width) {
			lines = append(lines, th.Warn.Render(line))
		}
	}
	lines = append(lines, "", th.Dim.Render(widget.Fit("the same by hand", width, th.Ellipsis)))
	lines = append(lines, widget.Command(p.Command(m.Place), width)...)
	lines = append(lines, "")
	return append(lines, widget.Command(m.Engine.Curl(p.Plan, m.Place), width)...)
}

func (p *preview) becomes() string {
	if p.After == "" {
		return "a fresh one, minted by the server"
	}
	return p.After
}

func (p *preview) keys(m *Model) []hint {
	var others []hint
	if p.below > 0 || p.top > 0 {
		others = append(others, hint{"↑↓", "scroll"})
	}
	if m.options.Copy != nil {
		others = append(others, hint{"y", "copy command"}, hint{"Y", "copy curl"})
	}
	return usual([]hint{{"Enter", "next"}}, others...)
}

// said is an error with what to do about it.
func said(err error) string {
	if choice, ok := errors.AsType[*rollout.ChoiceError](err); ok && choice.Hint != "" {
		return choice.Problem + ": " + choice.Hint
	}
	return err.Error()
}
