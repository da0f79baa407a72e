package etcd

import (
	"context"
	"fmt"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kayra/store"
)

// schemaVersion is that of the layout of the keys.
const schemaVersion = 1

// checkSchema reads the schema version, or writes it where nothing has been written yet.
func (s *Store) checkSchema(ctx context.Context) error {
	key, all := s.opts.Prefix+"/schema", s.opts.Prefix+"/"
	found, err := s.get(ctx, key)
	if err != nil {
		return err
	}
	s.cluster = found.Header.ClusterId
	if len(found.Kvs) > 0 {
		return checkVersion(all, found.Kvs[0].Value)
	}
	var resp *clientv3.TxnResponse
	err = s.call(ctx, func(ctx context.Context) (err error) {
		resp, err = s.client.Txn(ctx).
			If(isEmpty(all)).
			Then(clientv3.OpPut(key, strconv.Itoa(schemaVersion))).
			Else(clientv3.OpGet(key)).
			Commit()
		return err //nolint:wrapcheck // call does
	})
	if err != nil || resp.Succeeded {
		return err
	}
	kvs := resp.Responses[0].GetResponseRange().Kvs
	if len(kvs) == 0 {
		return fmt.Errorf("%q holds keys that are not Kayra's; choose another prefix: %w", all, store.ErrSchema)
	}
	return checkVersion(all, kvs[0].Value)
}

func checkVersion(prefix string, value []byte) error {
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
