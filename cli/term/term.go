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
}

// System is the process's own streams. Colour needs a terminal, and that NO_COLOR is not set.
func System() Streams {
	out := isTerminal(os.Stdout)
	return Streams{
		In:          os.Stdin,
		Out:         os.Stdout,
		Err:         os.Stderr,
		Interactive: isTerminal(os.Stdin) && isTerminal(os.Stderr),
		OutTTY:      out,
		Color:       out && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

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
