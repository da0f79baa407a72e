package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"kayra/store"
)

// How long the lock on the file beside the store is tried for: by a process that wants the session, which may meet one
// that is looking after a dead session, and by one that creates the store, which may meet another that does.
const (
	sessionPatience = 500 * time.Millisecond
	createPatience  = 5 * time.Second
)

// prepare returns the absolute path of a store of the right schema, which it creates if there is no file.
func prepare(ctx context.Context, opts Options) (string, error) {
	path, err := resolve(opts.Path)
	if err != nil {
		return "", err
	}
	there, err := exists(path)
	if err != nil {
		return "", err
	}
	if !there && opts.Existing {
		return "", store.ErrMissing
	}
	if !there {
		if err := create(ctx, path); err != nil {
			return "", fmt.Errorf("create: %w", err)
		}
	}
	return path, inspect(ctx, path)
}

// resolve follows links, so that all processes find the same files beside the store, whatever name they know it by.
func resolve(path string) (string, error) {
	if path == "" {
		return "", errors.New("no path given")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find directory: %w", err)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target, nil
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("directory %q does not exist; create it or name another path: %w", filepath.Dir(path), err)
	}
	if err != nil {
		return "", fmt.Errorf("find directory: %w", err)
	}
	return filepath.Join(dir, filepath.Base(path)), nil
}

// exists tells whether the file holds anything. An empty one is as good as none.
func exists(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("look for file: %w", err)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("not a regular file; name another path: %w", store.ErrSchema)
	}
	return info.Size() > 0, nil
}

// create makes a new store under another name and renames it, so that no crash leaves half of one. Processes that start
// at the same time take turns, until one of them has made it. That one may go on to keep the lock, for its session.
func create(ctx context.Context, path string) error {
	lock, err := acquire(ctx, path, createPatience, lockUnlessMade)
	if errors.Is(err, errMade) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.release()
	if there, err := exists(path); there || err != nil {
		return err
	}
	fresh, err := lay(ctx, path)
	if err != nil {
		return err
	}
	return move(fresh, path)
}

// errMade: somebody else has made the store meanwhile.
var errMade = errors.New("file is there")

func lockUnlessMade(path string) (*fileLock, error) {
	there, err := exists(path)
	if err != nil {
		return nil, err
	}
	if there {
		return nil, errMade
	}
	return tryLock(path)
}

// lay writes an empty store beside the place that it is for, instead of what was left there by one that was interrupted.
func lay(ctx context.Context, path string) (fresh string, err error) {
	fresh = path + ".new"
	if err := remove(fresh); err != nil {
		return "", fmt.Errorf("remove leftover: %w", err)
	}
	f, err := os.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return "", fmt.Errorf("create file: %w", err)
	}
	if err := f.Close(); err != nil {
		return "", fmt.Errorf("create file: %w", err)
	}
	return fresh, build(ctx, fresh)
}

// remove deletes a file with what SQLite has beside it.
func remove(path string) error {
	for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err //nolint:wrapcheck // names the file
		}
	}
	return nil
}

func move(fresh, path string) error {
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("move new file into place: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

// inspect judges an existing file without touching it or leaving anything beside it: an immutable file is one that
// SQLite neither locks nor recovers. The pages may be in use by other processes at this very moment; the header's fields
// read here never change, and writable_schema keeps SQLite from comparing its page count with the file's size.
//
// The file is not simply read, because closing it would drop the locks that another handle in this process has on it.
func inspect(ctx context.Context, path string) (err error) {
	wal, err := exists(path + "-wal")
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn(path, "ro", "writable_schema(ON)")+"&immutable=1")
	if err != nil {
		return fmt.Errorf("open file: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	var application, version int64
	row := db.QueryRowContext(ctx, "SELECT application_id, user_version FROM pragma_application_id, pragma_user_version")
	if err := row.Scan(&application, &version); err != nil {
		return fmt.Errorf("read header: %w", err)
	}
	if err := checkVersion(application, version); err != nil || wal {
		return err // what is in the write-ahead log is yet to be merged into the pages
	}
	return checkPages(ctx, db)
}

// checkPages looks for damage in a file that its last user has closed properly.
func checkPages(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "PRAGMA writable_schema(OFF)"); err != nil {
		return fmt.Errorf("check pages: %w", err)
	}
	for _, table := range []string{"meta", "kv"} {
		var found string
		if err := db.QueryRowContext(ctx, "PRAGMA quick_check("+table+")").Scan(&found); err != nil {
			return fmt.Errorf("check table %s: %w", table, err)
		}
		if found != "ok" {
			return fmt.Errorf("check table %s: %s; restore the file from a backup: %w", table, found, store.ErrCorrupt)
		}
	}
	return nil
}
