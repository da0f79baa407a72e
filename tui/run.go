package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/term"

	"kayra/tui/theme"
)

// ErrHungUp is the end of a terminal.
var ErrHungUp = errors.New("the terminal has gone")

// ErrFailed is a fault of the dashboard's own.
var ErrFailed = errors.New("the dashboard has failed: what it was doing stands above")

// Terminal is where the dashboard is shown.
type Terminal struct {
	In, Out *os.File
	Env     theme.Lookup

	// Guard is told how the terminal is put back in order, for those who end the process before Run has returned; and of nil
	// when that is no longer needed. It may be nil.
	Guard func(restore func())
}

// Check tells whether the dashboard can be shown on a terminal. Its error is for the person who has asked for it.
func (t Terminal) Check() error {
	const instead = "`kayra top --once` prints what there is once"
	switch {
	case !isTerminal(t.In):
		return fmt.Errorf("the dashboard is for a terminal, and the standard input is none: %s", instead)
	case !isTerminal(t.Out):
		return fmt.Errorf("the dashboard is for a terminal, and the standard output is none: %s", instead)
	case theme.Plain(t.Env):
		term, _ := t.Env("TERM")
		return fmt.Errorf("the dashboard cannot be drawn on a terminal whose TERM is %q: %s", term, instead)
	}
	return nil
}

func isTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }

// Run shows the dashboard until somebody quits it. It returns when all that it has begun has ended, with the terminal as it was:
// also when ctx ends, with its error, when the terminal goes, with [ErrHungUp], and after a fault, with [ErrFailed].
func Run(ctx context.Context, o Options, t Terminal) error {
	if err := t.Check(); err != nil {
		return err
	}
	var m *Model
	err := Show(ctx, t, func(ctx context.Context, clip func(string) error) (tea.Model, func()) {
		if o.Copy == nil {
			o.Copy = clip
		}
		var wait func()
		m, wait = New(ctx, o)
		return m, wait
	})
	if errors.Is(err, ErrHungUp) && m.Quit() {
		return nil
	}
	return err
}

// ordinary ends whatever a dashboard has begun on a terminal: another screen, a hidden cursor, the mouse, marks around what is pasted.
const ordinary = "\x1b[?1003l\x1b[?1002l\x1b[?1006l\x1b[?2004l\x1b[?1049l\x1b[?25h\x1b[0m"

// restorer gives what puts a terminal back as it is now.
func restorer(t Terminal) (func(), error) {
	in := int(t.In.Fd())
	was, err := term.GetState(in)
	if err != nil {
		return nil, fmt.Errorf("look at terminal: %w", err)
	}
	return func() {
		_, _ = io.WriteString(t.Out, ordinary) // nothing is left to be done about it
		_ = term.Restore(in, was)              // likewise
	}, nil
}
