package tui

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"kayra/tui/fleet"
)

// group are commands that run. None begins once it is closed.
type group struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
}

func (g *group) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.wg.Add(1)
	return true
}

// close returns when all commands have ended.
func (g *group) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.wg.Wait()
}

// worker runs what must not keep Update waiting.
type worker struct {
	do   func(fn func(ctx context.Context) tea.Msg) tea.Cmd
	stop context.CancelFunc // ends what runs
}

func newWorker(ctx context.Context, g *group) worker {
	ctx, cancel := context.WithCancel(ctx)
	return worker{stop: cancel, do: func(fn func(ctx context.Context) tea.Msg) tea.Cmd {
		return func() tea.Msg {
			if !g.enter() {
				return nil
			}
			defer g.wg.Done()
			return fn(ctx)
		}
	}}
}

// after gives a message when a time has passed.
func (w worker) after(d time.Duration, msg func() tea.Msg) tea.Cmd {
	return w.do(func(ctx context.Context) tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
			return msg()
		}
	})
}

// link is the connection that the dashboard shows, with what runs on it.
type link struct {
	Connection

	worker  worker
	updates chan []fleet.Update
	retry   chan struct{} // has a try made at once
}

// backlog is how many batches may wait to be taken.
const backlog = 4

func newLink(ctx context.Context, g *group, c Connection) *link {
	return &link{Connection: c, worker: newWorker(ctx, g), updates: make(chan []fleet.Update, backlog), retry: make(chan struct{}, 1)}
}

// Messages of a link. Those of one that is no longer shown are dropped.
type (
	newsMsg struct {
		from    *link
		updates []fleet.Update
	}
	endedMsg struct {
		from *link
		err  error
	}
	detailMsg struct {
		from           *link
		api, namespace string
		update         fleet.Update
		err            error
	}
	switchedMsg struct {
		from *link
		to   Connection
		name string
		err  error
	}
	actedMsg struct {
		from *link
		done string // what was done, as a sentence
		err  error
	}
)

// follow feeds the link's updates.
func (l *link) follow() tea.Cmd {
	return l.worker.do(func(ctx context.Context) tea.Msg {
		return endedMsg{l, l.Follow(ctx, l.updates, l.retry)}
	})
}

// next takes what is new, after a pause that keeps frames apart.
func (l *link) next(pause time.Duration) tea.Cmd {
	return l.worker.do(func(ctx context.Context) tea.Msg {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		select {
		case <-ctx.Done():
			return nil
		case updates := <-l.updates:
			return newsMsg{l, l.gather(updates)}
		}
	})
}

// gather adds what waits already.
func (l *link) gather(updates []fleet.Update) []fleet.Update {
	for range backlog {
		select {
		case more := <-l.updates:
			updates = append(slices.Clip(updates), more...)
		default:
			return updates
		}
	}
	return updates
}

// hurry has a try made at once.
func (l *link) hurry() {
	select {
	case l.retry <- struct{}{}:
	default:
	}
}

func (l *link) detail(api, namespace string) tea.Cmd {
	return l.worker.do(func(ctx context.Context) tea.Msg {
		update, err := l.Detail(ctx, api, namespace)
		return detailMsg{l, api, namespace, update, err}
	})
}

func (l *link) act(a Action, done string) tea.Cmd {
	return l.worker.do(func(ctx context.Context) tea.Msg {
		return actedMsg{l, done, l.Act(ctx, a)}
	})
}

func (l *link) switchTo(name string) tea.Cmd {
	return l.worker.do(func(ctx context.Context) tea.Msg {
		to, err := l.Switch(ctx, name)
		return switchedMsg{l, to, name, err}
	})
}
