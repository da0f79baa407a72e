package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// file is appended to. Once it was renamed or removed, as programs that rotate logs do, what follows goes to a new one.
type file struct {
	path    string
	current *os.File
	torn    bool // the last line stands there in part
}

// open opens the file for appending. It refuses what is not a file, since to open a pipe may take forever.
func (f *file) open() error {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("open audit: %w", err)
	case !info.Mode().IsRegular() && info.Mode()&fs.ModeCharDevice == 0:
		return fmt.Errorf("open audit: %s is not a file", f.path)
	}
	const ownerOnly = 0o600
	f.torn = false
	f.current, err = os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, ownerOnly)
	if err != nil {
		return fmt.Errorf("open audit: %w", err)
	}
	return nil
}

// Write writes a line at once.
func (f *file) Write(line []byte) (int, error) {
	if !f.stands() {
		_ = f.close() // what was written stays
		if err := f.open(); err != nil {
			return 0, err
		}
	}
	if f.torn {
		line = append([]byte("\n"), line...)
	}
	n, err := f.current.Write(line)
	if err != nil {
		f.torn = f.torn || n > 0
		return 0, fmt.Errorf("write audit: %w", err)
	}
	f.torn = false
	return len(line), nil
}

// stands tells whether the file that is open is the one at the path.
func (f *file) stands() bool {
	if f.current == nil {
		return false
	}
	is, err := f.current.Stat()
	if err != nil {
		return false
	}
	at, err := os.Stat(f.path)
	return err == nil && os.SameFile(is, at)
}

func (f *file) close() error {
	if f.current == nil {
		return nil
	}
	err := f.current.Close()
	f.current = nil
	if err != nil {
		return fmt.Errorf("close audit: %w", err)
	}
	return nil
}
