package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashicorp/go-uuid"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kayra/store"
)

// unfinished begins what stands for the schema version of a store that is not complete. No version of Kayra takes it.
const unfinished = "unfinished "

// Unfinished is a new store that no other process can open until it is finished.
type Unfinished struct {
	*Store

	mark string // stands for the schema version
}

// Create begins a store where nothing has been written yet. It fails with store.ErrExists where something has.
func Create(ctx context.Context, opts Options) (*Unfinished, error) {
	id, err := uuid.GenerateUUID()
	if err != nil {
		return nil, fmt.Errorf("generate id: %w", err)
	}
	mark := unfinished + id
	s, err := open(ctx, opts.withDefaults(), func(s *Store, ctx context.Context) error { return s.mark(ctx, mark) })
	if err != nil {
		return nil, fmt.Errorf("create store in etcd %s: %w", strings.Join(opts.Endpoints, ","), err)
	}
	return &Unfinished{Store: s, mark: mark}, nil
}

func (s *Store) mark(ctx context.Context, mark string) error {
	found, err := s.schema(ctx)
	if err == nil && found != nil {
		return fmt.Errorf("%q holds a store of Kayra; name another prefix: %w", s.all(), store.ErrExists)
	}
	if err == nil {
		err = s.claim(ctx, mark)
	}
	if err != nil {
		return err
	}
	if found, err := s.get(ctx, s.schemaKey()); err != nil || len(found.Kvs) == 0 || string(found.Kvs[0].Value) != mark {
		return errors.Join(err, fmt.Errorf("%q was taken by another process: %w", s.all(), store.ErrExists))
	}
	return nil
}

// Finish lets processes open the store. It stays open.
func (u *Unfinished) Finish(ctx context.Context) error {
	ours, err := u.settle(ctx, clientv3.OpPut(u.schemaKey(), strconv.Itoa(schemaVersion)))
	if err == nil && !ours { // or the answer of an earlier try was lost
		var found []byte
		if found, err = u.schema(ctx); err == nil && found == nil {
			err = fmt.Errorf("%q was deleted meanwhile: %w", u.all(), store.ErrMissing)
		}
	}
	if err != nil {
		return fmt.Errorf("finish store: %w", err)
	}
	return nil
}

// Discard deletes what has been written, and closes the store.
func (u *Unfinished) Discard(ctx context.Context) error {
	err := u.empty(ctx)
	if err == nil {
		_, err = u.settle(ctx, clientv3.OpDelete(u.schemaKey()))
	}
	if err := errors.Join(err, u.Close()); err != nil {
		return fmt.Errorf("delete what was copied to %q: %w", u.all(), err)
	}
	return nil
}

// settle does what the schema version is to become, if the store is still this one and unfinished.
func (u *Unfinished) settle(ctx context.Context, op clientv3.Op) (ours bool, err error) {
	err = u.call(ctx, func(ctx context.Context) error {
		resp, err := u.client.Txn(ctx).If(u.isOurs()).Then(op).Commit()
		ours = err == nil && resp.Succeeded
		return err //nolint:wrapcheck // call does
	})
	return ours, err
}

func (u *Unfinished) isOurs() clientv3.Cmp {
	return clientv3.Compare(clientv3.Value(u.schemaKey()), "=", u.mark)
}

// empty deletes the keys, so many at a time that none takes long.
func (u *Unfinished) empty(ctx context.Context) error {
	const page = 5000
	end := clientv3.GetPrefixRangeEnd(u.data)
	for {
		first, err := u.get(ctx, u.data, clientv3.WithRange(end), clientv3.WithLimit(page), clientv3.WithKeysOnly())
		if err != nil || len(first.Kvs) == 0 {
			return err
		}
		last := string(first.Kvs[len(first.Kvs)-1].Key) + "\x00"
		ours, err := u.settle(ctx, clientv3.OpDelete(u.data, clientv3.WithRange(last)))
		if err != nil || !ours {
			return err
		}
	}
}
