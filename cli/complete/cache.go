package complete

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	fileName = "completion.json"

	life    = 10 * time.Second // of what is remembered
	maxFile = 4 << 20          // bytes
)

// Cache is a file with answers, each under a key of the caller's. Whatever is wrong with it, it is as if nothing were
// remembered. Of two processes that write at once the last one wins.
type Cache struct {
	Path string // "": nothing is remembered
	Now  func() time.Time
}

// Place is where the user's own file is: in $XDG_CACHE_HOME/kayra if that is an absolute path, else in ~/.cache/kayra, and
// without HOME, as on Windows, in %LocalAppData%\kayra. It is "" where nothing says where that is.
func Place(lookup func(name string) (string, bool)) string {
	if dir, _ := lookup("XDG_CACHE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "kayra", fileName)
	}
	if home, _ := lookup("HOME"); home != "" {
		return filepath.Join(home, ".cache", "kayra", fileName)
	}
	if dir, _ := lookup("LocalAppData"); dir != "" {
		return filepath.Join(dir, "kayra", fileName)
	}
	return ""
}

// entry is one answer.
type entry struct {
	At    time.Time       `json:"at"`
	Value json.RawMessage `json:"value"`
}

// Get reads what is remembered under a key into a value, and tells whether there is anything.
func (c Cache) Get(key string, value any) bool {
	e, ok := c.read()[key]
	return ok && json.Unmarshal(e.Value, value) == nil
}

// Put remembers a value. It forgets what is out of date by then, so that the file stays small.
func (c Cache) Put(key string, value any) {
	encoded, err := json.Marshal(value)
	if err != nil || c.Path == "" {
		return
	}
	all := c.read()
	if all == nil {
		all = map[string]entry{}
	}
	all[key] = entry{At: c.Now(), Value: encoded}
	content, err := json.Marshal(all)
	if err != nil || len(content) > maxFile {
		return
	}
	_ = replace(c.Path, content) // asked again the next time
}

// read gives what is not out of date.
func (c Cache) read() map[string]entry {
	if c.Path == "" {
		return nil
	}
	if info, err := os.Stat(c.Path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := os.Open(c.Path)
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // only read from
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	var all map[string]entry
	if err != nil || json.Unmarshal(content, &all) != nil {
		return nil
	}
	for key, e := range all {
		if age := c.Now().Sub(e.At); age < 0 || age > life {
			delete(all, key)
		}
	}
	return all
}

// replace writes another file and renames it, so that nobody reads half of one. It makes the folder of a user's caches, but
// no home for a user who has none.
func replace(path string, content []byte) error {
	const private fs.FileMode = 0o700
	if _, err := os.Stat(filepath.Dir(filepath.Dir(filepath.Dir(path)))); err != nil {
		return err //nolint:wrapcheck // is told to nobody
	}
	if err := os.MkdirAll(filepath.Dir(path), private); err != nil {
		return err //nolint:wrapcheck // is told to nobody
	}
	file, err := os.CreateTemp(filepath.Dir(path), fileName+".*") // for the user alone
	if err != nil {
		return err //nolint:wrapcheck // is told to nobody
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}
