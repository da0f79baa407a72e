package tui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
	"kayra/tui/fleet"
	"kayra/tui/screen"
	"kayra/tui/theme"
	"kayra/tui/wizard"
)

// Options say what the dashboard shows, and how. Connection and Theme are required.
type Options struct {
	Connection

	Theme    *theme.Theme
	ReadOnly bool                    // nothing can be done from here
	API      string                  // that is opened at once; "": none
	Copy     func(text string) error // brings a text to the clipboard; nil: there is none

	Namespace string // that is opened at once: its subscription to API or, without one, all that it subscribes to; "": none
}

// page is a screen.
type page interface {
	SetSize(width, height int)
	Render(d *screen.Data) string
	Title() string
	Scroll(d *screen.Data, by int)
	Subject(d *screen.Data) screen.Subject
}

// Model is the dashboard. It is what it shows, and nothing in it waits: what takes time is a command.
type Model struct {
	options Options
	keys    []entry
	enter   func(Connection) *link // makes the link of a connection
	worker  worker                 // for what belongs to no link
	guide   func(*rollout.Engine, wizard.Options) *wizard.Model
	quit    bool // somebody has asked for the end

	link   *link
	fleet  *fleet.Fleet
	told   time.Time // when something was told last
	failed error     // nothing more will be told, and why

	width, height int
	resize        *tea.WindowSizeMsg // that comes when it has been quiet for a moment
	now           time.Time

	pages  []page
	asking bool // a detail is being asked for

	prompt *prompt
	dialog *dialog
	wizard *wizard.Model // that has all of the screen; nil: there is none
	notice notice
	frozen *frozen
	mouse  bool
	busy   bool // something is being sent
}

// notice is what there is to say about what somebody has done.
type notice struct {
	text string // not escaped
	tone theme.Tone
	at   time.Time
}

// frozen is a screen that is held as it is.
type frozen struct {
	since   time.Time
	waiting []fleet.Update
}

// New makes a dashboard, which follows its connection until ctx ends. Wait returns when all that it has begun has ended, which
// is soon after.
func New(ctx context.Context, o Options) (m *Model, wait func()) {
	commands := &group{}
	m = &Model{options: o, keys: keymap(), fleet: &fleet.Fleet{}, now: time.Now()}
	m.enter = func(c Connection) *link { return newLink(ctx, commands, c) }
	m.worker = newWorker(ctx, commands)
	m.guide = func(e *rollout.Engine, o wizard.Options) *wizard.Model { return wizard.New(ctx, e, m.options.Theme, o) }
	m.link = m.enter(o.Connection)
	m.home()
	if o.API != "" || o.Namespace != "" {
		m.openAt(o.API, o.Namespace)
	}
	return m, func() {
		if m.wizard != nil {
			m.wizard.Close()
		}
		commands.close()
	}
}

// Quit tells whether it has ended because somebody asked for it.
func (m *Model) Quit() bool { return m.quit }

// home goes to the first page.
func (m *Model) home() {
	m.pages = nil
	m.push(screen.NewOverview())
}

// openAt opens what somebody has begun with.
func (m *Model) openAt(api, namespace string) {
	if api == "" {
		m.push(screen.NewNamespace(namespace))
		return
	}
	m.push(screen.NewTenants(api))
	if namespace != "" {
		m.push(screen.NewTenant(api, namespace))
	}
}

// push opens a page above the one that is shown.
func (m *Model) push(p page) {
	m.pages = append(m.pages, p)
	m.place()
}

func (m *Model) page() page { return m.pages[len(m.pages)-1] }

// list is the page that is shown, if it is one; nil: it is another kind.
func (m *Model) list() *screen.List {
	l, _ := m.page().(*screen.List)
	return l
}

// data are what pages draw.
func (m *Model) data() *screen.Data {
	return &screen.Data{Theme: m.options.Theme, Fleet: m.fleet, Now: m.now}
}

func (m *Model) say(tone theme.Tone, text string) { m.notice = notice{text, tone, m.now} }

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd { return tea.Batch(m.follow(), m.tick()) }

// follow begins to follow what the link tells.
func (m *Model) follow() tea.Cmd { return tea.Batch(m.link.follow(), m.link.next(0)) }

// Pauses between frames, and until a notice goes.
const (
	frame       = 100 * time.Millisecond
	second      = time.Second
	settled     = 50 * time.Millisecond
	noticeStays = 20 * time.Second
)

type (
	tickMsg    time.Time
	settledMsg struct{}
	noShellMsg struct{}
)

func (m *Model) tick() tea.Cmd {
	return m.worker.after(second, func() tea.Msg { return tickMsg(time.Now()) })
}
