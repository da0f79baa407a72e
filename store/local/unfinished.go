package local

import (
	"context"
	"errors"
	"fmt"

	"kayra/store"
)

// Unfinished is a new store under another name than its own, under which no process finds it until it is finished. Those
// that want to create one there meanwhile are refused.
type Unfinished struct {
	*Store

	place string    // where it is to be
	lock  *fileLock // on that place
}

// Create begins a store where there is no file. It fails with store.ErrExists where there is one.
func Create(ctx context.Context, opts Options) (*Unfinished, error) {
	u, err := begin(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("create store %q: %w", opts.Path, err)
	}
	return u, nil
}

func begin(ctx context.Context, opts Options) (*Unfinished, error) {
	place, err := resolve(opts.Path)
	if err != nil {
		return nil, err
	}
	if err := vacant(place); err != nil { // also where whoever uses it has the lock
		return nil, err
	}
	lock, err := acquire(ctx, place, sessionPatience, tryLock)
	if err != nil {
		return nil, err
	}
	if err = vacant(place); err == nil {
		opts.Path, err = lay(ctx, place)
	}
	var s *Store
	if err == nil {
		s, err = open(ctx, opts.withDefaults())
	}
	if err != nil {
		lock.release()
		return nil, classifyOpen(err)
	}
	return &Unfinished{Store: s, place: place, lock: lock}, nil
}

// vacant tells that neither a file is there nor the log of one, which SQLite would put into another file of that name.
func vacant(place string) error {
	for _, path := range []string{place, place + "-wal", place + "-journal"} {
		there, err := exists(path)
		if err != nil {
			return err
		}
		if there {
			return fmt.Errorf("%s is there; name another path, or move it away: %w", path, store.ErrExists)
		}
	}
	return nil
}

// Finish closes the store, and puts it where it is to be. Where that fails, it is still to be discarded.
func (u *Unfinished) Finish(context.Context) error {
	err := u.Close() //nolint:contextcheck // has no session to end
	if err == nil {
		err = vacant(u.place)
	}
	if err == nil {
		err = vacantBeside(u.path)
	}
	if err == nil {
		err = move(u.path, u.place)
	}
	if err != nil {
		return fmt.Errorf("finish store %q: %w", u.place, err)
	}
	u.lock.release()
	return nil
}

// Discard closes the store and deletes it.
func (u *Unfinished) Discard(context.Context) error {
	defer u.lock.release()
	if err := errors.Join(u.Close(), remove(u.path)); err != nil { //nolint:contextcheck // as in Finish
		return fmt.Errorf("delete what was copied to %q: %w", u.place, err)
	}
	return nil
}

// vacantBeside tells that all of a file is in it.
func vacantBeside(path string) error {
	there, err := exists(path + "-wal")
	if err == nil && there {
		err = fmt.Errorf("%s-wal is still needed", path)
	}
	return err
}
