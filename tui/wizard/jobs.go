package wizard

import (
	"context"
	"sync"

	tea "github.com/charmbracelet/bubbletea"
)

// jobs are what goes on away from the goroutine that the wizard belongs to.
type jobs struct {
	derive func() (context.Context, context.CancelFunc)
	stop   context.CancelFunc

	mutex  sync.Mutex
	closed bool
	going  sync.WaitGroup
}

func newJobs(ctx context.Context) *jobs {
	ctx, stop := context.WithCancel(ctx)
	return &jobs{derive: func() (context.Context, context.CancelFunc) { return context.WithCancel(ctx) }, stop: stop}
}

// run makes a command of something that takes time, and the way to call it off.
func (j *jobs) run(do func(ctx context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
	ctx, stop := j.derive()
	return func() tea.Msg {
		if !j.enter() {
			return nil
		}
		defer j.going.Done()
		defer stop()
		return do(ctx)
	}, stop
}

func (j *jobs) enter() bool {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if !j.closed {
		j.going.Add(1)
	}
	return !j.closed
}

func (j *jobs) close() {
	j.stop()
	j.mutex.Lock()
	j.closed = true
	j.mutex.Unlock()
	j.going.Wait()
}

// news is a message to a wizard.
type news struct {
	of    *Model
	apply func() tea.Cmd
}

// ask does something that keys have to wait for. What it returns is applied, unless it was called off meanwhile.
func (m *Model) ask(what string, do func(ctx context.Context) func() tea.Cmd) tea.Cmd {
	m.turn++
	m.busy, m.trouble, m.again = what, nil, nil
	turn := m.turn
	cmd, _ := m.jobs.run(func(ctx context.Context) tea.Msg {
		apply := do(ctx)
		return news{m, func() tea.Cmd {
			if turn != m.turn {
				return nil
			}
			m.busy, m.sending = "", false
			return apply()
		}}
	})
	return cmd
}

// fail shows what has failed, and how it can be tried again.
func (m *Model) fail(err error, again func() tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd {
		m.trouble = err
		m.again = func() tea.Msg { return news{m, again} }
		return nil
	}
}
