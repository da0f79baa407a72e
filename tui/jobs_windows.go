package tui

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"
)

var errDump = errors.New("asked to quit with a dump")

// jobControl is nothing here: there are no such signals.
type jobControl struct{}

func newJobControl() *jobControl { return &jobControl{} }

func (*jobControl) filter(_ tea.Model, msg tea.Msg) tea.Msg { return msg }

func (*jobControl) watch(func(tea.Msg), context.CancelCauseFunc) (release func()) { return func() {} }

func dump() error { return errDump }
