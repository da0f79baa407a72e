//go:build !windows

package tui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// errDump has asked for the stacks of all goroutines.
var errDump = errors.New("asked to quit with a dump")

// jobControl is what a shell and people do with a process by signals, other than to end it in order.
type jobControl struct{ signals chan os.Signal }

func newJobControl() jobControl { return jobControl{make(chan os.Signal, 1)} }

// filter sees messages before the model does. While the process is being stopped, the signal that stops it must do that.
func (j jobControl) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg.(type) {
	case tea.SuspendMsg:
		signal.Reset(syscall.SIGTSTP)
	case tea.ResumeMsg:
		signal.Notify(j.signals, syscall.SIGTSTP)
	}
	return msg
}

// watch puts the terminal in order before a signal stops the process, and before one has it dump its stacks.
func (j jobControl) watch(send func(tea.Msg), stop context.CancelCauseFunc) (release func()) {
	signal.Notify(j.signals, syscall.SIGTSTP, syscall.SIGQUIT)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			case s := <-j.signals:
				if s == syscall.SIGQUIT {
					stop(errDump)
					return
				}
				send(tea.SuspendMsg{})
			}
		}
	}()
	return func() {
		signal.Stop(j.signals)
		close(over)
		<-ended
	}
}

// dump ends the process as SIGQUIT ends any program of Go: with the stacks of all goroutines.
func dump() error {
	signal.Reset(syscall.SIGQUIT)
	if err := syscall.Kill(syscall.Getpid(), syscall.SIGQUIT); err == nil {
		<-time.After(time.Minute) // it ends long before
	}
	return errDump
}
