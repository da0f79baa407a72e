// Package term is the terminal: the standard streams, whether a person sits at them, and how to ask that person.
package term

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Streams are the standard streams of a command. Data goes to Out; everything else, prompts too, goes to Err.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	Interactive bool // a person can be asked: In and Err are a terminal
	OutTTY      bool // Out is a terminal
	Color       bool // Out may be coloured
	Redraws     bool // Out is a terminal whose cursor can be moved

	Size func() (width, height int) // of the terminal that Out is, in cells as of now, 0 and 0 where none is; nil: likewise
}

// System is the process's own streams.
func System() Streams {
	out := isTerminal(os.Stdout)
	return Streams{
		In:          os.Stdin,
		Out:         os.Stdout,
		Err:         os.Stderr,
		Interactive: isTerminal(os.Stdin) && isTerminal(os.Stderr),
		OutTTY:      out,
		Color:       colored(os.Getenv, out),
		Redraws:     out && os.Getenv("TERM") != "dumb",
		Size:        func() (int, int) { return size(os.Stdout, out) },
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func size(f *os.File, tty bool) (width, height int) {
	if !tty {
		return 0, 0
	}
	width, height, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0, 0
	}
	return width, height
}

// OutSize is what Size says.
func (s Streams) OutSize() (width, height int) {
	if s.Size == nil {
		return 0, 0
	}
	return s.Size()
}

// colored tells whether what is written may be coloured: not under NO_COLOR, else under CLICOLOR_FORCE, else at a terminal
// that is not dumb, unless CLICOLOR is 0. See no-color.org and bixense.com/clicolors.
func colored(env func(string) string, tty bool) bool {
	switch force := env("CLICOLOR_FORCE"); {
	case env("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return tty && env("TERM") != "dumb" && env("CLICOLOR") != "0"
}

// Confirm asks a question that only y or yes affirms. It returns early, with the context's error, when ctx ends.
func (s Streams) Confirm(ctx context.Context, question string) (bool, error) {
	if _, err := fmt.Fprintf(s.Err, "%s [y/N] ", question); err != nil {
		return false, fmt.Errorf("ask: %w", err)
	}
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() { // outlives an interrupted Confirm: a read of a terminal cannot be called off
		line, err := bufio.NewReader(s.In).ReadString('\n')
		replies <- reply{line, err}
	}()
	select {
	case <-ctx.Done():
		return false, fmt.Errorf("ask: %w", context.Cause(ctx))
	case r := <-replies:
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return false, fmt.Errorf("read answer: %w", r.err)
		}
		answer := strings.ToLower(strings.TrimSpace(r.line))
		return answer == "y" || answer == "yes", nil
	}
}
