//go:build !windows

package tui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"
)

// errDump has asked for the stacks of all goroutines.
var errDump = errors.New("asked to quit with a dump")

// jobControl is what a shell and people do with a process by signals, other than to end it in order.
type jobControl struct {
	signals  chan os.Signal
	stopping atomic.Bool // Bubble Tea puts the terminal in order, and sends the next signal when that is done
}

func newJobControl() *jobControl { return &jobControl{signals: make(chan os.Signal, 1)} }

// filter sees messages before the model does.
func (j *jobControl) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, suspends := msg.(tea.SuspendMsg); suspends {
		if !hasShell() {
			return noShellMsg{}
		}
		j.stopping.Store(true)
	}
	return msg
}

// hasShell tells whether somebody waits for this process to stop. Nobody does for the first process of a session, as ssh and
// containers start it: it would wait for ever to be continued.
func hasShell() bool {
	session, err := unix.Getsid(0)
	return err != nil || session != os.Getpid()
}

// watch puts the terminal in order before a signal stops the process, and before one has it dump its stacks.
//
// Bubble Tea stops a process by SIGTSTP, after it has put the terminal in order. Here that signal is caught, since it may come from
// somewhere else, and Go gives a signal that was ever caught no default action again: what stops the process is SIGSTOP.
func (j *jobControl) watch(send func(tea.Msg), stop context.CancelCauseFunc) (release func()) {
	signal.Notify(j.signals, syscall.SIGTSTP, syscall.SIGQUIT)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				return
			case s := <-j.signals:
				switch {
				case s == syscall.SIGQUIT:
					stop(errDump)
					return
				case j.stopping.CompareAndSwap(true, false): // one signal alone: the next one may come as soon as it goes on
					_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // cannot fail
				default:
					send(tea.SuspendMsg{})
				}
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
	if err := syscall.Kill(os.Getpid(), syscall.SIGQUIT); err == nil {
		<-time.After(time.Minute) // it ends long before
	}
	return errDump
}
