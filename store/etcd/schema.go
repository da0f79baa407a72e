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

// checkSchema reads the schema version, or writes it where nothing has been written yet, in one transaction.
func (s *Store) checkSchema(ctx context.Context) error {
	key, all := s.opts.Prefix+"/schema", s.opts.Prefix+"/"
	var resp *clientv3.TxnResponse
	err := s.call(ctx, func(ctx context.Context) (err error) {
		resp, err = s.client.Txn(ctx).
			If(isEmpty(all)).
			Then(clientv3.OpPut(key, strconv.Itoa(schemaVersion))).
			Else(clientv3.OpGet(key)).
			Commit()
		return err //nolint:wrapcheck // call does
	})
	if err != nil {
		return err
	}
	s.cluster = resp.Header.ClusterId
	if resp.Succeeded {
		return nil
	}
	kvs := resp.Responses[0].GetResponseRange().Kvs
	if len(kvs) == 0 {
		return fmt.Errorf("%q holds keys that are not Kayra's; choose another prefix: %w", all, store.ErrSchema)
	}
	version, err := strconv.Atoi(string(kvs[0].Value))
	if err != nil || version != schemaVersion {
		return fmt.Errorf("%q was written by another version of Kayra (schema %q, this one knows %d); use that version: %w",
			all, kvs[0].Value, schemaVersion, store.ErrSchema)
	}
	return nil
}

// isEmpty compares that no key begins with the prefix.
func isEmpty(prefix string) clientv3.Cmp {
	return clientv3.Compare(clientv3.CreateRevision(prefix), "=", 0).WithRange(clientv3.GetPrefixRangeEnd(prefix))
}
