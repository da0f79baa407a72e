package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	fileName  = "kayra.yaml"
	systemDir = "/etc/kayra"
	maxFile   = 16 << 20
	maxSecret = 1 << 20
)

// source is the file that was found; its path is "" when there is none.
type source struct {
	path    string
	content []byte
	closed  string // the file of the whole machine, if it was found and this user may not read it
}

// find reads the file that is named, or else the first that is there. One that is named must be there. The file of the
// whole machine is that of its services: to whom it is closed, it is as if there were none.
func find(o Options, env map[string]string) (source, error) {
	if o.Path != "" {
		return readNamed(o, o.Path, "--config")
	}
	if path := env["KAYRA_CONFIG"]; path != "" {
		return readNamed(o, path, "KAYRA_CONFIG")
	}
	all := places(o, env)
	for i, path := range all {
		content, err := read(path, maxFile)
		if err == nil {
			return source{path: path, content: content}, nil
		}
		if i == len(all)-1 && errors.Is(err, fs.ErrPermission) {
			return source{closed: path}, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			return source{}, fmt.Errorf("read configuration %q: %w", path, withoutPath(err))
		}
	}
	return source{}, nil
}

func readNamed(o Options, path, by string) (source, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	content, err := read(path, maxFile)
	if err != nil {
		return source{}, fmt.Errorf("read configuration %q named by %s: %w", path, by, withoutPath(err))
	}
	return source{path: path, content: content}, nil
}

// places are where a file is looked for when none is named, in order.
func places(o Options, env map[string]string) []string {
	all := []string{filepath.Join(o.Dir, fileName)}
	switch {
	case filepath.IsAbs(env["XDG_CONFIG_HOME"]):
		all = append(all, filepath.Join(env["XDG_CONFIG_HOME"], "kayra", fileName))
	case env["HOME"] != "":
		all = append(all, filepath.Join(env["HOME"], ".config", "kayra", fileName))
	}
	system := o.SystemDir
	if system == "" {
		system = systemDir
	}
	return append(all, filepath.Join(system, fileName))
}

// read reads a file of at most so many bytes. What is larger, such as a device, is not read to its end.
func read(path string, most int64) (content []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says what it was
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err = io.ReadAll(io.LimitReader(f, most+1))
	if int64(len(content)) > most {
		return nil, fmt.Errorf("larger than %d MiB", most>>20)
	}
	return content, err //nolint:wrapcheck // the caller says what it was
}
