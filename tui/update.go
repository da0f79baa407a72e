package tui

import (
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/tui/fleet"
	"kayra/tui/screen"
	"kayra/tui/theme"
)

// Update implements [tea.Model].
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = time.Now()
	return m, m.update(msg)
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resized(msg)
	case settledMsg:
		m.settle()
	case tea.KeyMsg:
		return m.pressed(msg)
	case tea.MouseMsg:
		return m.moused(msg)
	case tickMsg:
		return m.ticked()
	case newsMsg:
		return m.learn(msg)
	case endedMsg:
		m.ended(msg)
	case detailMsg:
		m.learnDetail(msg)
	case switchedMsg:
		return m.switched(msg)
	case plannedMsg:
		m.planned(msg)
	case actedMsg:
		m.acted(msg)
	case noShellMsg:
		m.say(theme.ToneWarn, "There is no shell to go back to: q quits.")
	case copiedMsg:
		m.copied(msg)
	case openedMsg:
		return m.opened(msg)
	default:
		return m.guided(msg)
	}
	return nil
}

// resized takes the first size at once, and the others when no more have come for a moment.
func (m *Model) resized(msg tea.WindowSizeMsg) tea.Cmd {
	if m.width == 0 {
		m.width, m.height = msg.Width, msg.Height
		m.place()
		return nil
	}
	pending := m.resize != nil
	m.resize = &msg
	if pending {
		return nil
	}
	return m.worker.after(settled, func() tea.Msg { return settledMsg{} })
}

func (m *Model) settle() {
	if m.resize != nil {
		m.width, m.height, m.resize = m.resize.Width, m.resize.Height, nil
		m.place()
	}
}

func (m *Model) ticked() tea.Cmd {
	m.fleet.Advance(m.now)
	if m.now.Sub(m.notice.at) > noticeStays {
		m.notice = notice{}
	}
	return tea.Batch(m.tick(), m.askDetail(false))
}

// learn takes what is new, unless the screen is held as it is.
func (m *Model) learn(msg newsMsg) tea.Cmd {
	if msg.from != m.link {
		return nil
	}
	m.told = m.now
	if m.frozen == nil {
		m.fleet.Apply(msg.updates...)
		return m.link.next(frame)
	}
	m.frozen.waiting = append(m.frozen.waiting, msg.updates...)
	if len(m.frozen.waiting) > mostWaiting {
		m.say(theme.ToneWarn, "So much has happened that the screen goes on.")
		m.thaw()
	}
	return m.link.next(frame)
}

// mostWaiting bounds what is kept while the screen is held.
const mostWaiting = 5000

func (m *Model) thaw() {
	if m.frozen != nil {
		m.fleet.Apply(m.frozen.waiting...)
		m.frozen = nil
	}
}

func (m *Model) ended(msg endedMsg) {
	if msg.from == m.link && msg.err != nil {
		m.failed = msg.err
	}
}

// askDetail asks for what the page that is shown has more of, unless that is being asked for. again has it asked for although it
// was just told.
func (m *Model) askDetail(again bool) tea.Cmd {
	t, ok := m.page().(*screen.Tenant)
	if !ok || m.asking || m.frozen != nil {
		return nil
	}
	s := t.Subject(m.data())
	const often = 2 * time.Second
	if d := m.fleet.Detail(s.API, s.Namespace); d != nil && !again && m.now.Sub(d.At) < often {
		return nil
	}
	m.asking = true
	return m.link.detail(s.API, s.Namespace)
}

func (m *Model) learnDetail(msg detailMsg) {
	if msg.from != m.link {
		return
	}
	m.asking = false
	switch {
	case msg.err != nil:
		m.fleet.Apply(&fleet.Detail{Key: fleet.Key{API: msg.api, Namespace: msg.namespace}, At: m.now, Problem: msg.err.Error()})
	case msg.update != nil:
		m.fleet.Apply(msg.update)
	}
}

// switched goes over to another connection.
func (m *Model) switched(msg switchedMsg) tea.Cmd {
	if msg.from != m.link {
		return nil
	}
	if msg.err != nil {
		m.say(theme.ToneBad, msg.err.Error())
		return nil
	}
	if m.busy {
		m.say(theme.ToneWarn, "Something is being sent: switch when that is done.")
		return nil
	}
	m.link.worker.stop()
	m.link = m.enter(msg.to)
	m.fleet, m.told, m.failed = &fleet.Fleet{}, time.Time{}, nil
	m.asking, m.frozen, m.dialog = false, nil, nil
	m.home()
	m.say(theme.ToneOK, "This is "+named(msg.to)+" now.")
	return m.follow()
}

func (m *Model) acted(msg actedMsg) {
	if msg.from != m.link {
		return
	}
	m.busy = false
	if msg.err == nil {
		m.dialog = nil
		m.say(theme.ToneOK, msg.done)
		return
	}
	m.say(theme.ToneBad, msg.err.Error())
	if m.dialog != nil {
		m.dialog.fail(msg.err)
	}
}

// moused selects the row that is clicked, opens one that is selected already, and scrolls.
func (m *Model) moused(msg tea.MouseMsg) tea.Cmd {
	if !m.mouse || m.dialog != nil || m.prompt != nil || m.wizard != nil || msg.Action != tea.MouseActionPress {
		return nil
	}
	const wheel = 3
	switch msg.Button {
	case tea.MouseButtonWheelUp:
		m.page().Scroll(m.data(), -wheel)
	case tea.MouseButtonWheelDown:
		m.page().Scroll(m.data(), wheel)
	case tea.MouseButtonLeft:
		l := m.list()
		if l == nil {
			return nil
		}
		before := l.Subject(m.data())
		if l.Click(m.data(), msg.Y-m.top()) && l.Subject(m.data()) == before {
			return m.open()
		}
	default:
	}
	return nil
}

// named is what a connection is called.
func named(c Connection) string {
	if c.Context == "" {
		return c.Server
	}
	return c.Context
}

// open opens what is selected.
func (m *Model) open() tea.Cmd {
	s := m.page().Subject(m.data())
	_, isTenant := m.page().(*screen.Tenant)
	switch {
	case isTenant || s.API == "":
		return nil
	case s.Namespace != "":
		m.push(screen.NewTenant(s.API, s.Namespace))
		return m.askDetail(true)
	case m.showsTenantsOf(s.API):
		return nil
	}
	m.push(screen.NewTenants(s.API))
	return nil
}

// showsTenantsOf tells whether the page that is shown is that of an API already, without a row.
func (m *Model) showsTenantsOf(api string) bool {
	return len(m.pages) > 1 && m.page().Title() == screen.NewTenants(api).Title()
}

// back closes what is open: the filter, or the page.
func (m *Model) back() {
	if l := m.list(); l != nil && !l.Filter().Empty() {
		l.SetFilter(screen.Filter{})
		return
	}
	if len(m.pages) > 1 {
		m.pages = m.pages[:len(m.pages)-1]
		m.place()
	}
}

// show opens a page that is there at most once, or goes back to it.
func (m *Model) show(p page) {
	for i, open := range slices.Backward(m.pages) {
		if open.Title() == p.Title() {
			m.pages = m.pages[:i+1]
			m.place()
			return
		}
	}
	m.push(p)
}

// obey does what was typed after a colon.
func (m *Model) obey(line string) tea.Cmd {
	o, err := parseOrder(line)
	if err != nil {
		m.say(theme.ToneWarn, err.Error())
		return nil
	}
	switch o.verb {
	case "overview":
		m.home()
	case "api":
		return m.goTo(o.name)
	case "ns":
		m.show(screen.NewNamespace(o.name))
	case "ctx":
		return m.link.switchTo(o.name)
	case "reconcilers":
		m.show(screen.NewProcesses())
	case "deps":
		m.show(screen.NewGraph())
	case "help":
		m.show(m.help())
	case "q":
		m.quit = true
		return tea.Quit
	}
	return nil
}

// goTo opens an API by its name or its short name.
func (m *Model) goTo(name string) tea.Cmd {
	for _, a := range m.fleet.APIs() {
		if a.Name == name || a.ShortName == name && name != "" {
			m.home()
			if l := m.list(); l != nil {
				l.Select(a.Name)
			}
			m.push(screen.NewTenants(a.Name))
			return nil
		}
	}
	m.say(theme.ToneWarn, fmt.Sprintf("%q is not registered here.", name))
	return nil
}
