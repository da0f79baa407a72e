package catalog

import (
	"context"
	"errors"
	"fmt"

	"kayra/store"
)

// Written is a record that was written or deleted.
type Written struct {
	ID       ID
	Revision int64 // of the last time
	Created  bool  // it was not there before
	Deleted  bool
}

// Changes has, of each record of the scope that was written after one revision and up to another one, the last time, in
// order. It fails with store.ErrCompacted when the store does not know it any more, and with [ErrMany] when there are more
// than most.
func (r *Repository) Changes(ctx context.Context, after, until int64, most int) ([]Written, error) {
	if after >= until {
		return nil, nil
	}
	c := changes{scope: r.scope, until: until, most: most, at: map[ID]int{}}
	err := r.store.Watch(ctx, r.scope.Prefix(), after+1, c.take)
	if !errors.Is(err, errAll) {
		return nil, fmt.Errorf("read changes after revision %d: %w", after, err)
	}
	return c.last(), nil
}

// ErrMany says that more has changed than was asked for.
var ErrMany = errors.New("too many changes")

var errAll = errors.New("all changes have been read")

type changes struct {
	scope Scope
	until int64
	most  int
	all   []Written
	at    map[ID]int // where in all the last one of a record is
}

func (c *changes) take(b store.Batch) error {
	for _, e := range b.Events {
		if e.ModRevision > c.until {
			return errAll
		}
		id := c.scope.ParseKey(e.Key)
		if id.Kind == KindIndex {
			continue
		}
		is := Written{ID: id, Revision: e.ModRevision, Created: e.CreateRevision == e.ModRevision, Deleted: e.Deleted}
		if before, twice := c.at[id]; twice {
			is.Created = is.Created || c.all[before].Created && !is.Deleted
			c.all[before].Revision = 0
		}
		c.at[id] = len(c.all)
		c.all = append(c.all, is)
		if len(c.all) > c.most {
			return ErrMany
		}
	}
	if b.Revision >= c.until {
		return errAll
	}
	return nil
}

// last are the changes that no later one has overtaken.
func (c *changes) last() []Written {
	var kept []Written
	for _, one := range c.all {
		if one.Revision != 0 {
			kept = append(kept, one)
		}
	}
	return kept
}
