package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kayra/store"
)

// Txn carries out a transaction.
func (s *Store) Txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	res, err := s.txn(ctx, txn)
	if err != nil {
		return store.Result{}, fmt.Errorf("carry out transaction: %w", err)
	}
	return res, nil
}

func (s *Store) txn(ctx context.Context, txn store.Txn) (store.Result, error) {
	if err := txn.Check(); err != nil {
		return store.Result{}, fmt.Errorf("check: %w", err)
	}
	then, err := s.ops(txn.Then)
	if err != nil {
		return store.Result{}, err
	}
	otherwise, err := s.ops(txn.Else)
	if err != nil {
		return store.Result{}, err
	}
	conds := make([]clientv3.Cmp, len(txn.If))
	for i, c := range txn.If {
		conds[i] = s.cmp(c)
	}
	var resp *clientv3.TxnResponse
	commit := func(ctx context.Context) (err error) {
		resp, err = s.client.Txn(ctx).If(conds...).Then(then...).Else(otherwise...).Commit()
		return err //nolint:wrapcheck // call does
	}
	if !writes(txn) {
		commit = insisting(commit)
	}
	if err = s.call(ctx, commit); err != nil {
		return store.Result{}, err
	}
	return s.result(resp), nil
}

func writes(txn store.Txn) bool {
	changes := func(op store.Op) bool { return op.Kind != store.OpGet }
	return slices.ContainsFunc(txn.Then, changes) || slices.ContainsFunc(txn.Else, changes)
}

// insisting repeats a request that changes nothing for as long as it has time: a cluster that changes its leader refuses
// what it is asked meanwhile. The client library does so with every read but a transaction.
func insisting(request func(context.Context) error) func(context.Context) error {
	const pause = 20 * time.Millisecond
	return func(ctx context.Context) error {
		for {
			err := request(ctx)
			if err == nil || !errors.Is(meaning(rpctypes.Error(err)), store.ErrUnavailable) {
				return err
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(pause):
			}
		}
	}
}

func (s *Store) cmp(c store.Cond) clientv3.Cmp {
	key := s.data + c.Key
	switch c.Kind {
	case store.CondPresent:
		return clientv3.Compare(clientv3.CreateRevision(key), ">", 0)
	case store.CondModRev:
		return clientv3.Compare(clientv3.ModRevision(key), "=", c.Revision)
	case store.CondCreated:
		return clientv3.Compare(clientv3.CreateRevision(key), "=", c.Revision)
	case store.CondEmpty:
		return isEmpty(key)
	default: // CondAbsent; Check has refused any other
		return clientv3.Compare(clientv3.CreateRevision(key), "=", 0)
	}
}

func (s *Store) ops(ops []store.Op) ([]clientv3.Op, error) {
	out := make([]clientv3.Op, len(ops))
	for i, op := range ops {
		key := s.data + op.Key
		switch op.Kind {
		case store.OpPut:
			lease, err := leaseID(op.Session)
			if err != nil {
				return nil, fmt.Errorf("put %q: %w", op.Key, err)
			}
			out[i] = clientv3.OpPut(key, string(op.Value), clientv3.WithLease(lease))
		case store.OpDelete:
			out[i] = clientv3.OpDelete(key)
		default: // OpGet; Check has refused any other
			out[i] = clientv3.OpGet(key)
		}
	}
	return out, nil
}

func (s *Store) result(resp *clientv3.TxnResponse) store.Result {
	res := store.Result{OK: resp.Succeeded, Revision: resp.Header.Revision, Got: map[string]store.Entry{}}
	for _, r := range resp.Responses {
		for _, kv := range r.GetResponseRange().GetKvs() {
			e := s.entry(kv)
			res.Got[e.Key] = e
		}
	}
	return res
}
