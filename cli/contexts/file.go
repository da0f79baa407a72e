package contexts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

const (
	fileName = "contexts.yaml"
	maxFile  = 1 << 20
	maxLinks = 40

	lockPause    = 10 * time.Millisecond // between two tries of the lock
	lockPatience = 10 * time.Second

	private fs.FileMode = 0o600
	others  fs.FileMode = 0o077
)

// ErrNoPlace is that nothing says where the file would be.
var ErrNoPlace = errors.New("neither XDG_CONFIG_HOME nor HOME says where contexts are kept")

// File is where contexts are kept.
type File struct {
	Path     string
	Warn     func(text string) // called where somebody else could read the file
	Patience time.Duration     // how long a change waits for another one to end; 0: 10 s
}

// Place is the path of the user's own file: in $XDG_CONFIG_HOME/kayra if that is an absolute path, else in
// ~/.config/kayra, and without HOME, as on Windows, in %AppData%\kayra.
func Place(lookup func(name string) (string, bool)) (string, error) {
	if dir, _ := lookup("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kayra", fileName), nil
	}
	if home, _ := lookup("HOME"); home != "" {
		return filepath.Join(home, ".config", "kayra", fileName), nil
	}
	if dir, _ := lookup("AppData"); dir != "" {
		return filepath.Join(dir, "kayra", fileName), nil
	}
	return "", ErrNoPlace
}

// Read reads the file. One that is not there has no contexts. One that others may read is closed to them.
func (f File) Read() (*Contexts, error) {
	content, err := f.read()
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return &Contexts{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read contexts %q: %w", f.Path, withoutPath(err))
	}
	c, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("read contexts %q: %w", f.Path, err)
	}
	return c, nil
}

func (f File) read() (content []byte, err error) {
	info, err := os.Stat(f.Path)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it was
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	file, err := os.Open(f.Path)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it was
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	f.tighten(info)
	content, err = io.ReadAll(io.LimitReader(file, maxFile+1))
	if len(content) > maxFile {
		return nil, fmt.Errorf("is larger than %d MiB", maxFile>>20)
	}
	return content, err //nolint:wrapcheck // the caller says what it was
}

// tighten closes the file to others. Windows has no such mode.
func (f File) tighten(info fs.FileInfo) {
	if runtime.GOOS == "windows" || info.Mode()&others == 0 {
		return
	}
	text := "could be read by others, and is closed to them now: if it had tokens, have them replaced"
	if err := os.Chmod(f.Path, private); err != nil {
		text = fmt.Sprintf("can be read by others, and cannot be closed to them: %v", withoutPath(err))
	}
	f.Warn(fmt.Sprintf("%s has mode %#o: it %s", f.Path, info.Mode().Perm(), text))
}

// Change reads the file, lets fn change what is in it, and writes it, while others who want to change it wait. An error of
// fn, or a file that cannot be understood, leaves it as it is.
func (f File) Change(ctx context.Context, fn func(*Contexts) error) (err error) {
	path, err := target(f.Path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make folder for contexts: %w", err)
	}
	lock := flock.New(path+".lock", flock.SetPermissions(private))
	if err := f.take(ctx, lock); err != nil {
		return fmt.Errorf("lock contexts %q: %w", path, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	c, err := f.Read()
	if err != nil {
		return err
	}
	if err := fn(c); err != nil {
		return err
	}
	content, err := c.Encode()
	if err != nil {
		return fmt.Errorf("write contexts %q: %w", path, err)
	}
	if err := replace(path, content); err != nil {
		return fmt.Errorf("write contexts %q: %w", path, withoutPath(err))
	}
	return nil
}

// take waits for the lock, for as long as patience lasts.
func (f File) take(ctx context.Context, lock *flock.Flock) error {
	patience := cmp.Or(f.Patience, lockPatience)
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := lock.TryLockContext(patient, lockPause)
	if err != nil && patient.Err() != nil && ctx.Err() == nil {
		return fmt.Errorf("another process has held %s for %s: end it, or try again once it has ended", lock.Path(), patience)
	}
	return withoutPath(err)
}

// target is the file that a symbolic link stands for, also where that is not there yet.
func target(path string) (string, error) {
	for range maxLinks {
		link, err := os.Readlink(path)
		if err != nil { // is no link
			return path, nil //nolint:nilerr // what is wrong with it shows when it is used
		}
		if !filepath.IsAbs(link) {
			link = filepath.Dir(path) + string(filepath.Separator) + link // as it stands: ".." behind a link is not what is before it
		}
		path = link
	}
	return "", fmt.Errorf("write contexts %q: too many symbolic links", path)
}

// replace writes another file and renames it, so that no crash leaves half of one. The lock makes its name the caller's
// alone; what has it is the leftover of a crash.
func replace(path string, content []byte) error {
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err //nolint:wrapcheck // the caller says what it was
	}
	file, err := os.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, private)
	if err != nil {
		return err //nolint:wrapcheck // the caller says what it was
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(fresh))
	}
	return nil
}

// withoutPath drops the path that an error of the file system repeats.
func withoutPath(err error) error {
	if wrapped, ok := errors.AsType[*fs.PathError](err); ok {
		return wrapped.Err
	}
	return err
}
