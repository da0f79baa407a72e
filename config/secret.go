package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"strings"
)

// mask stands where a secret would.
const mask = "********"

// The forms that a secret is given in, named as in the file.
const (
	fromText   = "text"
	fromEnv    = "env"
	fromFile   = "file"
	fromSHA256 = "sha256"
)

// Secret knows where a secret comes from. However it is printed, encoded or logged, it shows as a mask; only Reveal,
// Literal and SHA256 give more. The zero Secret is one that was not given.
type Secret struct {
	// A function, because nothing can look inside one: fmt prints what lies behind a pointer, and does not call Format on
	// a Secret that it finds in an unexported field.
	from func() origin
}

type origin struct {
	form string
	ref  string // the secret itself, the variable, the path or the digest
}

func newSecret(form, ref string) Secret {
	return Secret{from: func() origin { return origin{form: form, ref: ref} }}
}

// SecretOf hides a text that came from elsewhere than a configuration. No text is the zero Secret.
func SecretOf(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return newSecret(fromText, text)
}

// IsZero reports that no secret was given.
func (s Secret) IsZero() bool { return s.from == nil }

// Literal gives the text of a secret that stands in the configuration itself.
func (s Secret) Literal() (string, bool) { return s.as(fromText) }

// SHA256 gives the digest, 32 bytes, of a secret that is known by its digest alone.
func (s Secret) SHA256() ([]byte, bool) {
	text, ok := s.as(fromSHA256)
	if !ok {
		return nil, false
	}
	digest, err := hex.DecodeString(text)
	return digest, err == nil
}

// as gives what the secret holds if it is of the form, and nothing otherwise.
func (s Secret) as(form string) (string, bool) {
	if s.from == nil {
		return "", false
	}
	if from := s.from(); from.form == form {
		return from.ref, true
	}
	return "", false
}

// Reveal gives the secret: the text, the variable's value as lookup finds it ([os.LookupEnv]), or the file's content
// without its last line break. Its errors name the variable or the file, never a value. A variable or a file that is
// missing or empty is an error, and so is a secret known by its digest alone. The zero Secret reveals "".
func (s Secret) Reveal(lookup func(name string) (string, bool)) (string, error) {
	if s.from == nil {
		return "", nil
	}
	switch from := s.from(); from.form {
	case fromEnv:
		return revealEnv(from.ref, lookup)
	case fromFile:
		return revealFile(from.ref)
	case fromSHA256:
		return "", errors.New("only the SHA-256 of the secret is known")
	default:
		return from.ref, nil
	}
}

func revealEnv(name string, lookup func(string) (string, bool)) (string, error) {
	text, ok := lookup(name)
	if !ok {
		return "", fmt.Errorf("environment variable %s is not set", name)
	}
	if text == "" {
		return "", fmt.Errorf("environment variable %s is empty", name)
	}
	return text, nil
}

func revealFile(path string) (string, error) {
	content, err := read(path, maxSecret)
	if err != nil {
		return "", fmt.Errorf("read secret file %q: %w", path, withoutPath(err))
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(content), "\n"), "\r")
	if text == "" {
		return "", fmt.Errorf("secret file %q is empty", path)
	}
	return text, nil
}

// withoutPath drops the path that an error of the file system repeats.
func withoutPath(err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped.Err
	}
	return err
}

// String gives a mask.
func (s Secret) String() string { return mask }

// GoString gives a mask.
func (s Secret) GoString() string { return mask }

// Format writes a mask, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

// MarshalText gives a mask.
func (s Secret) MarshalText() ([]byte, error) { return []byte(mask), nil }

// MarshalJSON gives a mask.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + mask + `"`), nil }

// MarshalYAML gives a mask.
func (s Secret) MarshalYAML() (any, error) { return mask, nil }

// LogValue gives a mask.
func (s Secret) LogValue() slog.Value { return slog.StringValue(mask) }
