package wizard

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
	"kayra/server/api"
	"kayra/store/catalog"
)

// choose is a page where one thing is chosen.
type choose struct {
	is    step
	title string
	list  list
	take  func(m *Model, name string) tea.Cmd
}

func (p *choose) step() step { return p.is }

func (p *choose) key(m *Model, k tea.KeyMsg) tea.Cmd {
	if p.list.key(k) {
		return nil
	}
	if cmd, is := m.leaving(k); is {
		return cmd
	}
	if one := p.list.current(); one != nil && k.Type == tea.KeyEnter {
		return p.take(m, one.name)
	}
	if k.String() == "r" && p.is == stepAPI {
		return m.readAPIs(func(items []item) tea.Cmd {
			p.list.set(items)
			return nil
		})
	}
	return nil
}

func (p *choose) body(m *Model, width, height int) []string {
	head := m.heading(p.title, fmt.Sprintf("%d of %d", len(p.list.shown), len(p.list.items)), &p.list, width)
	return append([]string{head}, p.list.lines(m, width, height-1, func(*item) string { return "" })...)
}

func (p *choose) keys(*Model) []hint {
	if p.list.typing {
		return []hint{{"Enter", "keep the filter"}, {"Esc", "take it away"}}
	}
	return usual([]hint{{"Enter", "next"}}, hint{"↑↓", "move"}, hint{"/", "filter"})
}

func newContexts(m *Model) *choose {
	p := &choose{is: stepContext, title: "Which server?", take: (*Model).use}
	items := make([]item, len(m.options.Contexts))
	for i, c := range m.options.Contexts {
		items[i] = item{c.Name, []string{c.Server}}
	}
	p.list.set(items)
	p.list.point(m.Where)
	return p
}

// use connects to a context.
func (m *Model) use(name string) tea.Cmd {
	return ask(m, "connecting to "+name, func(ctx context.Context) (*Connection, error) {
		return m.options.Use(ctx, name)
	}, func(c *Connection) tea.Cmd {
		m.Connection = *c
		if m.options.API != "" {
			return m.open(m.options.API)
		}
		return m.openAPIs()
	}, func() tea.Cmd { return m.use(name) })
}

// openAPIs opens the page where an API is chosen.
func (m *Model) openAPIs() tea.Cmd {
	return m.readAPIs(func(items []item) tea.Cmd {
		p := &choose{is: stepAPI, title: "Which API?", take: (*Model).open}
		p.list.set(items)
		m.push(p)
		return nil
	})
}

func (m *Model) readAPIs(then func([]item) tea.Cmd) tea.Cmd {
	return ask(m, "reading the APIs", m.Engine.Registrations, func(regs []api.Registration) tea.Cmd {
		items := make([]item, len(regs))
		for i := range regs {
			items[i] = item{regs[i].Name, []string{about(&regs[i])}}
		}
		return then(items)
	}, func() tea.Cmd { return m.readAPIs(then) })
}

// about is what there is to know about a registration before it is chosen.
func about(reg *api.Registration) string {
	var parts []string
	if n := len(reg.CanaryNamespaces); n > 0 {
		parts = append(parts, "rollout pending, for "+enumerate(reg.CanaryNamespaces))
	}
	if reg.Paused {
		parts = append(parts, "paused")
	}
	if len(parts) == 0 {
		parts = append(parts, "at "+short(reg.SyncID))
	}
	if reg.Owner != "" {
		parts = append(parts, "of "+reg.Owner)
	}
	return strings.Join(parts, ", ")
}

// reading is what is known of an API when it was chosen.
type reading struct {
	state    *rollout.State
	document bool // the OpenAPI document is there
}

// read reads what there is of an API.
func (m *Model) read(name string, then func(reading) tea.Cmd) tea.Cmd {
	engine := m.Engine
	return ask(m, "reading "+name, func(ctx context.Context) (r reading, err error) {
		if r.state, err = engine.Load(ctx, name); err == nil {
			r.document, err = engine.Document(ctx, name)
		}
		return r, err //nolint:wrapcheck // is shown as it is
	}, then, func() tea.Cmd { return m.read(name, then) })
}

// open goes on with an API: to what can be done about its rollout, or to its tenants.
func (m *Model) open(name string) tea.Cmd {
	return m.read(name, func(r reading) tea.Cmd {
		m.outcome.API, m.outcome.Pending = name, r.state.Pending()
		if r.state.Pending() {
			m.push(newPending(r))
		} else {
			m.push(newTenants(r))
		}
		return nil
	})
}

// short is a sync id in short, if it is one that a server has minted.
func short(id string) string {
	const minted, enough = 36, 8
	if len(id) == minted && strings.Count(id, "-") == 4 {
		return id[:enough]
	}
	return id
}

// enumerate is a list of names, of which only the first are shown.
func enumerate(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// why is the reason of a row, in a sentence where there is one.
func why(r *api.Row) string {
	if r.Message == "" || r.Reason == catalog.ReasonSynced {
		return string(r.Reason)
	}
	return r.Message
}
