package wizard

import (
	"context"
	"errors"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/rollout"
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

// background does something away from the wizard's goroutine, and has then take what has come of it. stop calls it off.
func background[T any](m *Model, do func(ctx context.Context) T, then func(T) tea.Cmd) (cmd tea.Cmd, stop context.CancelFunc) {
	return m.jobs.run(func(ctx context.Context) tea.Msg {
		result := do(ctx)
		return news{m, func() tea.Cmd { return then(result) }}
	})
}

// answer is what has come of a question.
type answer[T any] struct {
	is  T
	err error
}

// ask does something that keys have to wait for, and has then take what has come of it, unless it was called off meanwhile.
// Of what fails, the error is shown, and again tries it again.
func ask[T any](m *Model, what string, do func(ctx context.Context) (T, error), then func(T) tea.Cmd, again func() tea.Cmd) tea.Cmd {
	m.turn++
	m.busy, m.trouble, m.again = what, nil, nil
	turn := m.turn
	cmd, _ := background(m, func(ctx context.Context) answer[T] {
		is, err := do(ctx)
		return answer[T]{is, err}
	}, func(a answer[T]) tea.Cmd {
		if turn != m.turn {
			return nil
		}
		m.busy, m.sending = "", false
		if a.err != nil {
			return m.fail(a.err, again)
		}
		return then(a.is)
	})
	return cmd
}

// fail shows what has failed, and how it can be tried again.
func (m *Model) fail(err error, again func() tea.Cmd) tea.Cmd {
	if changed, ok := errors.AsType[*rollout.ChangedError](err); ok {
		m.outcome.Pending = changed.Now.Pending()
	}
	m.trouble = err
	m.again = func() tea.Msg { return news{m, again} }
	return nil
}
