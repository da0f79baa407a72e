package tlsfiles

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

// file is a path, and the field that names it.
type file struct{ field, path string }

// group is files that belong together.
type group []file

// snapshot is what a group was at one time.
type snapshot struct {
	infos    []fs.FileInfo
	contents [][]byte
	settled  bool // no file had been written just before, when a further write could still leave the same time and size
}

// kept is what was made of a group of files, and is made anew when one of them changes.
type kept[T any] struct {
	files group
	log   *slog.Logger // nil: files that cannot be used are an error
	build func(contents [][]byte) (T, error)

	mu    sync.Mutex
	value T        // of the last files that could be used
	seen  snapshot // the last files that were read
	err   error    // why they cannot be used, or nil
	told  string   // what log was last told, or ""
}

func keep[T any](files group, log *slog.Logger, build func(contents [][]byte) (T, error)) (*kept[T], error) {
	k := &kept[T]{files: files, log: log, build: build}
	var err error
	if k.seen, err = files.read(); err != nil {
		return nil, err
	}
	if k.value, err = build(k.seen.contents); err != nil {
		return nil, err
	}
	return k, nil
}

// get gives what the files make now, or, if they cannot be used and there is a log to be told so, what they made before.
func (k *kept[T]) get() (T, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.look()
	if err == nil {
		k.told = ""
		return k.value, nil
	}
	if k.log == nil {
		var none T
		return none, err
	}
	if k.told != err.Error() {
		k.told = err.Error()
		k.log.Warn("changed TLS files cannot be used: the earlier ones stay in force", slog.Any("error", err))
	}
	return k.value, nil
}

func (k *kept[T]) look() error {
	infos, err := k.files.stat()
	if err != nil {
		k.seen.infos = nil // so that they are read when they are back
		return err
	}
	if k.seen.settled && unchanged(k.seen.infos, infos) {
		return k.err
	}
	now, err := k.files.read()
	if err != nil {
		return err
	}
	before := k.seen
	k.seen = now
	if slices.EqualFunc(before.contents, now.contents, bytes.Equal) {
		return k.err
	}
	value, err := k.build(now.contents)
	if k.err = err; err != nil {
		return err
	}
	k.value = value
	if k.log != nil {
		k.log.Info("changed TLS files are in force", slog.String(k.files[0].field, k.files[0].path))
	}
	return nil
}

// read gives the files as they were together: it reads again those that were replaced meanwhile.
func (g group) read() (snapshot, error) {
	const tries, settling = 3, 2 * time.Second
	var s snapshot
	for range tries {
		began := time.Now()
		infos, err := g.stat()
		if err != nil {
			return s, err
		}
		s = snapshot{infos: infos, settled: true}
		for i, f := range g {
			content, err := os.ReadFile(f.path)
			if err != nil {
				return s, f.unreadable(err)
			}
			s.contents = append(s.contents, content)
			s.settled = s.settled && began.Sub(infos[i].ModTime()) > settling
		}
		if infos, err = g.stat(); err == nil && unchanged(s.infos, infos) {
			return s, nil
		}
	}
	s.settled = false
	return s, nil
}

func (g group) stat() ([]fs.FileInfo, error) {
	infos := make([]fs.FileInfo, len(g))
	for i, f := range g {
		var err error
		if infos[i], err = os.Stat(f.path); err != nil {
			return nil, f.unreadable(err)
		}
	}
	return infos, nil
}

func unchanged(before, now []fs.FileInfo) bool {
	return slices.EqualFunc(before, now, func(a, b fs.FileInfo) bool {
		return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
	})
}

func (f file) unreadable(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		err = at.Err
	}
	return &Error{f.field, fmt.Sprintf("read %q: %v", f.path, err)}
}
