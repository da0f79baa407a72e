// Package wizard is the canary wizard: which API, which namespaces, what would happen, then the canaries as they move, and the
// choice between releasing, leaving it pending and aborting.
//
// A [Model] is a step controller above small pages, one a step. It does no I/O: what takes time is a command, and what
// comes of it is applied when its message arrives. It is a program of its own, or part of another one, which hands on its
// messages and looks at [Model.Done]. [Ask] is the same in plain lines.
//
// Nothing is kept outside of the server: who comes back is shown what is pending.
package wizard

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
	"kayra/tui/theme"
)

// Options say what the wizard begins with.
type Options struct {
	API   string        // long name; "": it is asked for
	Place rollout.Place // of the commands that are shown
	Where string        // how the server is called, such as the name of its context
	Label string        // a warning about where this is, such as production; "": none

	Production bool // the label says production: a yes does not do there

	Contexts []Context                                                   // to choose from first; with fewer than two of them this one is taken
	Use      func(ctx context.Context, name string) (*Connection, error) // connects to a context; needed with Contexts

	Copy func(text string) tea.Cmd // brings a text to the clipboard; nil: there is none
	Now  func() time.Time          // nil: time.Now
}

// connection is the one that the wizard begins with.
func (o *Options) connection(e *rollout.Engine) Connection {
	return Connection{Engine: e, Place: o.Place, Where: o.Where, Label: o.Label, Production: o.Production}
}

// Context is a server that somebody can choose.
type Context struct{ Name, Server string }

// Connection is a server that was chosen.
type Connection struct {
	Engine *rollout.Engine
	Place  rollout.Place
	Where  string
	Label  string

	Production bool
}

// Model is the wizard. Its methods belong to one goroutine.
type Model struct {
	Connection

	theme   *theme.Theme
	options Options
	jobs    *jobs

	width, height int
	stack         []page // the steps so far; the last one is shown

	busy    string  // what is being done, and keys have to wait for; "": nothing
	sending bool    // what is being done cannot be called off
	turn    int     // of what is being done: an answer of another one is too late
	trouble error   // what has failed last
	again   tea.Cmd // tries it again
	notice  string  // what there is to say about the last key

	wrote   bool // something was changed
	unknown bool // something may have been changed
	outcome Outcome
	done    bool
}

// New makes a wizard that asks a server, until ctx ends or it is closed.
func New(ctx context.Context, e *rollout.Engine, t *theme.Theme, o Options) *Model {
	if o.Now == nil {
		o.Now = time.Now
	}
	const width, height = 80, 24
	m := &Model{
		Connection: o.connection(e),
		theme:      t, options: o, jobs: newJobs(ctx), width: width, height: height,
	}
	m.outcome.API = o.API
	return m
}

// SetSize says how many cells there are.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(width, 1), max(height, 1) }

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd {
	switch {
	case len(m.options.Contexts) > 1:
		m.push(newContexts(m))
		return nil
	case m.options.API != "":
		return m.open(m.options.API)
	}
	return m.openAPIs()
}

// Update implements [tea.Model]. Messages that are not for the wizard change nothing.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if msg.Width > 0 && msg.Height > 0 { // some terminals do not know
			m.SetSize(msg.Width, msg.Height)
		}
	case news:
		if msg.of == m && !m.done {
			return m, msg.apply()
		}
	case tea.KeyMsg:
		if !m.done {
			return m, m.key(msg)
		}
	}
	return m, nil
}

// Done tells whether the wizard has ended. Nothing more comes of it then.
func (m *Model) Done() bool { return m.done }

// Outcome is what has come of it.
func (m *Model) Outcome() Outcome { return m.outcome }

// Interrupt ends the wizard as Ctrl-C does.
func (m *Model) Interrupt() { m.end(true) }

// Close ends all that goes on, and waits for it.
func (m *Model) Close() { m.jobs.close() }

// key takes a key.
func (m *Model) key(k tea.KeyMsg) tea.Cmd {
	m.notice = ""
	switch {
	case k.Type == tea.KeyCtrlC:
		return m.end(true)
	case m.sending:
		return nil
	case m.busy != "" && k.Type == tea.KeyEsc:
		m.turn++
		m.busy = ""
		if len(m.stack) == 0 {
			return m.end(false)
		}
		return nil
	case m.busy != "":
		return nil
	case m.trouble != nil:
		return m.keyInTrouble(k)
	}
	return m.page().key(m, k)
}

func (m *Model) keyInTrouble(k tea.KeyMsg) tea.Cmd {
	again := m.again
	switch {
	case (k.String() == "r" || k.Type == tea.KeyEnter) && again != nil:
		m.trouble, m.again = nil, nil
		return again
	case k.Type == tea.KeyEsc || k.String() == "q":
		if len(m.stack) == 0 || m.unknown {
			return m.end(false)
		}
		m.trouble, m.again = nil, nil
	}
	return nil
}

// page is the step that is shown.
func (m *Model) page() page { return m.stack[len(m.stack)-1] }

func (m *Model) push(p page) { m.stack = append(m.stack, p) }

// back goes one step back, and keeps what was answered. From the first step it leaves the wizard.
func (m *Model) back() tea.Cmd {
	if len(m.stack) < 2 { //nolint:mnd // the first one
		return m.end(false)
	}
	m.stack = m.stack[:len(m.stack)-1]
	return nil
}

// begin makes a page the first one: there is no way back to what was before.
func (m *Model) begin(p page) {
	for _, old := range m.stack {
		if w, ok := old.(*watch); ok {
			w.stop()
		}
	}
	m.stack = []page{p}
}

// end ends the wizard. What it has begun at the server goes on.
func (m *Model) end(interrupted bool) tea.Cmd {
	if m.done {
		return nil
	}
	m.outcome.Interrupted, m.outcome.Place = interrupted, m.Place
	m.outcome.Wrote, m.outcome.Unknown = m.wrote, m.unknown || m.sending
	if m.trouble != nil {
		m.outcome.Err = m.trouble
	}
	m.done = true
	m.jobs.stop()
	return nil
}
