package local

import (
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"kayra/store"
)

// errClosed is what a store says once Close was called.
var errClosed = fmt.Errorf("store is closed: %w", store.ErrUnavailable)

// classify wraps the store's error that says what SQLite's means. What is no error of SQLite stays as it is.
func classify(err error) error {
	var e *sqlite.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrConnDone), errors.Is(err, sql.ErrTxDone):
		return fmt.Errorf("%w: %w", err, store.ErrUnavailable)
	case !errors.As(err, &e):
		return err
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%w; restore the file from a backup: %w", err, store.ErrCorrupt)
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w; name another path: %w", err, store.ErrSchema)
	case sqlite3.SQLITE_TOOBIG:
		return fmt.Errorf("%w: %w", err, store.ErrTooLarge)
	default:
		return fmt.Errorf("%w: %w", err, store.ErrUnavailable)
	}
}

// classifyOpen is classify for what comes up while a store is opened. What waiting cannot mend is not unavailable then: a
// table that is not as it should be, and a file that may not be read or written.
func classifyOpen(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return classify(err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_ERROR:
		return fmt.Errorf("%w; restore the file from a backup: %w", err, store.ErrCorrupt)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("%w; this user must be able to read and write the file, and to create files beside it", err)
	}
	return classify(err)
}

// isBusy tells whether another process held a lock that was needed.
func isBusy(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_BUSY
}
