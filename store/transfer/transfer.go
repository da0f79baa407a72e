// Package transfer copies what a store holds into one that is empty.
//
// What is put through sessions is left out: it tells of processes, which are not copied. The copy has revisions of its own.
package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"kayra/store"
)

// patience is how long a store that does not answer is tried again.
const patience = 30 * time.Second

// Contents is what a store held at one revision.
type Contents struct {
	Records  []store.Entry // what stays, in the order of the keys
	Bound    []store.Entry // what goes with the session of a process
	Revision int64
}

// Bytes is the size of the keys and values of what stays.
func (c *Contents) Bytes() int64 {
	var sum int64
	for _, e := range c.Records {
		sum += int64(len(e.Key) + len(e.Value))
	}
	return sum
}

// Read reads everything.
func Read(ctx context.Context, from store.Store) (*Contents, error) {
	var l store.Listing
	err := insist(ctx, func() (err error) {
		l, err = from.List(ctx, "", store.ListOptions{})
		return err //nolint:wrapcheck // below
	})
	if err != nil {
		return nil, fmt.Errorf("read store: %w", err)
	}
	c := &Contents{Revision: l.Revision}
	for _, e := range l.Entries {
		if e.Session == "" {
			c.Records = append(c.Records, e)
		} else {
			c.Bound = append(c.Bound, e)
		}
	}
	return c, nil
}

// Write puts the records into an empty store that nobody else writes to, and tells how many are there by now.
func (c *Contents) Write(ctx context.Context, to store.Store, told func(done int)) error {
	for done := 0; done < len(c.Records); {
		n := batch(c.Records[done:])
		ops := make([]store.Op, n)
		for i, e := range c.Records[done : done+n] {
			ops[i] = store.Put(e.Key, e.Value)
		}
		err := insist(ctx, func() error { // may be done twice, since it writes the same
			_, err := to.Txn(ctx, store.Txn{Then: ops})
			return err //nolint:wrapcheck // below
		})
		if err != nil {
			return fmt.Errorf("write store: %w", err)
		}
		done += n
		told(done)
	}
	return nil
}

// batch is how many of the entries fit into one transaction of any backend.
func batch(entries []store.Entry) int {
	size, n := 0, 0
	for n < min(len(entries), store.MaxOps) {
		size += len(entries[n].Key) + len(entries[n].Value)
		if n > 0 && size > store.MaxValue {
			break
		}
		n++
	}
	return n
}

// Verify reads a copy again, and fails unless it holds the records and nothing else.
func (c *Contents) Verify(ctx context.Context, copied store.Store) error {
	rest := c.Records
	err := each(ctx, copied, func(is store.Entry) error {
		switch {
		case is.Session != "":
			return fmt.Errorf("the copy has %q, which a process has written", is.Key)
		case len(rest) == 0 || is.Key < rest[0].Key:
			return fmt.Errorf("the copy has %q, which was not copied", is.Key)
		case is.Key > rest[0].Key:
			return fmt.Errorf("the copy lacks %q", rest[0].Key)
		case !bytes.Equal(is.Value, rest[0].Value):
			return fmt.Errorf("the copy has another value of %q", is.Key)
		}
		rest = rest[1:]
		return nil
	})
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("the copy lacks %q", rest[0].Key)
	}
	return err
}

// Since gives the keys that the store has written to, or deleted, since the contents were read.
func (c *Contents) Since(ctx context.Context, from store.Store) ([]string, error) {
	before := map[string]int64{}
	for _, entries := range [][]store.Entry{c.Records, c.Bound} {
		for _, e := range entries {
			before[e.Key] = e.ModRevision
		}
	}
	var changed []string
	err := each(ctx, from, func(is store.Entry) error {
		if before[is.Key] != is.ModRevision {
			changed = append(changed, is.Key)
		}
		delete(before, is.Key)
		return nil
	})
	return append(changed, slices.Sorted(maps.Keys(before))...), err
}

// each reads a store again, a part at a time.
func each(ctx context.Context, of store.Store, fn func(store.Entry) error) error {
	const part = 2000
	l := store.Listing{More: true}
	for after := ""; l.More; {
		err := insist(ctx, func() (err error) {
			l, err = of.List(ctx, "", store.ListOptions{After: after, Limit: part})
			return err //nolint:wrapcheck // below
		})
		if err != nil {
			return fmt.Errorf("read store again: %w", err)
		}
		for _, e := range l.Entries {
			if err := fn(e); err != nil {
				return err
			}
			after = e.Key
		}
	}
	return nil
}

// insist tries again what a store could not be reached for.
func insist(ctx context.Context, try func() error) error {
	const pause = 500 * time.Millisecond
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil || !errors.Is(err, store.ErrUnavailable) || time.Now().After(deadline) {
			return err
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return ctx.Err() //nolint:wrapcheck // the callers do
		}
	}
}
