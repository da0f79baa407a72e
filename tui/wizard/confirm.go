package wizard

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/cli/term"
	"kayra/rollout"
	"kayra/server/api"
	"kayra/tui/widget"
)

// wide is how many namespaces a request may reach that only takes a yes. A wider one takes the API's name.
const wide = 10

// confirm is the last page before something is changed.
type confirm struct {
	*preview

	yes   bool   // is pointed at
	typed input  // of the API's name
	why   string // it has to be typed; "": it has not
}

func newConfirm(m *Model, p *preview) *confirm {
	return &confirm{preview: p, why: m.dangerous(&p.Preview)}
}

// dangerous says why a yes does not do for a plan, or nothing.
func (c *Connection) dangerous(p *rollout.Preview) string {
	switch n := len(p.Moves) + len(p.Idle); {
	case p.Action == rollout.Release && p.Unproven:
		return "the canary has not succeeded"
	case p.Action == rollout.Release && n > wide:
		return fmt.Sprintf("it reaches %d namespaces", n)
	case c.Production:
		return "this is production"
	}
	return ""
}

func (c *confirm) step() step { return stepConfirm }

func (c *confirm) key(m *Model, k tea.KeyMsg) tea.Cmd {
	if k.Type == tea.KeyEsc || k.Type == tea.KeyShiftTab {
		return m.back()
	}
	if c.why != "" {
		if k.Type != tea.KeyEnter {
			c.typed.key(k)
			return nil
		}
		if c.typed.text != c.API {
			m.notice = fmt.Sprintf("that is not %s: nothing was sent", c.API)
			return nil
		}
		return m.carryOut(c.preview)
	}
	switch k.String() {
	case "q":
		return m.end(false)
	case "left", "right", "tab", "h", "l":
		c.yes = !c.yes
	case "y":
		return m.carryOut(c.preview)
	case "n":
		return m.back()
	case "enter":
		if !c.yes {
			return m.back()
		}
		return m.carryOut(c.preview)
	}
	return nil
}

func (c *confirm) body(m *Model, width, _ int) []string {
	th := m.theme
	var lines []string
	for _, line := range widget.Wrap(term.Escape(c.sentence(m)), width) {
		lines = append(lines, th.Title.Render(line))
	}
	lines = append(lines, "")
	if c.why != "" {
		for _, line := range widget.Wrap(term.Escape(fmt.Sprintf("%s %s. To do it nevertheless, type %s:", th.Alert, upper(c.why), c.API)), width) {
			lines = append(lines, th.Warn.Render(line))
		}
		return append(lines, th.Key.Render(widget.Fit("> "+term.Escape(c.typed.text)+"_", width, th.Ellipsis)))
	}
	no, yes := th.Selected.Render(th.Pointer+" No "), th.Text.Render("  Yes ")
	if c.yes {
		no, yes = th.Text.Render("  No "), th.Selected.Render(th.Pointer+" Yes ")
	}
	return append(lines, widget.Fit(no+" "+yes, width, th.Ellipsis))
}

func (c *confirm) sentence(m *Model) string {
	at := ""
	if m.Where != "" {
		at = " at " + m.Where
	}
	switch c.Action {
	case rollout.Release:
		return fmt.Sprintf("Release %s of %s%s to %s more?", c.After, c.API, at, plural(len(c.Moves), "namespace"))
	case rollout.Abort:
		return fmt.Sprintf("Abort the rollout of %s%s, and take %s back to %s?", c.API, at, plural(len(c.Moves), "namespace"), c.After)
	case rollout.Start, rollout.All:
	}
	return fmt.Sprintf("Give %s%s a fresh sync id, for %s alone?", c.API, at, rollout.Names(c.Canaries))
}

func (c *confirm) keys(*Model) []hint {
	if c.why != "" {
		return usual([]hint{{"Enter", "do it"}})
	}
	return usual([]hint{{"y", "yes"}, {"n", "no"}}, hint{"←→", "move"}, hint{"Enter", "take"})
}

// carryOut sends the request of a plan, once.
func (m *Model) carryOut(p *preview) tea.Cmd {
	engine := m.Engine
	cmd := ask(m, "sending the request", func(ctx context.Context) (answer[api.Registration], error) {
		reg, err := engine.Apply(ctx, p.Plan)
		return answer[api.Registration]{reg, err}, nil
	}, func(a answer[api.Registration]) tea.Cmd { return m.sent(p, a.is, a.err) }, nil)
	m.sending = true
	return cmd
}

// sent goes on after a request.
func (m *Model) sent(p *preview, reg api.Registration, err error) tea.Cmd {
	if err != nil {
		m.unknown = errors.Is(err, rollout.ErrNoAnswer)
		if _, changed := errors.AsType[*rollout.ChangedError](err); changed {
			m.dropPlan()
		}
		return m.fail(err, func() tea.Cmd { return m.lookAgain(p.API) })
	}
	m.wrote, m.unknown = true, false
	m.outcome = Outcome{
		API: p.API, Did: p.Action, SyncID: reg.SyncID, Command: p.Command(m.Place), Pending: len(reg.CanaryNamespaces) > 0,
	}
	return m.watch(newWatch(m, p.Action, p.Goal(reg), p.Released))
}

// dropPlan goes back to where a plan was made, which is good for nothing any more.
func (m *Model) dropPlan() {
	for len(m.stack) > 1 {
		switch m.page().(type) {
		case *preview, *confirm:
			m.stack = m.stack[:len(m.stack)-1]
		default:
			return
		}
	}
}

// lookAgain reads what has become of an API, and goes on from there. What was chosen for a canary that has not begun stays chosen.
func (m *Model) lookAgain(name string) tea.Cmd {
	return m.read(name, func(r reading) tea.Cmd {
		m.outcome.API, m.outcome.Pending, m.unknown = name, r.state.Pending(), false
		if r.state.Pending() {
			m.begin(newPending(r))
			return nil
		}
		if p, chooses := m.page().(*tenants); chooses && !m.wrote {
			p.update(r)
			return nil
		}
		m.begin(newTenants(r))
		return nil
	})
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// upper makes a sentence begin with a capital letter.
func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
