package etcd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kayra/store"
)

// schemaVersion is that of the layout of the keys.
const schemaVersion = 1

// checkSchema reads the schema version, or writes it where nothing has been written yet.
func (s *Store) checkSchema(ctx context.Context) error {
	found, err := s.schema(ctx)
	if err != nil || found != nil {
		return err
	}
	if s.opts.Existing {
		return fmt.Errorf("nothing begins with %q: %w", s.all(), store.ErrMissing)
	}
	return s.claim(ctx, strconv.Itoa(schemaVersion))
}

func (s *Store) schemaKey() string { return s.opts.Prefix + "/schema" }

// all is the prefix of everything that is the store's.
func (s *Store) all() string { return s.opts.Prefix + "/" }

// schema reads the schema version, which is nil where there is none, and judges it.
func (s *Store) schema(ctx context.Context) ([]byte, error) {
	found, err := s.get(ctx, s.schemaKey())
	if err != nil {
		return nil, err
	}
	s.cluster = found.Header.ClusterId
	if len(found.Kvs) == 0 {
		return nil, nil
	}
	return found.Kvs[0].Value, checkVersion(s.all(), found.Kvs[0].Value)
}

// claim writes the schema version where nothing has been written yet, and judges the one of whoever was faster.
func (s *Store) claim(ctx context.Context, version string) error {
	var resp *clientv3.TxnResponse
	err := s.call(ctx, func(ctx context.Context) (err error) {
		resp, err = s.client.Txn(ctx).
			If(isEmpty(s.all())).
			Then(clientv3.OpPut(s.schemaKey(), version)).
			Else(clientv3.OpGet(s.schemaKey())).
			Commit()
		return err //nolint:wrapcheck // call does
	})
	if err != nil || resp.Succeeded {
		return err
	}
	kvs := resp.Responses[0].GetResponseRange().Kvs
	if len(kvs) == 0 {
		return fmt.Errorf("%q holds keys that are not Kayra's; choose another prefix: %w", s.all(), store.ErrSchema)
	}
	return checkVersion(s.all(), kvs[0].Value)
}

func checkVersion(prefix string, value []byte) error {
	if strings.HasPrefix(string(value), unfinished) {
		return fmt.Errorf("%q is a copy that is not complete: wait for it to end or, if nothing copies there any more, delete it "+
			"(etcdctl del --prefix %s) and copy again: %w", prefix, prefix, store.ErrSchema)
	}
	version, err := strconv.Atoi(string(value))
	if err != nil || version != schemaVersion {
		return fmt.Errorf("%q was written by another version of Kayra (schema %q, this one knows %d); use that version: %w",
			prefix, value, schemaVersion, store.ErrSchema)
	}
	return nil
}

// isEmpty compares that no key begins with the prefix. The server reads all that do.
func isEmpty(prefix string) clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(prefix), "=", 0).WithRange(clientv3.GetPrefixRangeEnd(prefix))
}
