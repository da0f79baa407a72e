package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Errors of AskSecret, to be tested with [errors.Is].
var (
	ErrNoTerminal  = errors.New("the standard input is no terminal")
	ErrInterrupted = errors.New("interrupted")
)

// maxSecret bounds what is typed, in bytes. A terminal by itself would give no more than 4 KiB of a line.
const maxSecret = 64 << 10

// What a terminal in raw mode sends, or puts around what is pasted.
const (
	interrupt, endOfInput, quit = 0x03, 0x04, 0x1c
	backspace, erase, killLine  = 0x08, 0x7f, 0x15

	pasteStart, pasteEnd = "\x1b[200~", "\x1b[201~"
)

// InTTY tells that somebody at a terminal would have to type what is read from In.
func (s Streams) InTTY() bool {
	f, ok := s.In.(*os.File)
	return ok && isTerminal(f)
}

// AskSecret asks for a line and does not show what is typed. Ctrl-C is ErrInterrupted, and the end of ctx is ctx's error.
// However it ends, the terminal is left as it was found.
func (s Streams) AskSecret(ctx context.Context, prompt string) (string, error) {
	if !s.InTTY() {
		return "", ErrNoTerminal
	}
	fd := int(s.In.(*os.File).Fd()) //nolint:forcetypeassert // InTTY has tried it
	was, err := term.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("silence terminal: %w", err)
	}
	defer term.Restore(fd, was) //nolint:errcheck // nothing is left to be done about it
	if _, err := fmt.Fprint(s.Err, prompt); err != nil {
		return "", fmt.Errorf("ask: %w", err)
	}
	defer fmt.Fprint(s.Err, "\r\n") //nolint:errcheck // for the looks
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() { // outlives an interrupted wait: a read of a terminal cannot be called off
		line, err := readHidden(s.In)
		replies <- reply{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", fmt.Errorf("ask: %w", context.Cause(ctx))
	case r := <-replies:
		return r.line, r.err
	}
}

// readHidden reads a line of a terminal that edits nothing by itself.
func readHidden(in io.Reader) (string, error) {
	var line []byte
	for b := make([]byte, 1); ; {
		n, err := in.Read(b)
		if n == 0 && err == nil {
			continue
		}
		if n == 0 && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read answer: %w", err)
		}
		switch c := b[0]; {
		case n == 0, c == '\r', c == '\n', c == endOfInput:
			return strings.NewReplacer(pasteStart, "", pasteEnd, "").Replace(string(line)), nil
		case c == interrupt, c == quit:
			return "", ErrInterrupted
		case c == killLine:
			line = line[:0]
		case c == backspace, c == erase:
			line = line[:max(0, len(line)-1)]
		case len(line) == maxSecret:
			return "", fmt.Errorf("what was typed is longer than %d bytes", maxSecret)
		default:
			line = append(line, c)
		}
	}
}
