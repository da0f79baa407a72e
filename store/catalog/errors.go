package catalog

import (
	"errors"
	"strings"
)

// Kinds of refusals, to be tested with [errors.Is] against what a [Repository] returns. Anything else it returns wraps an
// error of package store.
var (
	ErrInvalid      = errors.New("invalid")             // the request itself is wrong
	ErrNotFound     = errors.New("not found")           // what it names is not there
	ErrForbidden    = errors.New("forbidden")           // a registration does not let the namespace in
	ErrConflict     = errors.New("conflict")            // a rule between records forbids it now
	ErrPrecondition = errors.New("precondition failed") // what it names is not in the state that the caller expects
	ErrBusy         = errors.New("busy")                // too many others write what it names; to be tried again
)

// FieldError says what is wrong with one field of a request.
type FieldError struct {
	Pointer string // RFC 6901 JSON pointer into the body
	Detail  string // what is wrong, with what value, and what is allowed
}

// Error is a refusal. Nothing was changed.
type Error struct {
	Kind   error // one of ErrInvalid, ErrNotFound, ErrForbidden, ErrConflict, ErrPrecondition, ErrBusy
	Detail string
	Fields []FieldError // of ErrInvalid
}

func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Detail
	}
	parts := make([]string, 0, len(e.Fields))
	for _, f := range e.Fields {
		parts = append(parts, f.Pointer+": "+f.Detail)
	}
	return e.Detail + ": " + strings.Join(parts, "; ")
}

func (e *Error) Unwrap() error { return e.Kind }
