package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kayra/cli/printer"
	"kayra/cli/term"
	"kayra/store"
	"kayra/store/catalog"
	"kayra/store/etcd"
)

// code is the exit code of the process.
type code int

// The codes are promised to scripts.
const (
	codeDone        code = 0
	codeFailed      code = 1
	codeUsage       code = 2 // the arguments or the configuration are wrong
	codeDenied      code = 3
	codeNotFound    code = 4
	codeConflict    code = 5
	codeUnreachable code = 6
	codeTimeout     code = 7
	codeSyncFailed  code = 8 // the sync that was asked about ended in error
	codeInterrupted code = 130
)

func (c code) reason() string {
	switch c {
	case codeDone:
		return "done"
	case codeFailed:
		return "failed"
	case codeUsage:
		return "usage"
	case codeDenied:
		return "denied"
	case codeNotFound:
		return "not_found"
	case codeConflict:
		return "conflict"
	case codeUnreachable:
		return "unreachable"
	case codeTimeout:
		return "timeout"
	case codeSyncFailed:
		return "sync_failed"
	case codeInterrupted:
		return "interrupted"
	}
	return "failed"
}

// failure is an error as the user sees it.
type failure struct {
	code    code
	status  int    // of the HTTP answer, or 0
	misuse  bool   // the command's help would have helped
	silent  bool   // the command has said it all, on its standard output
	message string // what is wrong; a line for each mistake
	hint    string // what to do about it, or ""
	err     error  // what it is made of, or nil

	requestID string    // under which the server's log has more, or ""
	blockers  []blocker // what is in the way
}

func (f *failure) Error() string { return f.message }
func (f *failure) Unwrap() error { return f.err }

func usage(hint, format string, args ...any) error {
	return &failure{code: codeUsage, misuse: true, message: fmt.Sprintf(format, args...), hint: hint}
}

// misuse is the failure of a command that was not run, since its arguments are wrong.
func misuse(err error) error {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	return &failure{code: codeUsage, misuse: true, message: err.Error(), err: err}
}

// explain finds out what an error means for the user. A command that fails once ctx has ended was interrupted. The place is
// what the command spoke to, or nil.
func explain(ctx context.Context, err error, at *place) *failure {
	if ctx.Err() != nil {
		return &failure{code: codeInterrupted, message: "interrupted", err: err}
	}
	return meaningOf(err, at)
}

// meaningOf is what an error means that nobody has asked for.
func meaningOf(err error, at *place) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	f := &failure{code: codeFailed, message: err.Error(), err: err}
	switch {
	case errors.Is(err, catalog.ErrNotFound):
		f.code = codeNotFound
	case errors.Is(err, catalog.ErrConflict), errors.Is(err, catalog.ErrPrecondition):
		f.code = codeConflict
	case errors.Is(err, store.ErrUnavailable):
		f.code, f.hint = codeUnreachable, "database in kayra.yaml says where the store is; is it running?"
	case errors.Is(err, etcd.ErrDenied):
		f.code, f.hint = codeDenied, "database.etcd.username and database.etcd.password_file say who asks; the user needs a role that may read and write what begins with database.etcd.prefix"
	}
	explainAnswer(f, at)
	return f
}

// fail tells the user, and gives the exit code.
func (e *env) fail(f *failure, asJSON bool) int {
	f.message, f.hint = masked(f.message, e.secret), masked(f.hint, e.secret)
	if asJSON {
		e.tellJSON(f)
		return int(f.code)
	}
	message := strings.TrimSpace(f.message)
	if len(f.blockers) > 0 {
		message += ":"
	}
	for line := range strings.SplitSeq(message, "\n") {
		e.tell("kayra: %s", term.Escape(strings.TrimSpace(line)))
	}
	for _, b := range f.blockers[:min(len(f.blockers), shownBlockers)] {
		e.tell("  %s", term.Escape(b.String()))
	}
	if more := len(f.blockers) - shownBlockers; more > 0 {
		e.tell("  and %d more", more)
	}
	if f.hint != "" {
		e.tell("hint: %s", term.Escape(f.hint))
	}
	return int(f.code)
}

func (e *env) tellJSON(f *failure) {
	line, err := json.Marshal(struct {
		Code      int       `json:"code"`
		Status    int       `json:"status,omitempty"`
		Reason    string    `json:"reason"`
		Message   string    `json:"message"`
		Hint      string    `json:"hint,omitempty"`
		RequestID string    `json:"request_id,omitempty"`
		BlockedBy []blocker `json:"blocked_by,omitempty"`
		Warnings  []string  `json:"warnings,omitempty"`
	}{int(f.code), f.status, f.code.reason(), f.message, f.hint, f.requestID, f.blockers, e.warnings})
	_, _ = fmt.Fprintln(e.streams.Err, cmp.Or(string(line), fmt.Sprint(err))) // masked before it was JSON
}

// wantsJSON tells whether a command was to show JSON, also where its arguments are wrong in other ways.
func wantsJSON(cmd *cobra.Command, args []string) bool {
	if f := cmd.Flag("output"); f != nil && f.Changed {
		return f.Value.String() == string(printer.JSON)
	}
	asked := false
	for i, arg := range args {
		if arg == "--" {
			break
		}
		before := ""
		if i > 0 {
			before = args[i-1]
		}
		if value, is := outputIn(before, arg); is {
			asked = value == string(printer.JSON)
		}
	}
	return asked
}

// outputIn is the value that an argument, or with the one before it, gives --output.
func outputIn(before, arg string) (value string, is bool) {
	if before == "--output" || isOutputShorthand(before) {
		return arg, true
	}
	if value, is = strings.CutPrefix(arg, "--output="); is {
		return value, true
	}
	flags, value, is := strings.Cut(arg, "o")
	if is && value != "" && isOutputShorthand(flags+"o") {
		return strings.TrimPrefix(value, "="), true
	}
	return "", false
}

// isOutputShorthand tells -o, and the shorthands of switches with o as the last one.
func isOutputShorthand(arg string) bool {
	const switches = "Awqy"
	flags, is := strings.CutPrefix(arg, "-")
	flags, last := strings.CutSuffix(flags, "o")
	return is && last && strings.Trim(flags, switches) == ""
}
