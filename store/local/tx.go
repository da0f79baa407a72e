package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// meta is the row of that name.
type meta struct {
	revision, compacted, logBytes int64
	session                       string
	pid                           int
}

// tx is a transaction that holds the file's write lock. There is one at a time in a process, on a connection of its own.
type tx struct {
	meta
	saved  meta // as it stood when the transaction began
	conn   *conn
	limits logLimits
	dirty  bool // something was written since it was last set to false

	beginStmt, commitStmt, rollbackStmt, readMeta, writeMeta *sql.Stmt
	find, get, put, del, bound, append, lengths, forget      *sql.Stmt
}

func newTx(ctx context.Context, path string, limits logLimits) (*tx, error) {
	conn, err := connect(ctx, path, "busy_timeout(5000)", "synchronous(FULL)", "journal_size_limit(67108864)")
	if err != nil {
		return nil, err
	}
	t := &tx{conn: conn, limits: limits}
	if err := t.prepare(ctx); err != nil {
		return nil, errors.Join(err, conn.close())
	}
	return t, nil
}

func (t *tx) prepare(ctx context.Context) error {
	var version int64
	if err := t.conn.conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	// A newer version's change may so far stand in the write-ahead log only.
	if err := checkVersion(applicationID, version); err != nil {
		return err
	}
	err := t.conn.prepare(
		ctx,
		statement{&t.beginStmt, "BEGIN IMMEDIATE"},
		statement{&t.commitStmt, "COMMIT"},
		statement{&t.rollbackStmt, "ROLLBACK"},
		statement{&t.readMeta, "SELECT revision, compacted, log_bytes, session, session_pid FROM meta"},
		statement{&t.writeMeta, "UPDATE meta SET revision = ?, compacted = ?, log_bytes = ?, session = ?, session_pid = ?"},
		statement{&t.find, "SELECT key, created, modified FROM kv WHERE key >= ? ORDER BY key LIMIT 1"},
		statement{&t.get, "SELECT key, value, created, modified, session FROM kv WHERE key = ?"},
		statement{&t.put, `INSERT INTO kv (key, value, created, modified, session) VALUES (?1, ?2, ?3, ?3, ?4)
			ON CONFLICT (key) DO UPDATE SET value = ?2, modified = ?3, session = ?4 RETURNING created`},
		statement{&t.del, "DELETE FROM kv WHERE key = ?"},
		statement{&t.bound, "SELECT key FROM kv WHERE session <> '' ORDER BY key"},
		statement{&t.append, "INSERT INTO log (revision, seq, key, value, created, session) VALUES (?, ?, ?, ?, ?, ?)"},
		statement{&t.lengths, "SELECT revision, length(key) + ifnull(length(value), 0) FROM log ORDER BY revision"},
		statement{&t.forget, "DELETE FROM log WHERE revision <= ?"},
	)
	if err != nil {
		return err
	}
	// From here on the writer does the waiting.
	if _, err := t.conn.conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return fmt.Errorf("prepare to write: %w", err)
	}
	return t.try(ctx)
}

// try writes something and takes it back, so that a file that may not be written is known now and not when a write fails:
// SQLite lets a transaction begin on it. Who has the write lock meanwhile does not matter.
func (t *tx) try(ctx context.Context) error {
	if err := t.begin(ctx); isBusy(err) {
		return nil
	} else if err != nil {
		return err
	}
	defer t.rollback(ctx)
	return t.saveMeta(ctx)
}

func (t *tx) begin(ctx context.Context) error {
	if _, err := t.beginStmt.ExecContext(ctx); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	m := &t.meta
	if err := t.readMeta.QueryRowContext(ctx).Scan(&m.revision, &m.compacted, &m.logBytes, &m.session, &m.pid); err != nil {
		t.rollback(ctx)
		return fmt.Errorf("begin: read revision: %w", err)
	}
	t.saved = t.meta
	return nil
}

func (t *tx) commit(ctx context.Context) error {
	err := t.trim(ctx)
	if err == nil && t.meta != t.saved {
		err = t.saveMeta(ctx)
	}
	if err == nil {
		_, err = t.commitStmt.ExecContext(ctx)
	}
	if err != nil {
		t.rollback(ctx)
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func (t *tx) saveMeta(ctx context.Context) error {
	if _, err := t.writeMeta.ExecContext(ctx, t.revision, t.compacted, t.logBytes, t.session, t.pid); err != nil {
		return fmt.Errorf("write revision: %w", err)
	}
	return nil
}

// rollback ends the transaction. SQLite may have done so by itself, after an error of the disk for instance.
func (t *tx) rollback(ctx context.Context) { _, _ = t.rollbackStmt.ExecContext(ctx) }
