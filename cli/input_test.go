package cli_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"kayra/cli"
	"kayra/cli/term"
)

// TestAnInterruptEndsAWaitForInput: a person who is asked for a body or a token can think better of it.
func TestAnInterruptEndsAWaitForInput(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"create catalog namespaces -d -", "create catalog namespaces -f -", "update catalog namespaces a -f -", "get catalog namespaces --token-file -",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			in, typed := io.Pipe()
			t.Cleanup(func() { _ = typed.Close() })
			ctx, cancel := context.WithCancel(t.Context())
			var errs bytes.Buffer
			code := cli.Run(ctx, cli.Process{
				Args:    append([]string{"kayra"}, strings.Fields(line)...),
				Streams: term.Streams{In: onRead{in, cancel}, Out: io.Discard, Err: &errs},
				Now:     time.Now,
			})
			if code != 130 || errs.String() != "kayra: interrupted\n" {
				t.Errorf("got %d %q, want exit code 130", code, errs.String())
			}
		})
	}
}

// onRead is a reader that says when it is first read from.
type onRead struct {
	io.Reader

	do func()
}

func (r onRead) Read(p []byte) (int, error) {
	r.do()
	return r.Reader.Read(p)
}
