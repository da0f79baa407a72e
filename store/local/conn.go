package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// conn is one connection to the file with the statements that were prepared on it.
type conn struct {
	db         *sql.DB
	conn       *sql.Conn
	statements []*sql.Stmt
}

func connect(ctx context.Context, path string, pragmas ...string) (*conn, error) {
	db, err := sql.Open("sqlite", dsn(path, "rw", pragmas...))
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connect: %w", err), db.Close())
	}
	return &conn{db: db, conn: c}, nil
}

// statement is one to prepare, and where to put it.
type statement struct {
	stmt **sql.Stmt
	text string
}

func (c *conn) prepare(ctx context.Context, statements ...statement) error {
	for _, s := range statements {
		stmt, err := c.conn.PrepareContext(ctx, s.text)
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		*s.stmt = stmt
		c.statements = append(c.statements, stmt)
	}
	return nil
}

// close closes the statements first. The sql package does not for those of a single connection, and SQLite would keep
// the file open for them, with its write-ahead log beside it.
func (c *conn) close() error {
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, s.Close())
	}
	if err := errors.Join(append(errs, c.conn.Close(), c.db.Close())...); err != nil {
		return fmt.Errorf("disconnect: %w", err)
	}
	return nil
}
