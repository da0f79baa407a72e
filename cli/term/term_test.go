package term_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"kayra/cli/term"
)

func TestEscapeMakesControlsVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain text":          "plain text",
		"\x1b]0;owned\x07":    `\x1b]0;owned\a`,
		"a\nb\tc\rd":          `a\nb\tc\rd`,
		"\u009b31m":           `\u009b31m`,
		"\u202egnp.exe":       `\u202egnp.exe`,
		"caf\u00e9 \u4e16":    "caf\u00e9 \u4e16",
		"\xff\xfe":            `\xff\xfe`,
		`quotes " and \ stay`: `quotes " and \ stay`,
		"":                    "",
	} {
		if got := term.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWidthCountsCells(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"": 0, "abc": 3, "caf\u00e9": 4, "cafe\u0301": 4, "\u4e16\u754c": 4} {
		if got := term.Width(in); got != want {
			t.Errorf("Width(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestConfirmTakesOnlyYes(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]bool{"y\n": true, "YES\n": true, " yes ": true, "n\n": false, "\n": false, "": false, "yeah\n": false} {
		var asked bytes.Buffer
		s := term.Streams{In: strings.NewReader(in), Err: &asked}
		got, err := s.Confirm(t.Context(), "delete it?")
		if err != nil || got != want {
			t.Errorf("Confirm with %q = %v, %v, want %v", in, got, err, want)
		}
		if asked.String() != "delete it? [y/N] " {
			t.Errorf("asked %q", asked.String())
		}
	}
}

func TestConfirmEndsWithItsContext(t *testing.T) {
	t.Parallel()
	in, typed := io.Pipe()
	t.Cleanup(func() { _ = typed.Close() })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := term.Streams{In: in, Err: io.Discard}.Confirm(ctx, "?")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a cancellation", err)
	}
}

func TestASecretIsNotAskedForWithoutATerminal(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	for _, in := range []io.Reader{strings.NewReader("hunter2\n"), null} {
		var asked bytes.Buffer
		s := term.Streams{In: in, Err: &asked}
		if got, err := s.AskSecret(t.Context(), "token: "); got != "" || !errors.Is(err, term.ErrNoTerminal) || asked.Len() > 0 {
			t.Errorf("got %q, %v, asked %q", got, err, asked.String())
		}
	}
}
