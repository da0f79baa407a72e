package pipeline

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"strings"
)

// mask stands where a value may not be shown.
const mask = "***"

// maxFile bounds a file that holds a secret.
const maxFile = 1 << 20

// secret is a text that no verb, encoder or logger shows. It is kept behind a pointer because fmt cannot call the methods
// of a value in an unexported field and would print its parts.
type secret struct{ text *string }

func conceal(text string) secret { return secret{&text} }

func (s secret) reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// Value is where a header's value comes from. It does not show the value in any way.
type Value struct {
	literal secret
	from    func(env) (string, error)
	origin  Origin
}

// Origin says where a value is found, which is no secret. The zero Origin is unknown.
type Origin struct {
	Env  string `json:"env,omitempty"`  // the variable
	File string `json:"file,omitempty"` // the path
}

// env finds an environment variable.
type env func(name string) (string, bool)

// Text is a value that stands in the configuration. It is a template.
func Text(template string) Value { return Value{literal: conceal(template)} }

// Env is the value of an environment variable.
func Env(name string) Value {
	return Value{from: func(lookup env) (string, error) { return lookup.read(name) }, origin: Origin{Env: name}}
}

// File is a file's content without the line break at its end. It is read for each request.
func File(path string) Value {
	return Value{from: func(env) (string, error) { return readFile(path) }, origin: Origin{File: path}}
}

// From is a value that is asked for before each request. The error must not contain the value. The origin is only shown.
func From(get func() (string, error), origin Origin) Value {
	return Value{from: func(env) (string, error) { return get() }, origin: origin}
}

// String does not give the value.
func (Value) String() string { return mask }

// GoString does not give the value.
func (Value) GoString() string { return mask }

// Format writes no part of the value, whatever the verb.
func (Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// MarshalText does not give the value.
func (Value) MarshalText() ([]byte, error) { return []byte(mask), nil }

// LogValue does not give the value.
func (Value) LogValue() slog.Value { return slog.StringValue(mask) }

// plainError is an error whose text holds nothing secret, so that it may be logged and stored.
type plainError string

func (e plainError) Error() string { return string(e) }

func (lookup env) read(name string) (string, error) {
	text, ok := lookup(name)
	switch {
	case !ok:
		return "", plainError(fmt.Sprintf("environment variable %s is not set", name))
	case text == "":
		return "", plainError(fmt.Sprintf("environment variable %s is empty", name))
	}
	return text, nil
}

func readFile(path string) (string, error) {
	text, err := readRegular(path)
	if err != nil {
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err
		}
		return "", plainError(fmt.Sprintf("read file %q: %v", path, err))
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	if text == "" {
		return "", plainError(fmt.Sprintf("file %q is empty", path))
	}
	return text, nil
}

// readRegular looks before it opens: opening a pipe would wait for its writer.
func readRegular(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err //nolint:wrapcheck // readFile says what was read
	case !info.Mode().IsRegular():
		return "", errors.New("not a regular file")
	case info.Size() > maxFile:
		return "", errors.New("larger than 1 MiB")
	}
	content, err := os.ReadFile(path)
	return string(content), err
}
