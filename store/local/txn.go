package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"kayra/store"
)

// maxTxn is the largest sum of keys and values in a transaction. It is etcd's default limit, so that what a local store
// takes can be copied to etcd.
const maxTxn = 3 << 19

// Txn carries out a transaction.
func (s *Store) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	var res store.Result
	err := checkTxn(txn)
	if err == nil {
		err = s.writer.do(ctx, func(ctx context.Context, t *tx) (err error) {
			res, err = t.apply(ctx, txn)
			return err
		})
	}
	if err != nil {
		return store.Result{}, fmt.Errorf("carry out transaction: %w", classify(err))
	}
	return res, nil
}

func checkTxn(txn store.Txn) error {
	if err := txn.Check(); err != nil {
		return fmt.Errorf("check: %w", err)
	}
	size := 0
	for _, ops := range [][]store.Op{txn.Then, txn.Else} {
		for _, op := range ops {
			size += len(op.Key) + len(op.Value)
		}
	}
	if size > maxTxn {
		return fmt.Errorf("%d bytes, at most %d are allowed: %w", size, maxTxn, store.ErrTooLarge)
	}
	return nil
}

// apply does what the transaction says at the next revision.
func (t *tx) apply(ctx context.Context, txn store.Txn) (store.Result, error) {
	ok, err := t.hold(ctx, txn.If)
	if err != nil {
		return store.Result{}, err
	}
	ops := txn.Then
	if !ok {
		ops = txn.Else
	}
	for _, op := range ops {
		if op.Session != "" && op.Session != t.session {
			return store.Result{}, fmt.Errorf("put %q: session %q: %w", op.Key, op.Session, store.ErrSessionLost)
		}
	}
	c := change{tx: t, revision: t.revision + 1}
	res := store.Result{OK: ok, Got: map[string]store.Entry{}}
	for _, op := range ops {
		if err := c.do(ctx, op, res.Got); err != nil {
			return store.Result{}, err
		}
	}
	c.end()
	res.Revision = t.revision
	return res, nil
}

func (t *tx) hold(ctx context.Context, conds []store.Cond) (bool, error) {
	for _, c := range conds {
		found, created, modified, err := t.locate(ctx, c.Key)
		if err != nil {
			return false, err
		}
		if !holds(c, found, created, modified) {
			return false, nil
		}
	}
	return true, nil
}

// locate finds the first key that is not less than the one given. Where that is another, the key given has the
// revisions 0.
func (t *tx) locate(ctx context.Context, key string) (found *string, created, modified int64, err error) {
	var k []byte
	err = t.find.QueryRowContext(ctx, []byte(key)).Scan(&k, &created, &modified)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, 0, 0, nil
	}
	if err != nil {
		return nil, 0, 0, fmt.Errorf("compare %q: %w", key, err)
	}
	first := string(k)
	if first != key {
		created, modified = 0, 0
	}
	return &first, created, modified, nil
}

func holds(c store.Cond, found *string, created, modified int64) bool {
	switch c.Kind {
	case store.CondAbsent:
		return created == 0
	case store.CondPresent:
		return created != 0
	case store.CondModRev:
		return modified == c.Revision
	case store.CondCreated:
		return created == c.Revision
	case store.CondEmpty:
		return found == nil || !strings.HasPrefix(*found, c.Key)
	default:
		return false
	}
}

// change is what one revision writes.
type change struct {
	tx       *tx
	revision int64
	seq      int
}

func (c *change) do(ctx context.Context, op store.Op, got map[string]store.Entry) error {
	switch op.Kind {
	case store.OpGet:
		e, err := scanEntry(c.tx.get.QueryRowContext(ctx, []byte(op.Key)))
		if err == nil {
			got[op.Key] = e
		} else if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return nil
	case store.OpPut:
		return c.put(ctx, op)
	case store.OpDelete:
		return c.delete(ctx, op.Key)
	default:
		return fmt.Errorf("unknown kind %d of operation", op.Kind)
	}
}

func (c *change) put(ctx context.Context, op store.Op) error {
	c.tx.dirty = true
	value := op.Value
	if value == nil {
		value = []byte{} // nil is stored as no value at all
	}
	var created int64
	if err := c.tx.put.QueryRowContext(ctx, []byte(op.Key), value, c.revision, op.Session).Scan(&created); err != nil {
		return fmt.Errorf("put %q: %w", op.Key, err)
	}
	return c.log(ctx, op.Key, value, created, op.Session)
}

func (c *change) delete(ctx context.Context, key string) error {
	c.tx.dirty = true
	res, err := c.tx.del.ExecContext(ctx, []byte(key))
	if err != nil {
		return fmt.Errorf("delete %q: %w", key, err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err //nolint:wrapcheck // the driver knows the number, there is no error
	}
	return c.log(ctx, key, nil, 0, "")
}

// log appends to the log what has been written. A nil value says that the key was deleted.
func (c *change) log(ctx context.Context, key string, value []byte, created int64, session string) error {
	var logged any // a nil []byte is bound as an empty value
	if value != nil {
		logged = value
	}
	if _, err := c.tx.append.ExecContext(ctx, c.revision, c.seq, []byte(key), logged, created, session); err != nil {
		return fmt.Errorf("log %q: %w", key, err)
	}
	c.seq++
	c.tx.logBytes += int64(len(key) + len(value))
	return nil
}

// end raises the store's revision if anything was written.
func (c *change) end() {
	if c.seq > 0 {
		c.tx.revision = c.revision
	}
}
