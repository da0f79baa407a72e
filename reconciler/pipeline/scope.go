package pipeline

import (
	"fmt"
	"strings"
)

// taint says which values a text was made of.
type taint uint8

const (
	fromSubscription taint = 1 << iota
	fromOutput
	fromSecret
)

// hidden reports that the text may not be shown.
func (t taint) hidden() bool { return t&(fromOutput|fromSecret) != 0 }

// span is a piece of rendered text and its origin.
type span struct {
	text string
	from taint
}

// maxRendered bounds what one template may produce.
const maxRendered = 1 << 20

// previous is what a step sees of the one before.
type previous struct {
	Outputs map[string]string
	giver   site // that gave the outputs
}

// scope is what one template sees as $, and collects what it produces. Its methods are for the calls that the checker
// writes into a template; a template itself cannot name them.
type scope struct {
	Subscription Subscription
	Previous     previous

	lookup env
	sample bool // secrets are not read, something stands in for them
	spans  []span
	size   int
}

// Write takes the literal parts.
func (s *scope) Write(p []byte) (int, error) {
	if err := s.add(string(p), 0); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Emit takes a value that would be printed, and gives the template nothing to print.
func (s *scope) Emit(from taint, value any) (string, error) {
	return "", s.add(fmt.Sprint(value), from)
}

func (s *scope) add(text string, from taint) error {
	if s.size += len(text); s.size > maxRendered {
		return plainError("produces more than 1 MiB")
	}
	if text != "" || from != 0 {
		s.spans = append(s.spans, span{text, from})
	}
	return nil
}

// Env reads an environment variable.
func (s *scope) Env(name string) (string, error) {
	if s.sample {
		return sampleText, nil
	}
	return s.lookup.read(name)
}

// File reads a file.
func (s *scope) File(path string) (string, error) {
	if s.sample {
		return sampleText, nil
	}
	return readFile(path)
}

// take gives the spans collected so far and begins anew.
func (s *scope) take() []span {
	spans := s.spans
	s.spans, s.size = nil, 0
	return spans
}

// plain is the text as it is sent.
func plain(spans []span) string {
	if len(spans) == 1 {
		return spans[0].text
	}
	var b strings.Builder
	for _, sp := range spans {
		b.WriteString(sp.text)
	}
	return b.String()
}
