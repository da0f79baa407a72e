// Package cli is Kayra's command line, and the one place where configuration, stores, server and reconciler are put
// together: it turns what package config read into the options of each of the others.
//
// Every verb has a file of its own. A verb parses its arguments into a small struct, and does its work in a method that
// a test can call. Nothing is opened, read or connected to before a verb needs it, so that help costs nothing.
package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"kayra/cli/quiet"
	"kayra/cli/term"
)

// clientName is the name under which the program is the client alone.
const clientName = "kayra-cli"

// Main runs the process's command line and gives its exit code. The first SIGINT, SIGTERM or SIGHUP, which the end of a
// terminal is, asks the command to end; a second one ends the process at once.
func Main() int {
	quiet.Restore()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	signals := make(chan os.Signal, 2) // one to ask, one to insist
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	p, screen := System(), &screenKeeper{}
	p.Guard = screen.guard
	go obey(signals, cancel, func() {
		screen.restore()
		os.Exit(int(codeInterrupted)) // whoever insists does not wait for anything
	})
	return Run(ctx, p)
}

// screenKeeper knows how a terminal is put back in order that a command draws on.
type screenKeeper struct {
	mu sync.Mutex
	do func() // nil: none is drawn on
}

func (k *screenKeeper) guard(restore func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.do = restore
}

func (k *screenKeeper) restore() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.do != nil {
		k.do()
	}
}

// obey asks at the first signal and insists at a second one. The same signal right behind the first is its echo, as of
// timeout(1), which signals a command and then its process group.
func obey(signals <-chan os.Signal, ask, insist func()) {
	const echo = 100 * time.Millisecond
	first := <-signals
	ask()
	asked := time.Now()
	for second := range signals {
		if second != first || time.Since(asked) > echo {
			insist()
			return
		}
	}
}

// Process is what a command line has from the outside.
type Process struct {
	Args    []string // with the program's name first
	Environ []string // as os.Environ
	Streams term.Streams
	Now     func() time.Time
	Guard   func(restore func()) // is told how the terminal is put back in order while one is drawn on, and nil afterwards; nil: nobody asks
}

// System is the process itself.
func System() Process {
	return Process{Args: os.Args, Environ: os.Environ(), Streams: term.System(), Now: time.Now}
}

// Run runs a command line and gives its exit code. It returns soon after ctx has ended.
func Run(ctx context.Context, p Process) int {
	e := newEnv(p)
	root := rootCommand(e, program(p.Args)) //nolint:contextcheck // a command has its context when it runs
	root.SetArgs(p.Args[1:])
	if asksForCompletion(p.Args) {
		e.completing(root) //nolint:contextcheck // likewise
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		e.warn()
		return int(codeDone)
	}
	if !e.running {
		err = misuse(err)
	}
	f := explain(ctx, err, e.place)
	if f.silent {
		e.warn()
		return int(f.code)
	}
	if f.misuse {
		f.hint = strings.TrimPrefix(fmt.Sprintf("%s; see `%s --help`", f.hint, cmd.CommandPath()), "; ")
	}
	return e.fail(f, wantsJSON(cmd, p.Args))
}

func program(args []string) string {
	if strings.TrimSuffix(filepath.Base(args[0]), ".exe") == clientName {
		return clientName
	}
	return "kayra"
}

// Command is the whole command tree, for what documents it.
func Command() *cobra.Command { return rootCommand(newEnv(Process{}), "kayra") }

// ClientCommand is the tree of the client alone, for what documents it.
func ClientCommand() *cobra.Command { return rootCommand(newEnv(Process{}), clientName) }
