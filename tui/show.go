package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "github.com/charmbracelet/bubbletea"
)

// frames is how often a second the screen is drawn at most: fast enough for keys that are held down. What is new comes less often.
const frames = 30

// Show shows a program on a terminal until it quits. build makes it, with what brings a text to the clipboard; wait returns
// when all that the program has begun has ended. Show returns after that, with the terminal as it was: also when ctx ends,
// with its error, when the terminal goes, with [ErrHungUp], and after a fault, with [ErrFailed].
func Show(ctx context.Context, t Terminal, build func(ctx context.Context, clip func(text string) error) (m tea.Model, wait func())) error {
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &output{File: t.Out}
	restore, err := restorer(t)
	if err != nil {
		return err
	}
	if t.Guard != nil {
		t.Guard(restore)
		defer t.Guard(nil)
	}
	m, wait := build(inner, func(text string) error { return copyTo(out, text, t.Env) })
	jobs := newJobControl()
	p := tea.NewProgram(m, tea.WithContext(inner), tea.WithInput(&input{File: t.In, gone: func() { stop(ErrHungUp) }}), tea.WithOutput(out),
		tea.WithAltScreen(), tea.WithFPS(frames), tea.WithoutSignalHandler(), tea.WithFilter(jobs.filter))
	release := jobs.watch(p.Send, stop)
	_, err = p.Run()
	release()
	cause := context.Cause(inner)
	stop(nil)
	wait()
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return ErrFailed
	case ctx.Err() != nil:
		return fmt.Errorf("show program: %w", context.Cause(ctx))
	case errors.Is(cause, errDump):
		return dump()
	case errors.Is(cause, ErrHungUp), errors.Is(err, io.EOF):
		return ErrHungUp
	case err != nil:
		return fmt.Errorf("show program: %w", err)
	}
	return nil
}
