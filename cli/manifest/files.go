package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Stdin is the path that stands for the standard input.
const Stdin = "-"

// extensions are those of the files that are taken from a directory.
func extensions() []string { return []string{".yaml", ".yml", ".json"} }

// Files are the files that the paths stand for, each once: a directory stands for its files of YAML and JSON, by name, and
// recursively for those in the directories within it. Links to directories are not followed there. It fails for a path that
// is not there, and for a directory that has no such file.
func Files(paths []string, recursive bool) ([]string, error) {
	var files []string
	seen := map[string]bool{}
	for _, path := range paths {
		found, err := filesOf(path, recursive)
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			if !seen[file] {
				seen[file] = true
				files = append(files, file)
			}
		}
	}
	return files, nil
}

func filesOf(path string, recursive bool) ([]string, error) {
	if path == Stdin {
		return []string{path}, nil
	}
	if path == "" {
		return nil, errors.New("a file without a name cannot be read")
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("look for files: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	files, err := within(path, recursive)
	if err != nil {
		return nil, fmt.Errorf("look for files: %w", err)
	}
	if len(files) == 0 && !recursive {
		return nil, fmt.Errorf("directory %s has no file that ends in .yaml, .yml or .json; -R looks into those within it, too", path)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("directory %s has no file that ends in .yaml, .yml or .json", path)
	}
	return files, nil
}

func within(dir string, recursive bool) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && !recursive:
			return fs.SkipDir
		case entry.IsDir() || !slices.Contains(extensions(), filepath.Ext(path)):
			return nil
		}
		info, err := os.Stat(path) // of what a link points to
		if err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
		return err //nolint:wrapcheck // names the file
	})
	return files, err //nolint:wrapcheck // names the file
}
