package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"kayra/store"
)

// A listing is read in pages of at most this many entries and about this many bytes, so that neither the server nor
// this process has a whole listing in one message.
const (
	firstPage = 1000
	maxPage   = 5000
	pageBytes = 8 << 20
)

// listTries is how often a listing is begun whose revision is compacted before its last page.
const listTries = 3

// Get reads one key.
func (s *Store) Get(ctx context.Context, key string) (store.Entry, error) {
	resp, err := s.get(ctx, s.data+key)
	if err == nil && len(resp.Kvs) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return store.Entry{}, fmt.Errorf("get %q: %w", key, err)
	}
	return s.entry(resp.Kvs[0]), nil
}

func (s *Store) get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	var resp *clientv3.GetResponse
	err := s.call(ctx, func(ctx context.Context) (err error) {
		resp, err = s.client.Get(ctx, key, opts...)
		return err //nolint:wrapcheck // call does
	})
	return resp, err
}

// List reads a prefix page by page, all of them at the revision of the first.
func (s *Store) List(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	var l store.Listing
	var err error
	for range listTries {
		l, err = s.list(ctx, prefix, opts)
		if !errors.Is(err, store.ErrCompacted) {
			break
		}
	}
	if errors.Is(err, store.ErrCompacted) {
		err = fmt.Errorf("history is compacted faster than it is read: %w", store.ErrUnavailable)
	}
	if err != nil {
		return store.Listing{}, fmt.Errorf("list %q: %w", prefix, err)
	}
	return l, nil
}

func (s *Store) list(ctx context.Context, prefix string, opts store.ListOptions) (store.Listing, error) {
	var l store.Listing
	from, end := s.data+prefix, clientv3.GetPrefixRangeEnd(s.data+prefix)
	if opts.After != "" && opts.After >= prefix {
		from = s.data + opts.After + "\x00" // the least key that sorts after it
	}
	if from >= end {
		from = end // After sorts after the whole prefix; an empty range still tells the revision
	}
	size := firstPage
	for {
		limit := size
		if opts.Limit > 0 {
			limit = min(limit, opts.Limit-len(l.Entries))
		}
		resp, err := s.get(ctx, from, clientv3.WithRange(end), clientv3.WithLimit(int64(limit)), clientv3.WithRev(l.Revision))
		if err != nil {
			return l, err
		}
		if l.Revision == 0 {
			l.Revision = resp.Header.Revision
		}
		for _, kv := range resp.Kvs {
			l.Entries = append(l.Entries, s.entry(kv))
		}
		l.More = resp.More
		if !resp.More || len(l.Entries) == opts.Limit {
			return l, nil
		}
		from = string(resp.Kvs[len(resp.Kvs)-1].Key) + "\x00"
		size = nextPage(resp.Kvs)
	}
}

// nextPage is how many entries of the size of these make a page.
func nextPage(kvs []*mvccpb.KeyValue) int {
	bytes := 1
	for _, kv := range kvs {
		bytes += len(kv.Key) + len(kv.Value)
	}
	return min(max(len(kvs)*pageBytes/bytes, 1), maxPage)
}

func (s *Store) entry(kv *mvccpb.KeyValue) store.Entry {
	return store.Entry{
		Key:            strings.TrimPrefix(string(kv.Key), s.data),
		Value:          kv.Value,
		CreateRevision: kv.CreateRevision,
		ModRevision:    kv.ModRevision,
		Session:        sessionID(clientv3.LeaseID(kv.Lease)),
	}
}

// sessionID is a lease's in hex, as etcdctl prints it, and "" for none.
func sessionID(lease clientv3.LeaseID) string {
	if lease == clientv3.NoLease {
		return ""
	}
	return strconv.FormatInt(int64(lease), 16)
}

// leaseID fails with store.ErrSessionLost for what cannot be a session.
func leaseID(session string) (clientv3.LeaseID, error) {
	if session == "" {
		return clientv3.NoLease, nil
	}
	id, err := strconv.ParseInt(session, 16, 64)
	if err != nil || id == 0 {
		return clientv3.NoLease, fmt.Errorf("session %q: %w", session, store.ErrSessionLost)
	}
	return clientv3.LeaseID(id), nil
}
