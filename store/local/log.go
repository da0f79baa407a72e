package local

import (
	"context"
	"database/sql"
	"fmt"

	"kayra/store"
)

// logLimits say how much history is kept: at least so many revisions, unless they are more than so many bytes.
type logLimits struct{ revisions, bytes int64 }

// trim forgets the oldest revisions once the log is over its limits, and then a part of those that it might keep, so
// that it has not to be done at every write. The last revision always stays.
func (t *tx) trim(ctx context.Context) error {
	slack := t.limits.revisions/16 + 1
	if t.revision-t.compacted < t.limits.revisions+slack && t.logBytes <= t.limits.bytes {
		return nil
	}
	cut, size, err := t.cut(ctx, t.revision-t.limits.revisions, t.logBytes-t.limits.bytes/8*7)
	if err != nil || cut <= t.compacted {
		return err
	}
	if _, err := t.forget.ExecContext(ctx, cut); err != nil {
		return fmt.Errorf("trim log: %w", err)
	}
	t.compacted, t.logBytes = cut, t.logBytes-size
	return nil
}

// cut finds the last revision to forget, so that all up to the one given go, and at least so many bytes, and tells how
// many bytes that is. It finds 0 if there is nothing to forget.
func (t *tx) cut(ctx context.Context, revision, bytes int64) (cut, size int64, err error) {
	rows, err := t.lengths.QueryContext(ctx)
	if err != nil {
		return 0, 0, fmt.Errorf("measure log: %w", err)
	}
	err = each(rows, func() (bool, error) {
		var r, n int64
		if err := rows.Scan(&r, &n); err != nil {
			return false, fmt.Errorf("measure log: %w", err)
		}
		if r != cut && (r == t.revision || r > revision && size >= bytes) {
			return false, nil
		}
		cut, size = r, size+n
		return true, nil
	})
	return cut, size, err
}

// A batch is cut after this many events or bytes, at the end of a revision.
const (
	batchEvents = 1000
	batchBytes  = 4 << 20
)

// since reads what was written to the prefix after the revision, or the first part of it if it is much.
func (r *reader) since(ctx context.Context, prefix string, revision int64) (store.Batch, error) {
	var b store.Batch
	err := r.snapshot(ctx, func(tx *sql.Tx) error {
		last, compacted, err := r.revisions(ctx, tx)
		switch {
		case err != nil:
			return err
		case revision < compacted:
			return fmt.Errorf("history begins after revision %d: %w", compacted, store.ErrCompacted)
		case revision > last:
			return fmt.Errorf("last revision is %d: %w", last, store.ErrFutureRevision)
		case revision == last:
			b.Revision = last
			return nil
		}
		b, err = r.read(ctx, tx, prefix, revision)
		if b.Revision == 0 {
			b.Revision = last // all of it was read
		}
		return err
	})
	return b, err
}

// read reads a batch, whose revision it leaves at 0 if there is nothing more.
func (r *reader) read(ctx context.Context, tx *sql.Tx, prefix string, revision int64) (b store.Batch, err error) {
	rows, err := tx.StmtContext(ctx, r.changes).QueryContext(ctx, revision, len(prefix), []byte(prefix))
	if err != nil {
		return b, fmt.Errorf("read log: %w", err)
	}
	bytes := 0
	err = each(rows, func() (bool, error) {
		e, err := scanEvent(rows)
		if err != nil {
			return false, err
		}
		if n := len(b.Events); n >= batchEvents || bytes >= batchBytes {
			if last := b.Events[n-1].ModRevision; last != e.ModRevision {
				b.Revision = last
				return false, nil
			}
		}
		b.Events = append(b.Events, e)
		bytes += len(e.Key) + len(e.Value)
		return true, nil
	})
	return b, err
}

func scanEvent(rows *sql.Rows) (store.Event, error) {
	var e store.Event
	var key []byte
	err := rows.Scan(&key, &e.Value, &e.CreateRevision, &e.ModRevision, &e.Session, &e.Deleted)
	if err != nil {
		return store.Event{}, fmt.Errorf("read log: %w", err)
	}
	e.Key = string(key)
	return e, nil
}
