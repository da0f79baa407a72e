package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"kayra/store"
)

// readers is how many reads of one process run at once.
const readers = 8

// reader answers reads, each from the state that the file is in when it begins.
type reader struct {
	db                             *sql.DB
	get, list, meta, changes, held *sql.Stmt
}

func newReader(ctx context.Context, path string) (*reader, error) {
	db, err := sql.Open("sqlite", dsn(path, "rw", "busy_timeout(5000)", "query_only(ON)"))
	if err != nil {
		return nil, fmt.Errorf("open for reading: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	r := &reader{db: db}
	for _, p := range []struct {
		stmt **sql.Stmt
		text string
	}{
		{&r.get, "SELECT key, value, created, modified, session FROM kv WHERE key = ?"},
		{&r.list, "SELECT key, value, created, modified, session FROM kv WHERE key >= ? ORDER BY key"},
		{&r.meta, "SELECT revision, compacted FROM meta"},
		{&r.changes, `SELECT key, value, created, revision, session, value IS NULL FROM log
			WHERE revision > ? AND substr(key, 1, ?) = ? ORDER BY revision, seq`},
		{&r.held, "SELECT session, session_pid FROM meta"},
	} {
		if *p.stmt, err = db.PrepareContext(ctx, p.text); err != nil {
			return nil, errors.Join(fmt.Errorf("prepare to read: %w", err), db.Close())
		}
	}
	return r, nil
}

func (r *reader) close() error {
	if err := r.db.Close(); err != nil {
		return fmt.Errorf("close for reading: %w", err)
	}
	return nil
}

// Get reads one key.
func (s *Store) Get(ctx context.Context, key string) (store.Entry, error) {
	e, err := scanEntry(s.reader.get.QueryRowContext(ctx, []byte(key)))
	if errors.Is(err, sql.ErrNoRows) {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Entry{}, fmt.Errorf("get %q: %w", key, s.explain(ctx, err))
	}
	return e, nil
}

// List reads a prefix, from one snapshot of the file.
func (s *Store) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	var l store.Listing
	err := s.reader.snapshot(ctx, func(tx *sql.Tx) (err error) {
		l, err = s.reader.entries(ctx, tx, prefix, opts)
		return err
	})
	if err != nil {
		return store.Listing{}, fmt.Errorf("list %q: %w", prefix, s.explain(ctx, err))
	}
	return l, nil
}

// snapshot has fn read from one state of the file.
func (r *reader) snapshot(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := r.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written, and the connection has been given back already
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("end: %w", err)
	}
	return nil
}

func (r *reader) entries(ctx context.Context, tx *sql.Tx, prefix string, opts store.ListOptions) (store.Listing, error) {
	var l store.Listing
	var err error
	if l.Revision, _, err = r.revisions(ctx, tx); err != nil {
		return l, err
	}
	from := prefix
	if opts.After != "" && opts.After >= prefix {
		from = opts.After + "\x00" // the least key that sorts after it
	}
	rows, err := tx.StmtContext(ctx, r.list).QueryContext(ctx, []byte(from))
	if err != nil {
		return l, fmt.Errorf("read entries: %w", err)
	}
	err = each(rows, func() (bool, error) {
		e, err := scanEntry(rows)
		if err != nil || !strings.HasPrefix(e.Key, prefix) {
			return false, err
		}
		if l.More = opts.Limit > 0 && len(l.Entries) == opts.Limit; !l.More {
			l.Entries = append(l.Entries, e)
		}
		return !l.More, nil
	})
	return l, err
}

// each calls fn with each row, until it does not want more.
func each(rows *sql.Rows, fn func() (more bool, err error)) (err error) {
	defer func() {
		if err = errors.Join(err, rows.Err(), rows.Close()); err != nil {
			err = fmt.Errorf("read rows: %w", err)
		}
	}()
	for rows.Next() {
		if more, err := fn(); err != nil || !more {
			return err
		}
	}
	return nil
}

// revisions reads the store's revision and the last one that its log has forgotten.
func (r *reader) revisions(ctx context.Context, tx *sql.Tx) (last, compacted int64, err error) {
	if err := tx.StmtContext(ctx, r.meta).QueryRowContext(ctx).Scan(&last, &compacted); err != nil {
		return 0, 0, fmt.Errorf("read revision: %w", err)
	}
	return last, compacted, nil
}

// scanEntry reads a row of key, value, created, modified, session.
func scanEntry(row interface{ Scan(dest ...any) error }) (store.Entry, error) {
	var e store.Entry
	var key []byte
	if err := row.Scan(&key, &e.Value, &e.CreateRevision, &e.ModRevision, &e.Session); err != nil {
		return store.Entry{}, fmt.Errorf("read entry: %w", err)
	}
	e.Key = string(key)
	return e, nil
}
